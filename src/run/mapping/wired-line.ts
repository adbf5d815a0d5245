import { END_INDEX, START_INDEX } from "../../compose/plan/plan.js";
import type { Route } from "../routes.js";

/**
 * By node of a workflow: the next one, if its nodes form a line, in which each has to wait for the one before it and END for the
 * last. `undefined` for any other workflow, and with branches.
 */
export function wiredLine(routes: readonly Route[], sourceCounts: readonly number[]): readonly number[] | undefined {
  if (routes.some(({ branches, failure }) => branches.length > 0 || failure !== undefined)) return undefined;
  const open = [...sourceCounts];
  const next = new Array<number>(routes.length).fill(END_INDEX);
  let last = START_INDEX;
  for (let passed = 1; passed < routes.length; passed++) {
    const ready = (routes[last]?.all ?? []).filter((target) => {
      open[target] = (open[target] ?? 0) - 1;
      return open[target] === 0;
    });
    const [only] = ready;
    if (only === undefined || ready.length > 1) return undefined;
    next[last] = only;
    last = only;
  }
  return last === END_INDEX ? next : undefined;
}
