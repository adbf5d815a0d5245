declare const takes: unique symbol;
declare const gives: unique symbol;
declare const owns: unique symbol;

/** Where an edge may start: a node made with `graph.node(…)`, or `graph.start`. */
export interface SourceRef<out Out> {
  readonly key: string;
  readonly [gives]: () => Out;
}

/** Where an edge may end: a node made with `graph.node(…)`, a part of one, or `graph.end`. */
export interface TargetRef<in In> {
  readonly key: string;
  readonly [takes]: (input: In) => void;
}

/** A target that also takes parts of its input: `connect(from, join.part)`. */
export interface PartsRef<in In> extends TargetRef<In> {
  /** A target for some fields of the input; other edges provide the rest. Missing fields are found only at run time. */
  readonly part: TargetRef<Partial<In>>;
}

/** A handle of a node, which carries its types. */
export interface NodeRef<in In, out Out, out Own = In> extends SourceRef<Out>, PartsRef<In> {
  readonly [owns]: () => Own;
}
