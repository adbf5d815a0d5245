import type { NodeContext } from "../../components/context.js";
import type { NodeFailure } from "../../components/policies.js";
import type { NodeRef, PartsRef } from "./node-ref.js";

/** The failure that the error branch of a node gets. */
export type FailureAt<Nodes, Key> = [Key] extends [keyof Nodes]
  ? Nodes[Key] extends { readonly own: infer Own }
    ? NodeFailure<Own>
    : never
  : never;

/** What the choosing function of an error branch may return: one of its targets, or `undefined` to fail the run. */
export type ErrorChoice<Target> = Target | undefined | Promise<Target | undefined>;

/** `addErrorBranch` with handles. */
export type ErrorBranchOfHandles<State, Self> = <Own, const Target extends PartsRef<NodeFailure<NoInfer<Own>>>>(
  from: NodeRef<never, unknown, Own>,
  targets: readonly Target[],
  choose: (failure: NodeFailure<NoInfer<Own>>, ctx: NodeContext<State>) => ErrorChoice<NoInfer<Target>>,
) => Self;
