import { invalidStreamOption } from "../errors.js";
import { PipeSource } from "./pipe-source.js";
import { StreamReader } from "./reader.js";
import { isSize } from "./size.js";

/** Options of {@link pipe}. */
export interface PipeOptions {
  /** How many chunks are buffered before `write` waits for the reader. @default 16 */
  readonly capacity?: number | undefined;
}

/** The writing end of a pipe. Its methods may be destructured. */
export interface StreamWriter<in T> {
  /**
   * Resolves to true once there is room for the chunk, or to false when the reader is gone and nothing more need be written.
   * Rejects after `close` or `fail`.
   */
  readonly write: (chunk: T) => Promise<boolean>;
  /** Ends the stream after the written chunks. Closing twice is harmless. */
  readonly close: () => void;
  /** Ends the stream with an error after the written chunks. */
  readonly fail: (error: unknown) => void;
}

/** Both ends of a pipe. */
export interface Pipe<T> {
  /** The end that is read. */
  readonly reader: StreamReader<T>;
  /** The end that is written. */
  readonly writer: StreamWriter<T>;
}

/**
 * Creates a stream and a writer for it. Await each `write` for back-pressure.
 *
 * @example
 * const { reader, writer } = pipe<string>({ capacity: 4 });
 * void (async () => {
 *   for (const word of ["to", "be"]) if (!(await writer.write(word))) return;
 *   writer.close();
 * })();
 * for await (const word of reader) console.log(word);
 */
export function pipe<T>({ capacity = 16 }: PipeOptions = {}): Pipe<T> {
  if (!isSize(capacity)) throw invalidStreamOption("The capacity of pipe({ capacity })", capacity);
  const source = new PipeSource<T>(capacity);
  return {
    reader: new StreamReader(source),
    writer: {
      write: (chunk) => source.write(chunk),
      close: () => source.close(),
      fail: (error) => source.close({ error }),
    },
  };
}
