import type { AgenticModel, ModelOptions } from "../components/model.js";
import { streamConsumed } from "../schema/errors.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { GatheredAnswer } from "./model-answer.js";

/** The request to a model in one step. */
export interface ModelRequest {
  /** The model that is asked. */
  readonly model: AgenticModel;
  /** The instructions, as messages. */
  readonly instructions: readonly AgenticMessage[];
  /** The conversation, as the model sees it. */
  readonly messages: readonly AgenticMessage[];
  /** With `tools`, `toolChoice` and `responseFormat`. */
  readonly options: ModelOptions & Readonly<Record<string, unknown>>;
}

/**
 * The answer of a model: its chunks, or the whole of it. The model is asked at the first of the two, once: after the chunks were
 * read, `message()` is what they make, and so is what is read again. A reply that was left half read fails with `STREAM_CONSUMED`.
 *
 * @example
 * const logged = createMiddleware({
 *   name: "logged",
 *   async wrapModelCall(request, next) {
 *     const message = await next(request).message();
 *     console.log(textOf(message));
 *     return message;
 *   },
 * });
 */
export class ModelReply implements AsyncIterable<AgenticMessage> {
  readonly #open: () => StreamSource<AgenticMessage>;
  readonly #whole: () => Promise<AgenticMessage>;
  #message: Promise<AgenticMessage> | undefined;
  #isRead = false;

  constructor(open: () => StreamSource<AgenticMessage>, whole: () => Promise<AgenticMessage>) {
    this.#open = open;
    this.#whole = whole;
  }

  /** The whole answer; asked for again, the same one. */
  message(): Promise<AgenticMessage> {
    this.#message ??= this.#isRead ? Promise.reject(streamConsumed()) : this.#whole();
    return this.#message;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgenticMessage, undefined> {
    if (this.#isRead || this.#message !== undefined) return this.#again();
    this.#isRead = true;
    return this.#chunks();
  }

  async *#chunks(): AsyncGenerator<AgenticMessage, undefined> {
    const seen = new GatheredAnswer();
    for await (const chunk of StreamReader.from(this.#open())) {
      seen.add(chunk);
      yield chunk;
    }
    this.#message = Promise.resolve(seen.message());
    return undefined;
  }

  async *#again(): AsyncGenerator<AgenticMessage, undefined> {
    yield await this.message();
    return undefined;
  }
}
