import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { Answers } from "../../compose/options.js";
import { isObject } from "../../is.js";
import { kindOf } from "../../wording.js";
import { ambiguousResume, invalidMastraOption, labelNotSuspended, stepNotSuspended } from "../errors.js";
import { checkValue } from "./check-value.js";
import { idOf } from "./map-input.js";
import type { StepRef } from "./run-options.js";
import { pathOf, type StepTree } from "./run-result.js";
import { isSuspendedInfo } from "./run-step.js";
import type { AnyStep } from "./step.js";

/** The options of `resume` that choose what to resume, and its data. */
interface ResumeRequest {
  readonly step?: StepRef | readonly StepRef[] | undefined;
  readonly label?: string | undefined;
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
  readonly item: { readonly index: number } | undefined;
  readonly labels: readonly string[];
}

/**
 * Finds the one interrupt that a resume refers to, and validates its data with the resume schema of its step. An answer belongs to
 * one question: of several items of `.foreach`, one must be named.
 */
export async function answersFor(
  owner: ResumeOwner,
  interrupts: readonly Interrupt[],
  request: ResumeRequest,
): Promise<{ readonly answers: Answers; readonly path: readonly string[]; readonly areChecked: boolean }> {
  const { resumeData } = request;
  const suspended = interrupts.map((one) => suspendedStepOf(one, owner.tree));
  const { path, interrupt } = chosenStep(owner, suspended, request);
  // the answer to a question inside a step, such as that of an agent, is left to its JSON Schema
  const areChecked = isSuspendedInfo(interrupt.info);
  if (areChecked) {
    const step = owner.stepAt(path);
    const checked = { workflow: owner.id, step: path.join("."), what: "resume data" };
    await checkValue(step?.resumeSchema, resumeData, checked, "ANSWER_MISMATCH");
  }
  return { answers: { [interrupt.id]: resumeData }, path, areChecked };
}

function suspendedStepOf(interrupt: Interrupt, tree: StepTree): SuspendedStep {
  const { info } = interrupt;
  const { item, labels = [] } = isSuspendedInfo(info) ? info : {};
  return { interrupt, path: pathOf(interrupt, tree), item, labels };
}

function chosenStep(
  { id }: ResumeOwner,
  all: readonly SuspendedStep[],
  { step, label, forEachIndex, interruptId }: ResumeRequest,
): SuspendedStep {
  if (forEachIndex !== undefined && !Number.isInteger(forEachIndex)) {
    throw invalidMastraOption(
      `forEachIndex of resume of workflow "${id}" must be a whole number (got ${String(forEachIndex)}).`,
    );
  }
  if (label !== undefined && typeof label !== "string") {
    throw invalidMastraOption(`label of resume of workflow "${id}" must be a string (got ${kindOf(label)}).`);
  }
  const wanted = step === undefined ? undefined : pathOfRef(id, step);
  const found = all.filter(
    ({ interrupt, path, item, labels }) =>
      (interruptId === undefined || interrupt.id === interruptId) &&
      (wanted === undefined || isAt(path, wanted)) &&
      (label === undefined || labels.includes(label)) &&
      (forEachIndex === undefined || item?.index === forEachIndex),
  );
  const [only] = found;
  if (found.length > 1) throw ambiguousResume(id, found.map(nameOf));
  if (only !== undefined) return only;
  if (interruptId !== undefined) {
    throw stepNotSuspended(
      id,
      interruptId,
      all.map(({ interrupt }) => interrupt.id),
    );
  }
  if (label !== undefined && !all.some(({ labels }) => labels.includes(label))) {
    throw labelNotSuspended(id, label, [...new Set(all.flatMap(({ labels }) => labels))]);
  }
  const item = forEachIndex === undefined ? "" : `[${forEachIndex}]`;
  throw stepNotSuspended(id, `${wanted?.join(".") ?? ""}${item}`, [...new Set(all.map(nameOf))]);
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
