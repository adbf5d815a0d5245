import { toReader } from "./node-stream.js";
import { joiningsOf } from "./program.js";
import type { TaskContext } from "./task-context.js";

/** Reads what a node streams to its end: in a run on values the rest of the graph gets the whole. */
export function collect(output: unknown, ctx: TaskContext): Promise<unknown> {
  const { own } = joiningsOf(ctx.owner.node(ctx.index), ctx.runtime);
  return toReader(output, own, undefined, ctx).concat();
}
