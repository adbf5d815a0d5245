import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { concatMessages } from "../schema/message/concat.js";
import type { AssistantGenText } from "../schema/message/content-block.js";

/** The chunks of an answer. The pieces of a text are joined as they come: a long answer is not kept word by word. */
export class GatheredAnswer {
  #chunks: AgenticMessage[] = [];
  /** The first piece of the text that grows, at which index, and how far it has grown. */
  #first: AgenticMessage | undefined;
  #index = -1;
  #text = "";
  #isGrown = false;

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
      this.#text += piece.text;
      this.#isGrown = true;
    } else {
      this.#endText();
      this.#first = chunk;
      this.#index = index;
      this.#text = piece.text;
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
    const text = this.#text;
    this.#chunks.push(
      this.#isGrown ? { ...first, contentBlocks: first.contentBlocks.map((block) => ({ ...block, text })) } : first,
    );
    this.#first = undefined;
    this.#isGrown = false;
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
