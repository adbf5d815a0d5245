import { invalidRunOption } from "./errors.js";
import { execute, executeFrom } from "./execute.js";
import type { RunNested } from "./program.js";
import { Run } from "./run.js";

/** Runs a graph that is a node of another: same address, same handlers, its own steps, mode and state. */
export const runNested: RunNested = (program, mode) => (input, ctx) => {
  const { owner } = ctx;
  if (!(owner instanceof Run)) throw invalidRunOption("A nested graph runs inside a run of this library only.");
  const places = owner.places?.inside.get(owner.node(ctx.index).key);
  const former = ctx.openedVisit?.savedInner("");
  const run = new Run(program, mode, { place: ctx, nested: true }, undefined, owner.overrides, places);
  return former === undefined ? execute(run, input) : executeFrom(run, former, input);
};
