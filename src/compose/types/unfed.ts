import type { InAt, OutAt } from "./edge-check.js";
import type { Lacks } from "./fit.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { PartsAt } from "./shape.js";
import type { ToIntersection } from "./type-name.js";

type UnfedAt<In, Given, Key extends string> = [Given] extends [never]
  ? `"${Key}" has no incoming edge`
  : [Lacks<ToIntersection<Given>, In>] extends [never]
    ? never
    : `"${Key}" never gets "${Lacks<ToIntersection<Given>, In>}"`;

/** The missing inputs of nodes that do not get their input as a whole. */
type Unfed<I, O, Nodes, Fed, Key> = Key extends string
  ? UnfedAt<InAt<O, Nodes, Key>, OutOf<I, Nodes, Fed, PartsAt<Fed, Key>>, Key>
  : never;

type OutOf<I, Nodes, Fed, From> = From extends unknown ? OutAt<I, Nodes, Fed, From> : never;

/**
 * `Then` if every node and END have their input, otherwise an error that names what is missing. A graph that was built with
 * statements or computed keys cannot be checked.
 *
 * @internal
 */
export type Proof<I, O, Nodes, Fed, Keys extends string, Then> = string extends Keys
  ? Then
  : [Keys | Fed] extends [never]
    ? Then
    : [Exclude<Keys | "end", Fed>] extends [never]
      ? Then
      : [Unfed<I, O, Nodes, Fed, Exclude<Keys | "end", Fed>>] extends [never]
        ? Then
        : GraphTypeError<Unfed<I, O, Nodes, Fed, Exclude<Keys | "end", Fed>>>;
