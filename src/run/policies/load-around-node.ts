import type { NodeFunction } from "../../compose/plan/plan.js";
import { OnDemand } from "../../schema/on-demand.js";
import type { Body, Natives } from "../body.js";
import type { NodeAround } from "./around-node.js";

const part = new OnDemand(async () => (await import("./around-node.js")).aroundNode);

/**
 * The functions of a node with its policies around them. What policies do is loaded when the first node that has some runs: a
 * program without them does not carry it.
 */
export function withPolicies(natives: Natives, takesStream: boolean, around: NodeAround): Natives {
  let made: Natives | undefined;
  const mode = (name: "invoke" | "stream" | "transform"): NodeFunction => {
    const call = (input: unknown, task: never): unknown => {
      made ??= part.part?.(natives, around);
      return made === undefined ? part.load().then(() => call(input, task)) : (made[name] as Body)(input, task);
    };
    return call;
  };
  return { invoke: mode("invoke"), [takesStream ? "transform" : "stream"]: mode(takesStream ? "transform" : "stream") };
}

const holding = new OnDemand(async () => (await import("./held-back.js")).heldBack);

/** The same, with its stream held back until it is whole. */
export function heldBack(body: Body): Body {
  return (input, task) =>
    holding.part === undefined
      ? holding.load().then((hold) => hold(body, input, task))
      : holding.part(body, input, task);
}
