import type { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { RunOptions } from "./options.js";

/**
 * Anything that runs in four modes: value or stream in, value or stream out. Graphs, chains, lambdas and tools nodes are
 * Runnables, and every Runnable can be a node.
 *
 * `stream` and `transform` return the reader at once; the run starts at its first read.
 *
 * @example
 * const shout: Runnable<string, string> = lambda({ invoke: (text: string) => text.toUpperCase() });
 * await shout.invoke("hello");
 * for await (const chunk of shout.stream("hello")) console.log(chunk);
 */
export interface Runnable<in I, out O> {
  /** Value in, value out. */
  readonly invoke: (input: I, options?: RunOptions) => Promise<O>;
  /** Value in, stream out. */
  readonly stream: (input: I, options?: RunOptions) => StreamReader<O>;
  /** Stream in, value out. */
  readonly collect: (input: StreamSource<I>, options?: RunOptions) => Promise<O>;
  /** Stream in, stream out. */
  readonly transform: (input: StreamSource<I>, options?: RunOptions) => StreamReader<O>;
}

/** Any Runnable. Inputs are contravariant, so `never` accepts all of them. */
export type AnyRunnable = Runnable<never, unknown>;
/** The input type of a Runnable. */
export type InputOf<R> = R extends Runnable<infer I, unknown> ? I : never;
/** The output type of a Runnable. */
export type OutputOf<R> = R extends Runnable<never, infer O> ? O : never;
