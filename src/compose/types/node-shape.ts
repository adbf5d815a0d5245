/** The type-level record of a node: its input, output, inner nodes and call options. */
export interface NodeShape<In, Out, Inner = undefined, Options = object, Own = In> {
  /** The node's input. */
  readonly in: In;
  /** The node's output. */
  readonly out: Out;
  /** The nodes inside it; `undefined` if it is not a graph. */
  readonly inner: Inner;
  /** Its call options. */
  readonly options: Options;
  /** The input after the input key is applied. */
  readonly own: Own;
}

/** A value under an input or output key, if there is one. @internal */
export type Keyed<Value, Key> = [Key] extends [string] ? Readonly<Record<Key, Value>> : Value;

declare const innerNodes: unique symbol;

/** Carries the types of inner nodes, for the paths in run options. Exists in types only. */
export interface HasInner<out Inner> {
  readonly [innerNodes]?: Inner | undefined;
}

/** Stands for the inner nodes of a node whose output is its input. @internal */
export type SameAsInput = "same as input";
