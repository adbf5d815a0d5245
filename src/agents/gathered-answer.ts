import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { concatMessages } from "../schema/message/concat.js";
import type { AssistantGenText } from "../schema/message/content-block.js";

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

/** A chunk of one block, with another text. */
function withText(chunk: AgenticMessage, text: string): AgenticMessage {
  return { ...chunk, contentBlocks: chunk.contentBlocks.map((block) => ({ ...block, text })) };
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
