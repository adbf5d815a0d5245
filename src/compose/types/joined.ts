import type { StreamSource } from "../../schema/stream/source.js";

declare const noChunks: unique symbol;

/** In place of the chunks of a node that gives values. */
export interface NoChunks {
  readonly [noChunks]: true;
}

/**
 * What the next node gets as a value: what a node gives, or for one that streams its chunks, joined as `concat` says. `Out` is
 * inferred as the stream itself then.
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

/** Chunks as one value. */
export type JoinedBy<Chunk, Concat> = [Concat] extends ["list"]
  ? ItemOf<Chunk>[]
  : [Concat] extends ["text"]
    ? string
    : [Concat] extends [(chunks: never) => infer Value]
      ? Value
      : Chunk;

/** Chunks that are lists are flattened into one. */
type ItemOf<Chunk> = Chunk extends readonly (infer Item)[] ? Item : Chunk;
