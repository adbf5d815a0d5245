import type { SameAsInput } from "./node-shape.js";

/**
 * The paths of a graph's nodes: keys joined by `/`. If the compiler does not know the keys (of an untyped graph, or with computed keys), any string
 * is accepted, and checked when the run starts.
 */
export type NodePaths<Inner> = [keyof Inner] extends [never] ? string : PathsIn<Inner>;

/** @internal */
type PathsIn<Inner> = { [Key in keyof Inner & string]: Key | PathsBelow<Inner[Key], Key> }[keyof Inner & string];

type PathsBelow<Shape, Key extends string> = Shape extends { readonly inner: infer Inner }
  ? [Inner] extends [undefined | SameAsInput]
    ? never
    : `${Key}/${NodePaths<Inner>}`
  : never;
