import type { NodeFailure } from "../../components/policies.js";

/** The failure that the error branch of a node gets. @internal */
export type FailureAt<Nodes, Key> = [Key] extends [keyof Nodes]
  ? Nodes[Key] extends { readonly own: infer Own }
    ? NodeFailure<Own>
    : never
  : never;

/** The result of an error branch's choosing function: one of its targets, or `undefined` to fail the run. @internal */
export type ErrorChoice<Target> = Target | undefined | Promise<Target | undefined>;
