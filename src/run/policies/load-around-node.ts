import type { NodeFunction } from "../../compose/plan/plan.js";
import { OnDemand } from "../../schema/on-demand.js";
import type { Body, Natives } from "../body.js";
import type { Task } from "../task.js";
import type { NodeAround } from "./around-node.js";

const part = new OnDemand(async () => (await import("./around-node.js")).aroundNode);

/**
 * Wraps the functions of a node in its policies. Their code is loaded when the first node with policies runs, so that programs
 * without any do not carry it.
 */
export function withPolicies(natives: Natives, takesStream: boolean, around: NodeAround): Natives {
  let made: Natives | undefined;
  const mode = (name: "invoke" | "stream" | "transform"): NodeFunction => {
    const call = (input: unknown, task: never): unknown => {
      made ??= part.part?.(natives, around);
      if (made !== undefined) return (made[name] as Body)(input, task);
      return part.load().then(() => goOn(task, () => call(input, task)));
    };
    return call;
  };
  return { invoke: mode("invoke"), [takesStream ? "transform" : "stream"]: mode(takesStream ? "transform" : "stream") };
}

const holding = new OnDemand(async () => (await import("./held-back.js")).heldBack);

/** Wraps a body so that its stream is held back until it is complete. Loaded on first use as well. */
export function loadHeldBack(body: Body): Body {
  return (input, task) =>
    holding.part === undefined
      ? holding.load().then((hold) => goOn(task, () => hold(body, input, task)))
      : holding.part(body, input, task);
}

/** The run may have been aborted while the code was loaded: then nothing starts. */
function goOn(task: Task, start: () => unknown): unknown {
  task.scope.throwIfAborted();
  return start();
}
