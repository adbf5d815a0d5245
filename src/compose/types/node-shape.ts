/** What a builder knows of a node: what goes in, what comes out, the nodes inside it, and its call options. */
export interface NodeShape<In, Out, Inner = undefined, Options = object, Own = In> {
  readonly in: In;
  readonly out: Out;
  readonly inner: Inner;
  readonly options: Options;
  /** What goes in behind the input key. */
  readonly own: Own;
}

/** A value behind an input or output key. */
export type Keyed<Value, Key> = [Key] extends [string] ? Readonly<Record<Key, Value>> : Value;

declare const innerNodes: unique symbol;

/** Carries the types of the nodes inside, for the paths of run options. */
export interface HasInner<out Inner> {
  readonly [innerNodes]?: Inner | undefined;
}

/** In place of inner nodes: the output of this node is what flows into it. */
export type SameAsInput = "same as input";
