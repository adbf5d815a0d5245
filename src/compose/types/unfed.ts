import type { InAt } from "./edge-check.js";
import type { Lacks } from "./fit.js";
import type { GraphTypeError } from "./graph-type-error.js";

type UnfedAt<In, Given, Key extends string> = [Given] extends [In]
  ? never
  : [Lacks<Given, In>] extends [never]
    ? never
    : `"${Key}" never gets "${Lacks<Given, In>}"`;

/** By key what is missing. Where it is used it is indexed: an alias of the union would be printed instead of its sentences. */
type Unfed<O, Nodes, Fed, Key extends string> = {
  [K in Key]: K extends keyof Fed ? UnfedAt<InAt<O, Nodes, K>, Fed[K], K> : `"${K}" has no incoming edge`;
};

/**
 * What compiling gives when every node and END are fed, and otherwise an error that names what is missing. Of a graph
 * that was built in statements, with handles, or with computed keys the compiler knows nothing.
 */
export type Proof<O, Nodes, Fed, Keys extends string, Then> = string extends Keys
  ? Then
  : [Keys | keyof Fed] extends [never]
    ? Then
    : [Unfed<O, Nodes, Fed, Keys | "end">[Keys | "end"]] extends [never]
      ? Then
      : GraphTypeError<Unfed<O, Nodes, Fed, Keys | "end">[Keys | "end"]>;
