import type { NodeFailure } from "../components/policies.js";
import { KumikoError } from "../errors.js";
import { oneChunk } from "./streams/joining.js";
import type { Task } from "./task.js";

/** Whether an error branch takes what a task, which has not ended, has failed with: its own failure, not that of the node it reads from, nor of the store of the run. */
export function takesErrorBranch({ tried, owner, index, isOver }: Task, error: unknown): boolean {
  if (isOver || !owner.handlesFailure(index) || tried?.inputFailure !== undefined) return false;
  return !isOfStore(error);
}

/** Whether the store of the run has failed: that is the failure of no node. */
export function isOfStore(error: unknown): boolean {
  return KumikoError.is(error) && storeCodes.includes(error.code);
}

const storeCodes: readonly string[] = ["STORE_FAILED", "CHECKPOINT_LOST", "CHECKPOINT_CONFLICT"];

/** What an error branch is given. Rejects with the error where that began in another node. */
export async function failureOf(task: Task, error: unknown): Promise<NodeFailure> {
  const { owner, index, tried } = task;
  const located = (await owner.locateFailure(error, task)) as KumikoError;
  // a stream that the node reads may have failed in the node that gives it
  if (!task.nodePath.every((key, depth) => located.nodePath[depth] === key)) throw located;
  const input = await tried?.wholeInput();
  return Object.freeze({ node: owner.node(index).key, input, error: located, attempts: tried?.attempts ?? 0 });
}

/** A task has ended with its failure as its output. */
export function endWithFailure(task: Task, failure: NodeFailure, isStream: boolean): void {
  task.failure = failure;
  task.isOver = true;
  task.output = isStream ? oneChunk(failure, undefined) : failure;
}
