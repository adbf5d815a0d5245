/** What a builder knows of a node: what goes in, what comes out, and the nodes inside it. */
export interface NodeShape<In, Out, Inner = undefined> {
  readonly in: In;
  readonly out: Out;
  readonly inner: Inner;
}

/** No nodes, no keys: the empty record. */
export type None = Record<never, never>;

/** A value behind an input or output key. */
export type Keyed<Value, Key> = [Key] extends [string] ? Readonly<Record<Key, Value>> : Value;

declare const innerNodes: unique symbol;

/** Carries the types of the nodes inside, for the paths of run options. */
export interface HasInner<out Inner> {
  readonly [innerNodes]?: Inner | undefined;
}

declare const sameAsInput: unique symbol;

/** In place of inner nodes: the output of this node is what flows into it. */
export interface SameAsInput {
  readonly [sameAsInput]: true;
}

/** What flows into a node that takes anything, kept for a passthrough: that is what flows out of it. */
export interface Flow<out Value> {
  readonly flow: Value;
}
