import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { Answers } from "../../compose/options.js";
import { isObject } from "../../is.js";
import { ambiguousResume, invalidMastraOption, stepNotSuspended } from "../errors.js";
import { checkValue } from "./check-value.js";
import { idOf } from "./map-input.js";
import type { StepRef } from "./run-options.js";
import { pathOf, type StepTree } from "./run-result.js";
import { isSuspendedInfo } from "./run-step.js";
import type { AnyStep } from "./step.js";

/** The options of `resume` that choose what to resume, and its data. */
interface ResumeRequest {
  readonly step?: StepRef | readonly StepRef[] | undefined;
  readonly resumeData?: unknown;
  readonly forEachIndex?: number | undefined;
  readonly interruptId?: string | undefined;
}

interface ResumeOwner {
  readonly id: string;
  readonly tree: StepTree;
  stepAt(path: readonly string[]): AnyStep | undefined;
}

/** An interrupt, with the step and item that raised it. */
interface SuspendedStep {
  readonly interrupt: Interrupt;
  readonly path: readonly string[];
  readonly item: { readonly index: number; readonly batch: number } | undefined;
}

/** Finds the interrupts that a resume refers to, and validates its data with the resume schema of their step. */
export async function answersFor(
  owner: ResumeOwner,
  interrupts: readonly Interrupt[],
  request: ResumeRequest,
): Promise<{ readonly answers: Answers; readonly path: readonly string[] }> {
  const { resumeData } = request;
  const suspended = chosenSteps(
    owner,
    interrupts.map((one) => suspendedStepOf(one, owner.tree)),
    request,
  );
  for (const { path, interrupt } of suspended) {
    if (!isSuspendedInfo(interrupt.info)) continue;
    const step = owner.stepAt(path);
    const checked = { workflow: owner.id, step: path.join("."), what: "resume data" };
    await checkValue(step?.resumeSchema, resumeData, checked, "ANSWER_MISMATCH");
  }
  const answers = Object.fromEntries(suspended.map(({ interrupt }) => [interrupt.id, resumeData]));
  return { answers, path: suspended[0]?.path ?? [] };
}

function suspendedStepOf(interrupt: Interrupt, tree: StepTree): SuspendedStep {
  const { info } = interrupt;
  return { interrupt, path: pathOf(interrupt, tree), item: isSuspendedInfo(info) ? info.item : undefined };
}

function chosenSteps(
  { id }: ResumeOwner,
  all: readonly SuspendedStep[],
  { step, forEachIndex, interruptId }: ResumeRequest,
): readonly SuspendedStep[] {
  const names = [...new Set(all.map(nameOf))];
  if (interruptId !== undefined) {
    const found = all.filter(({ interrupt }) => interrupt.id === interruptId);
    if (found.length === 0)
      throw stepNotSuspended(
        id,
        interruptId,
        all.map(({ interrupt }) => interrupt.id),
      );
    return found;
  }
  if (forEachIndex !== undefined && !Number.isInteger(forEachIndex)) {
    throw invalidMastraOption(
      `forEachIndex of resume of workflow "${id}" must be a whole number (got ${String(forEachIndex)}).`,
    );
  }
  const wanted = step === undefined ? undefined : pathOfRef(id, step);
  const ofStep = wanted === undefined ? all : all.filter(({ path }) => isAt(path, wanted));
  const found = forEachIndex === undefined ? ofStep : ofStep.filter(({ item }) => item?.index === forEachIndex);
  if (found.length === 0) {
    const item = forEachIndex === undefined ? "" : `[${forEachIndex}]`;
    throw stepNotSuspended(id, `${wanted?.join(".") ?? ""}${item}`, names);
  }
  if (found.length === 1) return found;
  const [first] = found;
  const isOneStep = wanted !== undefined && found.every(({ path }) => path.join("\n") === first?.path.join("\n"));
  if (!isOneStep || found.some(({ item }) => item === undefined)) throw ambiguousResume(id, found.map(nameOf));
  return firstBatch(found);
}

/** The items of the first batch: items that run together are resumed together. */
function firstBatch(suspended: readonly SuspendedStep[]): readonly SuspendedStep[] {
  const batch = Math.min(...suspended.map(({ item }) => item?.batch ?? 0));
  return suspended.filter(({ item }) => item?.batch === batch);
}

function pathOfRef(workflow: string, step: StepRef | readonly StepRef[]): readonly string[] {
  const refs = (Array.isArray(step) ? step : [step]) as readonly StepRef[];
  for (const ref of refs) {
    if (typeof ref === "string" || (isObject(ref) && typeof ref.id === "string")) continue;
    throw invalidMastraOption(`step of resume of workflow "${workflow}" must be a step, its id, or an array of them.`);
  }
  return refs.map(idOf);
}

/** Whether a reference names a step: `["inner", "step"]` also matches `inner.step`, `inner` and `step`. */
function isAt(path: readonly string[], wanted: readonly string[]): boolean {
  if (path.join(".") === wanted.join(".")) return true;
  const starts = wanted.every((name, index) => path[index] === name);
  const ends = wanted.every((name, index) => path[path.length - wanted.length + index] === name);
  return starts || ends;
}

function nameOf({ path, item }: SuspendedStep): string {
  return path.join(".") + (item === undefined ? "" : `[${item.index}]`);
}
