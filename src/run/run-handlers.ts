import type { Handler } from "../callbacks/handler.js";
import { Watchers } from "../callbacks/watchers.js";
import type { Plan } from "../compose/plan/plan.js";
import type { PlaceTree } from "./call-options.js";
import type { Context } from "./context.js";
import type { Program } from "./program.js";

/** The handlers of a run of its own, in order: what is around it, runtime, compile, run. */
export function watchersOfRun(
  { callbacks: compiled, runtime }: Plan,
  place: Context | undefined,
  given: readonly Handler[] = none,
): Watchers | undefined {
  const inherited = place?.watchers;
  const fromRuntime = place?.runtime === runtime ? none : runtime.callbacks;
  const isAll = fromRuntime.length + compiled.length === 0;
  const own = isAll ? given : [...fromRuntime, ...compiled, ...given];
  return inherited === undefined ? Watchers.of(own, runtime.onHandlerError) : inherited.with(own);
}

const none: readonly Handler[] = [];

/** Whether some place inside has handlers of its own, given for this run or when an inner graph was compiled. */
export function hasHandlers(places: PlaceTree | undefined, program: Program): boolean {
  return program.nestedHandlers || (places !== undefined && hasGiven(places));
}

function hasGiven({ callbacks, inside }: PlaceTree): boolean {
  if (callbacks !== undefined && callbacks.length > 0) return true;
  for (const inner of inside.values()) if (hasGiven(inner)) return true;
  return false;
}
