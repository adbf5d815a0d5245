import type { ToolOutput } from "../../components/tool.js";
import type { ToolResultContent } from "../../schema/message/content-block.js";
import { textOfContent } from "../../schema/message/read-message.js";
import { joinToolOutputs } from "../define/tool-output.js";

const note = "… [cut off]";

/**
 * Limits the length of one result, with the same outcome for whole and streamed results: the last few characters are held back
 * until it is clear whether more follow.
 */
export class ResultLimit {
  readonly #limit: number;
  /** How many characters are passed on without holding them back. */
  readonly #keep: number;
  #given = 0;
  #held = "";
  #isCut = false;
  #parts: ToolOutput[] | undefined = undefined;

  constructor(limit: number) {
    this.#limit = limit;
    this.#keep = Math.max(0, limit - note.length);
  }

  /** Takes a piece and returns what to pass on now, if anything. Arrays of parts are held until the end. */
  push(piece: ToolOutput): ToolOutput | undefined {
    if (this.#parts !== undefined) this.#parts.push(piece);
    else if (typeof piece === "string") return this.#pushText(piece);
    else this.#parts = [piece];
    return undefined;
  }

  /** Returns what was held back. */
  end(): ToolOutput | undefined {
    if (this.#parts !== undefined) return this.#cutParts(joinToolOutputs(this.#parts));
    const held = this.#held;
    this.#held = "";
    return held === "" ? undefined : held;
  }

  #pushText(piece: string): string | undefined {
    if (this.#isCut) return undefined;
    const text = this.#held + piece;
    const room = this.#keep - this.#given;
    if (this.#given + text.length > this.#limit) {
      this.#isCut = true;
      this.#held = "";
      return text.slice(0, wholeCharacters(text, room)) + note.slice(0, this.#limit);
    }
    const now = text.length <= room ? text.length : wholeCharacters(text, room);
    this.#given += now;
    this.#held = text.slice(now);
    return now === 0 && piece !== "" ? undefined : text.slice(0, now);
  }

  /** Limits the text parts together; other parts stay. */
  #cutParts(output: ToolOutput): ToolOutput {
    if (typeof output === "string" || textOfContent(output).length <= this.#limit) return output;
    let room = this.#keep;
    const parts: ToolResultContent[] = [];
    for (const part of output) {
      if (part.type !== "text") parts.push(part);
      if (part.type !== "text" || room < 0) continue;
      const kept = part.text.length <= room ? part.text : part.text.slice(0, wholeCharacters(part.text, room));
      const isLast = kept.length < part.text.length;
      parts.push({ type: "text", text: isLast ? kept + note.slice(0, this.#limit) : kept });
      room = isLast ? -1 : room - kept.length;
    }
    return parts;
  }
}

/** How much of an error is always kept: without the reason, a model cannot react to it. */
const leastOfError = 800;

/** Limits the text of an error, on its own: it may follow a result that has reached the limit. */
export function limitedError(text: string, limit: number | undefined): string {
  const length = limit === undefined ? text.length : Math.max(limit, leastOfError);
  return text.length <= length ? text : text.slice(0, wholeCharacters(text, length - note.length)) + note;
}

/** The largest length up to `length` that does not cut a character in half. */
function wholeCharacters(text: string, length: number): number {
  if (length <= 0) return 0;
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
