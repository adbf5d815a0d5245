import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { ReadableStreamSource } from "../../schema/stream/readable-stream.js";
import { SerialSource } from "../../schema/stream/serial-source.js";
import type { ChunkSource } from "../../schema/stream/source.js";
import { streamCut } from "../errors.js";
import { isBrokenConnection } from "../is-retryable-model-error.js";
import type { AnswerReader } from "./answer-reader.js";

export interface StreamedCall {
  /** `provider/model`, for errors. */
  readonly model: string;
  readonly reader: AnswerReader;
  /** Asks the provider. The signal is aborted when the stream is left. */
  readonly open: (signal: AbortSignal) => PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
  /** Stops the call from outside. */
  readonly signal: AbortSignal;
}

/** The answer of a provider, chunk by chunk. The provider is asked at the first read, and let go of as soon as nobody reads. */
export class AnswerStream extends SerialSource<AgenticMessage> {
  readonly #call: StreamedCall;
  readonly #connection = new AbortController();
  readonly #stopByCaller = (): void => this.#leave(this.#call.signal.reason);
  #parts: ChunkSource<unknown> | undefined;
  /** Chunks of the last part that are not read yet. */
  #ready: AgenticMessage[] = [];
  #hasEnded = false;

  constructor(call: StreamedCall) {
    super();
    this.#call = call;
  }

  protected override async pull(): Promise<IteratorResult<AgenticMessage, undefined>> {
    try {
      const value = this.#ready.shift() ?? (await this.#next());
      this.checkOpen();
      if (value !== undefined) {
        this.settle();
        return { done: false, value };
      }
    } catch (error) {
      this.finish();
      this.#leave(error);
      throw this.#call.signal.aborted ? this.#call.signal.reason : error;
    }
    this.finish();
    this.#call.signal.removeEventListener("abort", this.#stopByCaller);
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.#leave(reason);
  }

  async #next(): Promise<AgenticMessage | undefined> {
    if (this.#hasEnded) return undefined;
    this.#parts ??= await this.#open();
    const { reader, signal } = this.#call;
    for (;;) {
      const { done, value: part } = await this.#read(this.#parts);
      signal.throwIfAborted();
      this.#hasEnded = done === true;
      const [first, ...others] = this.#hasEnded ? reader.readEnd() : reader.readPart(part);
      this.#ready = others;
      if (first !== undefined || this.#hasEnded) return first;
    }
  }

  async #open(): Promise<ChunkSource<unknown>> {
    const { signal, open } = this.#call;
    signal.throwIfAborted();
    signal.addEventListener("abort", this.#stopByCaller, { once: true });
    try {
      const { stream } = await open(this.#connection.signal);
      const parts = new ReadableStreamSource(stream);
      if (this.#connection.signal.aborted) parts.cancel(this.#connection.signal.reason);
      return parts;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async #read(parts: ChunkSource<unknown>): Promise<IteratorResult<unknown, undefined>> {
    try {
      return await parts.next();
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** A connection that breaks once the service has begun to answer cuts the stream off. */
  #explained(error: unknown): unknown {
    const hasBegun = this.#parts !== undefined || hasAnswered(error);
    return hasBegun && isBrokenConnection(error) ? streamCut(this.#call.model, "the connection broke.", error) : error;
  }

  #leave(reason: unknown): void {
    this.#call.signal.removeEventListener("abort", this.#stopByCaller);
    this.#connection.abort(reason);
    this.#parts?.cancel(reason);
  }
}

/** Packages read the beginning of a stream before they give it on: their error then carries the status of the answer. */
function hasAnswered(error: unknown): boolean {
  return typeof error === "object" && error !== null && "statusCode" in error && error.statusCode === 200;
}
