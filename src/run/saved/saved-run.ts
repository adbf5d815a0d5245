import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import type { EndedRun } from "../../checkpoint/journal/driven.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { interruptsOf } from "../../checkpoint/pause/interrupts-of.js";
import type { SavedRun } from "../../compose/segment.js";
import { KumikoError, messageOf } from "../../errors.js";

/** The questions of a run that have no answer yet, not even a recorded one. */
export function openQuestions({ status, root, runKey, answers = {} }: CheckpointDocument): readonly Interrupt[] {
  if (status !== "waiting" || root === undefined) return [];
  return interruptsOf(root, runKey).filter(({ id }) => !Object.hasOwn(answers, id));
}

/** The state of a saved run. `output`: of a finished one. */
export function savedRunOf<O>(
  id: string,
  document: CheckpointDocument,
  output: (document: CheckpointDocument) => O,
): SavedRun<O> {
  const { status, graph, owner, attempts, error, startedAt, since } = document;
  const fields = {
    id,
    graph,
    startedAt: new Date(startedAt),
    changedAt: new Date(since),
    ...(owner !== undefined && { owner }),
    attempts,
    interrupts: openQuestions(document),
    ...(error !== undefined && { error: asKumikoError(error.value) }),
  };
  return status === "finished" ? { ...fields, status, output: output(document) } : { ...fields, status };
}

/** The same for a run that has just ended here. */
export function endedRunOf<O>(id: string, graph: string, ended: EndedRun, output: () => O): SavedRun<O> {
  const { status, startedAt, since, attempts, error, interrupts } = ended;
  const fields = {
    id,
    graph,
    startedAt: new Date(startedAt),
    changedAt: new Date(since),
    attempts,
    interrupts,
    ...(error !== undefined && { error: asKumikoError(error) }),
  };
  return status === "finished" ? { ...fields, status, output: output() } : { ...fields, status };
}

function asKumikoError(error: unknown): KumikoError {
  return KumikoError.is(error) ? error : new KumikoError("NODE_FAILED", messageOf(error), { cause: error });
}
