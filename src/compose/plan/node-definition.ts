import type { ComponentKind } from "../../callbacks/component-kind.js";
import type { ConcatRule } from "../../schema/concat/rule.js";
import type { DescribeNode, NodeBody } from "./plan.js";

/** The key of the node definition of a Runnable or builder of this library. */
export const nodeDefinition: unique symbol = Symbol.for("kumiko/node") as never;

/** The part of a plan's node that does not depend on its position in a graph. @internal */
export interface NodeDefinition {
  readonly component: ComponentKind | "passthrough";
  readonly type: string;
  readonly body: NodeBody;
  /** The kind whose call options it takes, if it is not its own: a function that calls a model takes those of models. */
  readonly takes?: ComponentKind | undefined;
  readonly concat?: ConcatRule | undefined;
  /** What the description of its graph says of it beside these fields. */
  readonly describe?: DescribeNode | undefined;
}

/**
 * Has a node definition. For a builder it is a getter that makes the plan: the parent reads it at `compile()`, so later changes of
 * the builder do not affect the parent.
 *
 * @internal
 */
export interface HasNodeDefinition {
  readonly [nodeDefinition]: NodeDefinition;
}

export function hasNodeDefinition(value: object): value is HasNodeDefinition {
  return nodeDefinition in value;
}
