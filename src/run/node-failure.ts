import type { NodeFailure } from "../components/policies.js";
import { endsRun, KumikoError } from "../errors.js";
import { oneChunk } from "./streams/joining.js";
import type { Task } from "./task.js";

/** Whether an error branch takes the error of a task: only the task's own, not that of its input stream or of the store. */
export function takesErrorBranch(task: Task, error: unknown): boolean {
  const { tried, owner, index, isOver } = task;
  if (isOver || !owner.handlesFailure(index) || isOfStore(error) || endsRun(error)) return false;
  return tried?.inputFailure === undefined || isOfInput(task, tried.inputFailure.error);
}

/** Whether the input stream of a task failed as it was made for it, by its own mapping, and not in another node. */
function isOfInput({ nodePath }: Task, error: unknown): boolean {
  return KumikoError.is(error) && error.nodePath.join("/") === nodePath.join("/");
}

/** Whether the checkpoint store has failed, which is not the failure of any node. */
export function isOfStore(error: unknown): boolean {
  return KumikoError.is(error) && storeCodes.includes(error.code);
}

const storeCodes: readonly string[] = ["STORE_FAILED", "CHECKPOINT_LOST", "CHECKPOINT_CONFLICT"];

/** The input of an error branch. Rejects with the error if that began in another node. */
export async function nodeFailureOf(task: Task, error: unknown): Promise<NodeFailure> {
  const { owner, index, tried } = task;
  const located = (await owner.locateFailure(error, task)) as KumikoError;
  // the error may come from the node whose stream this one reads
  if (!task.nodePath.every((key, depth) => located.nodePath[depth] === key)) throw located;
  // without an input, as when a mapping has failed, nothing was attempted
  const hasInput = tried !== undefined && tried.inputFailure === undefined;
  const [input, attempts] = hasInput ? [await tried.wholeInput(), tried.attempts] : [undefined, 0];
  return Object.freeze({ node: owner.node(index).key, input, error: located, attempts });
}

/** Ends a task with its failure as its output. */
export function endWithFailure(task: Task, failure: NodeFailure, isStream: boolean): void {
  task.failure = failure;
  task.targets = undefined;
  task.isOver = true;
  task.output = isStream ? oneChunk(failure, undefined) : failure;
}
