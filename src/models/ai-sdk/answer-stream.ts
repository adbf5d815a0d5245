import { KumikoError } from "../../errors.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { SerialSource } from "../../schema/stream/serial-source.js";
import { noAnswer, streamCut } from "../errors.js";
import { isBrokenConnection } from "../is-retryable-model-error.js";
import { type AnswerReader, chunkOf } from "./answer-reader.js";

export interface StreamedCall {
  /** `provider/model`, for errors. */
  readonly model: string;
  readonly reader: AnswerReader;
  /** Sends the request. The signal is aborted when the stream is cancelled. */
  readonly open: (stop: { readonly signal: AbortSignal }) => PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
  /** The caller's signal. */
  readonly signal: AbortSignal;
}

type Parts = ReadableStreamDefaultReader<unknown>;
type Part = ReadableStreamReadResult<unknown>;
type Result = IteratorResult<AgenticMessage, undefined>;

/** The streamed answer of a provider. The request is sent on the first read, and aborted when the reader cancels. */
export class ProviderAnswerStream extends SerialSource<AgenticMessage> {
  readonly #call: StreamedCall;
  /** Created when the provider reads the signal. */
  #connection: AbortController | undefined;
  #left: { readonly reason: unknown } | undefined;
  readonly #stopByCaller = (): void => this.#leave(this.#call.signal.reason);
  #parts: Parts | undefined;
  /** Unread chunks of the last part. */
  #ready: AgenticMessage[] = [];
  #hasEnded = false;

  constructor(call: StreamedCall) {
    super();
    this.#call = call;
  }

  /** The signal that aborts the request. */
  get signal(): AbortSignal {
    if (this.#connection === undefined) {
      this.#connection = new AbortController();
      if (this.#left !== undefined) this.#connection.abort(this.#left.reason);
    }
    return this.#connection.signal;
  }

  /** The hot path, taken for every token of an answer: one promise per part, and no async function. */
  protected override pull(): Promise<Result> {
    if (this.#parts === undefined || this.#ready.length > 0 || this.#hasEnded) return this.#pullOn();
    return this.#parts.read().then(this.#onPart, this.#onError);
  }

  /** The slow path: opens and ends the stream, and skips parts without chunks. */
  async #pullOn(): Promise<Result> {
    try {
      let value = this.#ready.shift();
      while (value === undefined && !this.#hasEnded) {
        this.#parts ??= await this.#open();
        value = this.#take(await this.#parts.read());
      }
      if (value !== undefined) {
        this.settle();
        return { done: false, value };
      }
    } catch (error) {
      return this.#fail(error);
    }
    this.finish();
    this.#call.signal.removeEventListener("abort", this.#stopByCaller);
    return { done: true, value: undefined };
  }

  readonly #onPart = (part: Part): Result | Promise<Result> => {
    let value: AgenticMessage | undefined;
    try {
      value = this.#take(part);
    } catch (error) {
      return this.#fail(error);
    }
    if (value === undefined) return this.#pullOn();
    this.settle();
    return { done: false, value };
  };

  readonly #onError = (error: unknown): never => this.#fail(error);

  /** Returns the first chunk of a part, if any, and keeps the others for the next reads. */
  #take({ done, value: part }: Part): AgenticMessage | undefined {
    const { reader, signal } = this.#call;
    this.checkOpen();
    if (signal.aborted) throw signal.reason;
    this.#hasEnded = done;
    if (done) {
      this.#ready = reader.readEnd();
      return this.#ready.shift();
    }
    const blocks = reader.readPart(part);
    if (blocks.length > 1) this.#ready = blocks.slice(1).map(chunkOf);
    return blocks[0] && chunkOf(blocks[0]);
  }

  #fail(error: unknown): never {
    const { signal } = this.#call;
    this.finish();
    this.#leave(error);
    throw signal.aborted ? signal.reason : this.#explained(error);
  }

  protected override stop(reason: unknown): void {
    this.#leave(reason);
  }

  async #open(): Promise<Parts> {
    const { signal, open, model } = this.#call;
    signal.throwIfAborted();
    signal.addEventListener("abort", this.#stopByCaller, { once: true });
    const answer: Partial<Awaited<ReturnType<typeof open>>> | undefined = await open(this);
    const { stream } = answer ?? {};
    if (typeof stream?.getReader !== "function") throw noAnswer(model, "doStream", answer);
    const parts = stream.getReader();
    if (this.#left !== undefined) parts.cancel(this.signal.reason).catch(ignore);
    return parts;
  }

  /** Wraps network errors that occur after the service began to answer: they mean that the stream was cut off. */
  #explained(error: unknown): unknown {
    const hasBegun = this.#parts !== undefined || hasAnswered(error);
    const isCut = hasBegun && !KumikoError.is(error) && isBrokenConnection(error);
    return isCut ? streamCut(this.#call.model, "the connection broke.", error) : error;
  }

  /** Aborts the request. A pending read ends immediately. */
  #leave(reason: unknown): void {
    this.#call.signal.removeEventListener("abort", this.#stopByCaller);
    this.#left ??= { reason };
    this.#connection?.abort(reason);
    this.#parts?.cancel(reason).catch(ignore);
  }
}

function ignore(): void {}

/** Whether the service had already answered: packages read the first part of a stream themselves, and add the status to errors. */
function hasAnswered(error: unknown): boolean {
  return typeof error === "object" && error !== null && "statusCode" in error && error.statusCode === 200;
}
