import type { StreamSource } from "../../schema/stream/source.js";

declare const noChunks: unique symbol;

/** Stands for the chunk type of a node that does not stream. @internal */
export interface NoChunks {
  readonly [noChunks]: true;
}

/**
 * The output value of a node. For a node that streams, it is the type of its chunks joined by `concat`; `Out` is then inferred as the
 * stream itself.
 *
 * @internal
 */
export type ValueOf<Out, Chunk, Concat> = 0 extends 1 & Chunk
  ? Chunk
  : [Chunk] extends [never]
    ? Exclude<Out, StreamSource<unknown>>
    : [Chunk] extends [NoChunks]
      ? Out
      : Exclude<Out, StreamSource<unknown>> | JoinedBy<Chunk, Concat>;

/** The same for a function in a record of nodes. */
export type ValueOfEntry<Node, Out, Concat> = Node extends (input: never, ctx: never) => StreamSource<infer Chunk>
  ? JoinedBy<Chunk, Concat>
  : Out;

/** The type of joined chunks. @internal */
export type JoinedBy<Chunk, Concat> = [Concat] extends ["list"]
  ? ItemOf<Chunk>[]
  : [Concat] extends ["text"]
    ? string
    : [Concat] extends [(chunks: never) => infer Value]
      ? Value
      : Chunk;

/** Chunks that are arrays are flattened into one. */
type ItemOf<Chunk> = Chunk extends readonly (infer Item)[] ? Item : Chunk;
