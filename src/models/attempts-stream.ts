import type { ModelContext } from "../components/model.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import type { ChunkSource } from "../schema/stream/source.js";
import { notAnAnswer } from "./errors.js";
import {
  abortStateOf,
  type CallOfAttempts,
  failureOf,
  type Messages,
  type ModelAttempt,
  type ModelAttempts,
} from "./model-attempts.js";
import { type Passed, PassingSource } from "./passing-source.js";

type Result = IteratorResult<AgenticMessage, undefined>;

/** The answer of the first attempt that succeeds, as a stream. */
export class AttemptsStream extends PassingSource<AgenticMessage> {
  readonly #attempts: ModelAttempts;
  readonly #messages: Messages;
  readonly #ctx: ModelContext;
  readonly #call: CallOfAttempts | undefined;
  #attempt: ModelAttempt;
  #hasContent = false;
  #hasEnded = false;
  /** The chunks of this attempt before its first content. */
  #held: AgenticMessage[] = [];
  /** Chunks to return next. */
  #ready: AgenticMessage[] = [];

  constructor(attempts: ModelAttempts, messages: Messages, ctx: ModelContext, call: CallOfAttempts | undefined) {
    super();
    this.#attempts = attempts;
    this.#attempt = attempts.first;
    this.#messages = messages;
    this.#ctx = ctx;
    this.#call = call;
  }

  protected override ready(): Result | undefined {
    const value = this.#ready.shift();
    if (value !== undefined) return { done: false, value };
    if (!this.#hasEnded) return undefined;
    this.finish();
    return { done: true, value: undefined };
  }

  protected override passed(result: Result): Passed<AgenticMessage> {
    if (!this.isOpen) return this.closed();
    if (result.done === true) {
      this.#hasEnded = true;
      const value = this.#release();
      if (value !== undefined) return { done: false, value };
      this.finish();
      return result;
    }
    if (!isAgenticMessage(result.value)) return this.#refused(result.value);
    if (this.#hasContent) return result;
    if (result.value.contentBlocks.length > 0) {
      this.#hasContent = true;
      if (this.#held.length === 0) return result;
      this.#held.push(result.value);
      return { done: false, value: this.#release() ?? result.value };
    }
    this.#held.push(result.value);
    return undefined;
  }

  /** Continues with the next attempt, which voids what was read so far. */
  protected override async failed(error: unknown): Promise<Result | undefined> {
    try {
      this.checkOpen();
      const failure = failureOf(error, this.#ctx);
      const isSeen = this.#hasContent;
      if (isSeen && this.#attempts.afterContent === "throw") throw this.#attempts.ending(failure);
      this.#attempt = await this.#attempts.next(failure);
      this.checkOpen();
      this.#held = [];
      this.#hasContent = false;
      this.goOn(this.#open(this.#attempt));
      return isSeen ? { done: false, value: restarts[this.#attempts.kind] } : undefined;
    } catch (thrown) {
      this.finish();
      throw thrown;
    }
  }

  protected override open(): ChunkSource<AgenticMessage> {
    return this.#open(this.#attempt);
  }

  /** A chunk of a custom model that is not a message ends its attempt. */
  #refused(given: unknown): Promise<Result | undefined> {
    const error = notAnAnswer(this.#attempt.model.type, given);
    this.stop(error);
    return this.failed(error);
  }

  /** Releases the held chunks: returns the first one, and queues the others. */
  #release(): AgenticMessage | undefined {
    const [first, ...others] = this.#held;
    this.#held = [];
    this.#ready = others;
    return first;
  }

  #open({ model, key }: ModelAttempt): ChunkSource<AgenticMessage> {
    abortStateOf(this.#ctx).throwIfAborted();
    return model.stream(this.#messages, this.#ctx, key, this.#call).takeSource() as ChunkSource<AgenticMessage>;
  }
}

/** The chunks that void what was streamed, by reason. */
const restarts = { retry: restartChunk(), fallback: restartChunk() };

function restartChunk(): AgenticMessage {
  return Object.freeze({ role: "assistant", contentBlocks: Object.freeze([]), restart: true });
}

/** Why an answer restarts. Restart chunks of custom models count as a retry. */
export function restartReasonOf(chunk: AgenticMessage): keyof typeof restarts {
  return chunk === restarts.fallback ? "fallback" : "retry";
}
