import { causedByInterrupt } from "../checkpoint/interrupt.js";
import { isPromiseLike } from "./async.js";
import type { Run } from "./run.js";
import type { TaskContext } from "./task-context.js";

/**
 * A run that is not saved has stopped at this error. If it waits for somebody: lets what runs beside come to its end, and
 * gives the interrupt of all places that wait, or the ordinary error that came meanwhile. Else gives the error itself.
 */
export async function settleStop(run: Run, error: unknown): Promise<unknown> {
  if (run.aborted || run.stopped === undefined || !causedByInterrupt(error)) return error;
  try {
    await othersOf(run);
    for (const task of run.stopped) await settleTask(run, task);
  } catch (other) {
    return other;
  }
  return run.aborted ? run.reason : run.interruption();
}

async function settleTask(run: Run, task: TaskContext): Promise<void> {
  try {
    await task.settle();
  } catch (error) {
    throw run.blame(error, task.index);
  }
}

/** The other nodes of the step. Rejects with the first ordinary error, at once. */
function othersOf(run: Run): Promise<unknown> | undefined {
  if (run.waiting !== "step" || !Array.isArray(run.held)) return undefined;
  return Promise.all(run.held.map((output: unknown) => (isPromiseLike(output) ? settled(output) : undefined)));
}

export async function settled(output: PromiseLike<unknown>): Promise<void> {
  try {
    await output;
  } catch (error) {
    if (!causedByInterrupt(error)) throw error;
  }
}
