import type { InAt } from "./edge-check.js";
import type { Lacks } from "./fit.js";
import type { GraphTypeError } from "./graph-type-error.js";

type UnfedAt<In, Given, Key extends string> = [Given] extends [In]
  ? never
  : [Lacks<Given, In>] extends [never]
    ? never
    : `"${Key}" never gets "${Lacks<Given, In>}"`;

/** What is missing, by key. It is indexed where it is used, because the compiler would print an alias instead of its sentences. */
type Unfed<O, Nodes, Fed, Key extends string> = {
  [K in Key]: K extends keyof Fed ? UnfedAt<InAt<O, Nodes, K>, Fed[K], K> : `"${K}" has no incoming edge`;
};

/**
 * `Then` if every node and END have their input, otherwise an error that names what is missing. A graph that was built with
 * statements, handles or computed keys cannot be checked.
 */
export type Proof<O, Nodes, Fed, Keys extends string, Then> = string extends Keys
  ? Then
  : [Keys | keyof Fed] extends [never]
    ? Then
    : [Unfed<O, Nodes, Fed, Keys | "end">[Keys | "end"]] extends [never]
      ? Then
      : GraphTypeError<Unfed<O, Nodes, Fed, Keys | "end">[Keys | "end"]>;
