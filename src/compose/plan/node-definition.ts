import type { ComponentKind } from "../../callbacks/run-info.js";
import type { ConcatRule } from "../../schema/concat/rule.js";
import type { NodeBody } from "./plan.js";

/** Where a Runnable or a builder of this library keeps what it is as a node. */
export const nodeDefinition: unique symbol = Symbol.for("kumiko/node") as never;

/** What something is as a node: the part of a plan's node that does not depend on where it stands. */
export interface NodeDefinition {
  readonly component: ComponentKind | "passthrough";
  readonly type: string;
  readonly body: NodeBody;
  /** The kind whose call options it takes, where that is not its own: a function that calls a model takes those of models. */
  readonly takes?: ComponentKind | undefined;
  readonly concat?: ConcatRule | undefined;
}

/**
 * Knows what it is as a node. For a builder this is a getter that makes the plan: its parent reads it at `compile()`, and
 * later changes of the builder do not matter to the parent any more.
 */
export interface HasNodeDefinition {
  readonly [nodeDefinition]: NodeDefinition;
}

export function hasNodeDefinition(value: object): value is HasNodeDefinition {
  return nodeDefinition in value;
}
