import type { AgenticModel, ModelOptions } from "../components/model.js";
import { streamConsumed } from "../schema/errors.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { concatMessages } from "../schema/message/concat.js";
import type { AssistantGenText } from "../schema/message/content-block.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";

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

/** The chunks of an answer. The pieces of a text are joined as they come: a long answer is not kept word by word. */
export class GatheredAnswer {
  #chunks: AgenticMessage[] = [];
  /** The first piece of the text that grows, its index, and the texts of all its pieces. */
  #first: AgenticMessage | undefined;
  #index = -1;
  readonly #texts: string[] = [];

  get isEmpty(): boolean {
    return this.#first === undefined && this.#chunks.length === 0;
  }

  add(chunk: AgenticMessage): void {
    const piece = textPiece(chunk);
    const index = piece?.streamingMeta?.index;
    if (piece === undefined || index === undefined) {
      this.#endText();
      this.#chunks.push(chunk);
    } else if (this.#first !== undefined && this.#index === index) {
      this.#texts.push(piece.text);
    } else {
      this.#endText();
      this.#first = chunk;
      this.#index = index;
      this.#texts.push(piece.text);
    }
  }

  /** All of it, as one message. */
  message(): AgenticMessage {
    this.#endText();
    return concatMessages(this.#chunks);
  }

  #endText(): void {
    const first = this.#first;
    if (first === undefined) return;
    const texts = this.#texts.splice(0);
    this.#chunks.push(texts.length === 1 ? first : withText(first, texts.join("")));
    this.#first = undefined;
  }
}

/** The block of a chunk that is a piece of a text, and nothing else. */
function textPiece(chunk: AgenticMessage): AssistantGenText | undefined {
  const { contentBlocks, role, id, responseMeta, extra, restart } = chunk;
  const [block] = contentBlocks;
  if (contentBlocks.length !== 1 || block?.type !== "assistant_gen_text" || role !== "assistant") return undefined;
  if ((id ?? responseMeta ?? extra ?? restart) !== undefined) return undefined;
  if (typeof block.text !== "string" || block.streamingMeta?.restart === true) return undefined;
  const { openaiExtension, claudeExtension, extension } = block;
  return (openaiExtension ?? claudeExtension ?? extension ?? block.extra) === undefined ? block : undefined;
}

/** A chunk of one block, with another text. */
function withText(chunk: AgenticMessage, text: string): AgenticMessage {
  return { ...chunk, contentBlocks: chunk.contentBlocks.map((block) => ({ ...block, text })) };
}
