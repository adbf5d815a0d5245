import type { AgenticModel, ModelOptions } from "../components/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";

/** What a model is asked in one step. */
export interface ModelRequest {
  readonly model: AgenticModel;
  readonly instructions: readonly AgenticMessage[];
  /** The conversation, as the model sees it. */
  readonly messages: readonly AgenticMessage[];
  /** With `tools`, `toolChoice` and `responseFormat`. */
  readonly options: ModelOptions & Readonly<Record<string, unknown>>;
}

/**
 * The answer of a model: its chunks, or the whole of it. It is asked at the first of the two.
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

  constructor(open: () => StreamSource<AgenticMessage>, whole: () => Promise<AgenticMessage>) {
    this.#open = open;
    this.#whole = whole;
  }

  /** The whole answer; asked for again, the same one. */
  message(): Promise<AgenticMessage> {
    this.#message ??= this.#whole();
    return this.#message;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgenticMessage, undefined> {
    const message = this.#message;
    if (message !== undefined) return StreamReader.from(once(message))[Symbol.asyncIterator]();
    return StreamReader.from(this.#open())[Symbol.asyncIterator]();
  }
}

async function* once(message: Promise<AgenticMessage>): AsyncGenerator<AgenticMessage, void> {
  yield await message;
}
