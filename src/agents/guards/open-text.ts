import type { NodeContext } from "../../components/context.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AssistantGenText } from "../../schema/message/content-block.js";
import type { AgentRun } from "../agent-context.js";
import type { GuardOptions, Judged } from "./guard.js";
import { JudgedText } from "./judged-text.js";

type Blocked = Judged & { readonly block: string };

/** Thrown where a guard blocks a text. */
export class BlockedAnswer extends Error {
  readonly guard: string;
  readonly verdict: Blocked;

  constructor(guard: string, verdict: Blocked) {
    super();
    this.guard = guard;
    this.verdict = verdict;
  }
}

/** A block of the text. */
interface TextPiece {
  readonly block: AssistantGenText;
  readonly index: number | undefined;
  /** How much of it is not released. */
  left: number;
  /** What is released of a block that is given in one piece. */
  text: string;
}

/** Says that nothing is released. */
export const nothing: AgenticMessage = { role: "assistant", contentBlocks: [] };

/**
 * Text that passes through the guards one after another: each gets what the one before it has released. Consecutive blocks count as
 * one text, because they are read as one.
 */
export class OpenText {
  readonly #stages: readonly JudgedText[];
  readonly #pieces: TextPiece[] = [];

  constructor(guards: readonly GuardOptions[], ctx: NodeContext, run: AgentRun) {
    this.#stages = guards.map((guard) => new JudgedText(guard, ctx, run));
  }

  /** Takes more of it, and returns what is released. */
  async take(given: AssistantGenText): Promise<AssistantGenText[]> {
    const index = given.streamingMeta?.index;
    const { length } = given.text;
    const last = this.#pieces.at(-1);
    if (last === undefined || index === undefined || last.index !== index)
      this.#pieces.push({ block: given, index, left: length, text: "" });
    else last.left += length;
    const released = this.#placed(await this.#passed(given.text, false), false);
    if (index === undefined || !saysMore(given)) return released;
    return [{ ...given, text: "" }, ...released];
  }

  /** Takes a chunk that is one more piece of the block under way, for one guard. `undefined` if it is another one. */
  takePiece(chunk: AgenticMessage): AgenticMessage | Promise<AgenticMessage> | undefined {
    const [given] = chunk.contentBlocks;
    const [piece] = this.#pieces;
    const [stage] = this.#stages;
    if (piece === undefined || stage === undefined || this.#pieces.length + this.#stages.length > 2) return undefined;
    if (given?.type !== "assistant_gen_text" || piece.index === undefined) return undefined;
    if (
      given.streamingMeta?.index !== piece.index ||
      given.streamingMeta.restart === true ||
      !isPlain(chunk) ||
      saysMore(given)
    )
      return undefined;
    piece.left += given.text.length;
    const released = stage.take(given.text, false);
    return released instanceof Promise
      ? released.then((text) => this.#released(stage, piece, text))
      : this.#released(stage, piece, released);
  }

  /** What is released at its end. */
  async end(): Promise<AssistantGenText[]> {
    return this.#placed(await this.#passed("", true), true);
  }

  /** Blocks that are there in one piece, and judged in one piece. */
  async whole(blocks: readonly AssistantGenText[]): Promise<AssistantGenText[]> {
    if (blocks.length === 0) return [];
    for (const block of blocks) this.#pieces.push({ block, index: undefined, left: block.text.length, text: "" });
    return this.#placed(await this.#passed(blocks.map(({ text }) => text).join(""), true), true);
  }

  #released(stage: JudgedText, piece: TextPiece, text: string): AgenticMessage {
    checkStage(stage);
    if (text === "") return nothing;
    piece.left -= text.length;
    return { role: "assistant", contentBlocks: [bare(piece.block, text)] };
  }

  async #passed(given: string, done: boolean): Promise<string> {
    let text = given;
    for (const stage of this.#stages) {
      text = await stage.take(text, done);
      checkStage(stage);
    }
    return text;
  }

  /** Puts released text into the blocks that it comes from. The last one takes what is left. */
  #placed(released: string, done: boolean): AssistantGenText[] {
    const pieces = this.#pieces;
    const blocks: AssistantGenText[] = [];
    let text = released;
    for (let piece = pieces[0]; piece !== undefined; piece = pieces[0]) {
      const isLast = pieces.length === 1;
      const part = isLast ? text : text.slice(0, Math.max(0, piece.left));
      text = text.slice(part.length);
      piece.left -= part.length;
      piece.text += part;
      const isOver = isLast ? done : piece.left <= 0 || done;
      const { block, index } = piece;
      if (index === undefined ? isOver : piece.text !== "") {
        blocks.push(index === undefined ? { ...block, text: piece.text } : bare(block, piece.text));
        piece.text = "";
      }
      if (!isOver) break;
      pieces.shift();
    }
    return blocks;
  }
}

function checkStage({ name, blocked }: JudgedText): void {
  if (blocked !== undefined) throw new BlockedAnswer(name, blocked);
}

/** Whether a chunk is one block, and nothing else. */
export function isPlain({ contentBlocks, id, responseMeta, extra, restart }: AgenticMessage): boolean {
  return contentBlocks.length === 1 && (id ?? responseMeta ?? extra ?? restart) === undefined;
}

/** What else a piece of a block says is told with it, once. */
function bare({ type, streamingMeta }: AssistantGenText, text: string): AssistantGenText {
  return streamingMeta === undefined ? { type, text } : { type, text, streamingMeta };
}

function saysMore(block: AssistantGenText): boolean {
  for (const field in block) {
    if (field === "type" || field === "text" || field === "streamingMeta") continue;
    if (block[field as keyof AssistantGenText] !== undefined) return true;
  }
  return false;
}
