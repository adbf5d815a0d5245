import type { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { CompiledGraph } from "../compiled-graph.js";
import type { Answers, ResumeOptions, RunOptions } from "../options.js";
import type { Runnable } from "../runnable.js";
import type { NoChunks } from "./joined.js";
import type { NodePaths } from "./node-paths.js";
import type { Keyed } from "./node-shape.js";

/** A stream of chunks that are not what they become when they are joined. */
export type ChunkReader<Chunk, Value> = { concat(): Promise<Value> } & StreamReader<Chunk>;

/** A Runnable whose chunks have a type of their own. It comes first, so that calls see it; it is a Runnable all the same. */
export type ChunkedRunnable<I, O, Chunk> = {
  readonly stream: (input: I, options?: RunOptions) => ChunkReader<Chunk, O>;
  readonly transform: (input: StreamSource<I>, options?: RunOptions) => ChunkReader<Chunk, O>;
} & Runnable<I, O>;

/** What a graph or chain compiles to; `unknown` chunks are whole values. */
export type CompiledInChunks<I, O, Inner, Chunk> = unknown extends Chunk
  ? CompiledGraph<I, O, Inner>
  : {
      readonly stream: (input: I, options?: RunOptions<NodePaths<Inner>, Inner>) => ChunkReader<Chunk, O>;
      readonly transform: (
        input: StreamSource<I>,
        options?: RunOptions<NodePaths<Inner>, Inner>,
      ) => ChunkReader<Chunk, O>;
      readonly resumeStream: (
        checkpointId: string,
        answers?: Answers,
        options?: ResumeOptions<NodePaths<Inner>, Inner>,
      ) => ChunkReader<Chunk, O>;
    } & CompiledGraph<I, O, Inner>;

/** The chunks behind a step, where they are not values: those of a node whose `concat` makes something else of them. */
export type ChunkBehind<Chunk, Concat, OutputKey> = [Concat] extends [undefined]
  ? unknown
  : [Chunk] extends [NoChunks]
    ? unknown
    : Keyed<Chunk, OutputKey>;

/** A chunk of a record that the library makes has some of its fields. */
export type PartOf<Outs> = { readonly [Key in keyof Outs]?: Outs[Key] | undefined };
