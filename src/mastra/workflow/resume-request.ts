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

/** What a run is resumed with. */
interface ResumeRequest {
  readonly step?: StepRef | readonly StepRef[] | undefined;
  readonly resumeData?: unknown;
  readonly forEachIndex?: number | undefined;
  readonly interruptId?: string | undefined;
}

interface Owner {
  readonly id: string;
  readonly tree: StepTree;
  stepAt(path: readonly string[]): AnyStep | undefined;
}

/** A question, and where it is asked. */
interface Place {
  readonly interrupt: Interrupt;
  readonly path: readonly string[];
  readonly item: { readonly index: number; readonly batch: number } | undefined;
}

/** Answers for the places that a resume means, checked by the schema of their step, and the path of that step. */
export async function answersFor(
  owner: Owner,
  interrupts: readonly Interrupt[],
  request: ResumeRequest,
): Promise<{ readonly answers: Answers; readonly path: readonly string[] }> {
  const { resumeData } = request;
  const places = chosenPlaces(
    owner,
    interrupts.map((one) => placeOf(one, owner.tree)),
    request,
  );
  for (const { path, interrupt } of places) {
    if (!isSuspendedInfo(interrupt.info)) continue;
    const step = owner.stepAt(path);
    const what = { workflow: owner.id, step: path.join("."), what: "resume data" };
    await checkValue(step?.resumeSchema, resumeData, what, "ANSWER_MISMATCH");
  }
  const answers = Object.fromEntries(places.map(({ interrupt }) => [interrupt.id, resumeData]));
  return { answers, path: places[0]?.path ?? [] };
}

function placeOf(interrupt: Interrupt, tree: StepTree): Place {
  const { info } = interrupt;
  return { interrupt, path: pathOf(interrupt, tree), item: isSuspendedInfo(info) ? info.item : undefined };
}

function chosenPlaces(
  { id }: Owner,
  all: readonly Place[],
  { step, forEachIndex, interruptId }: ResumeRequest,
): readonly Place[] {
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

/** Items that were run together are resumed together. */
function firstBatch(places: readonly Place[]): readonly Place[] {
  const batch = Math.min(...places.map(({ item }) => item?.batch ?? 0));
  return places.filter(({ item }) => item?.batch === batch);
}

function pathOfRef(workflow: string, step: StepRef | readonly StepRef[]): readonly string[] {
  const refs = (Array.isArray(step) ? step : [step]) as readonly StepRef[];
  for (const ref of refs) {
    if (typeof ref === "string" || (isObject(ref) && typeof ref.id === "string")) continue;
    throw invalidMastraOption(`step of resume of workflow "${workflow}" must be a step, its id, or a list of them.`);
  }
  return refs.map(idOf);
}

/** `["inner", "step"]` is named by itself, as `inner.step`, by `inner`, and by `step`. */
function isAt(path: readonly string[], wanted: readonly string[]): boolean {
  if (path.join(".") === wanted.join(".")) return true;
  const starts = wanted.every((name, index) => path[index] === name);
  const ends = wanted.every((name, index) => path[path.length - wanted.length + index] === name);
  return starts || ends;
}

function nameOf({ path, item }: Place): string {
  return path.join(".") + (item === undefined ? "" : `[${item.index}]`);
}
