import type { StreamReader } from "../schema/stream/reader.js";
import type { Mode } from "./body.js";
import type { Readiness } from "./readiness.js";
import type { Task } from "./task.js";

/** Delivers the output of a node of a graph: the value, or to each target a copy of the stream. */
export function deliverToAll(readiness: Readiness, mode: Mode, task: Task, targets: readonly number[]): void {
  if (mode !== "transform") {
    for (const target of targets) readiness.deliver(target, task, true);
    return;
  }
  const reader = task.output as StreamReader<unknown>;
  const copies = targets.length === 1 ? [reader] : reader.copy(targets.length);
  for (const [n, value] of copies.entries()) readiness.deliver(targets[n] as number, { source: task, value }, true);
}

/** Removes indexes from an ascending list, each as often as it is taken. */
export function without(all: readonly number[], taken: readonly number[]): number[] {
  let n = 0;
  return all.filter((index) => {
    if (taken[n] !== index) return true;
    n++;
    return false;
  });
}
