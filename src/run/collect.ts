import { StreamReader } from "../schema/stream/reader.js";
import { isStream } from "./async.js";
import { toReader } from "./joining.js";
import { joiningOf } from "./program.js";
import type { Task } from "./task.js";

/** Reads what a node streams to its end: in a run on values the rest of the graph gets the whole. */
export function collect(output: unknown, task: Task): Promise<unknown> {
  return toReader(output, joiningOf(task.owner.node(task.index), task.runtime), undefined, task).concat();
}

/** A node gave this too late: nobody will read it. */
export function discard(output: unknown): void {
  if (!isStream(output)) return;
  try {
    void StreamReader.from(output).cancel();
  } catch {
    // a web stream that somebody else reads is theirs
  }
}
