import type { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { CompiledGraph } from "../compiled-graph.js";
import type { Answers, ResumeOptions, RunOptions } from "../options.js";
import type { Runnable } from "../runnable.js";
import type { NoChunks } from "./joined.js";
import type { NodePaths } from "./node-paths.js";
import type { Keyed, SameAsInput } from "./node-shape.js";

/** A stream whose chunks have another type than the joined value. */
export type ChunkReader<Chunk, Value> = { concat(): Promise<Value> } & StreamReader<Chunk>;

/** A Runnable whose chunks have another type than its output. The overloads come first, so that calls use them. @internal */
export type ChunkedRunnable<I, O, Chunk> = {
  readonly stream: (input: I, options?: RunOptions) => ChunkReader<Chunk, O>;
  readonly transform: (input: StreamSource<I>, options?: RunOptions) => ChunkReader<Chunk, O>;
} & Runnable<I, O>;

/**
 * The result of compiling a graph or chain. With `Chunk = unknown`, chunks have the type of the output. `Joined` is what they are
 * joined to: an output schema that transforms values does so for whole values only.
 *
 * @internal
 */
export type CompiledInChunks<I, O, Inner, Chunk, Joined = O> = unknown extends Chunk
  ? CompiledGraph<I, O, Inner>
  : {
      readonly stream: (input: I, options?: RunOptions<NodePaths<Inner>, Inner>) => ChunkReader<Chunk, Joined>;
      readonly transform: (
        input: StreamSource<I>,
        options?: RunOptions<NodePaths<Inner>, Inner>,
      ) => ChunkReader<Chunk, Joined>;
      readonly resumeStream: (
        checkpointId: string,
        answers?: Answers,
        options?: ResumeOptions<NodePaths<Inner>, Inner>,
      ) => ChunkReader<Chunk, Joined>;
    } & CompiledGraph<I, O, Inner>;

/** The type of chunks at the end: those of an output schema that transforms values have the type that it takes. @internal */
export type ChunkBefore<Chunk, O, Result> = unknown extends Chunk
  ? [O, Result] extends [Result, O]
    ? unknown
    : O
  : Chunk;

/** The type of the chunks after a step, if a node's `concat` joins them to another type; otherwise `unknown`. @internal */
export type ChunkBehind<Chunk, Concat, OutputKey, Before> = [Concat] extends [undefined]
  ? Keyed<Before, unknown extends Before ? undefined : OutputKey>
  : [Chunk] extends [NoChunks]
    ? unknown
    : Keyed<Chunk, OutputKey>;

/** The type of the chunks that a step passes on: those of the step before, if it is a passthrough of the whole value. @internal */
export type PassedChunk<Inner, InputKey, Chunk> = [Inner, InputKey] extends [SameAsInput, undefined] ? Chunk : unknown;

/** A chunk of a record that the library builds: some of its fields. @internal */
export type PartOf<Outs> = { readonly [Key in keyof Outs]?: Outs[Key] | undefined };
