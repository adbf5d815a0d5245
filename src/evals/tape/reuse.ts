import { Context } from "../../run/context.js";

/** How often the runs of a process got an answer of a tape again. */
const counts = new WeakMap<object, number>();

/** Notes that a call of this run got an answer again. */
export function noteReuse(ctx: unknown): void {
  if (!(ctx instanceof Context)) return;
  const { root } = ctx.environment;
  counts.set(root, (counts.get(root) ?? 0) + 1);
}

/** How often calls of this run got an answer again. */
export function reusedIn(ctx: unknown): number {
  return ctx instanceof Context ? (counts.get(ctx.environment.root) ?? 0) : 0;
}
