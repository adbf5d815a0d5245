import type { ToolOutput } from "../../components/tool.js";
import type { ToolResultContent } from "../../schema/message/content-block.js";
import { textOfContent } from "../../schema/message/read-message.js";
import { joinToolOutputs } from "../define/tool-output.js";

const note = "… [cut off]";

/**
 * Cuts what a model reads of one result to a length, in the same way whether it comes at once or in pieces: the last few
 * characters are held back until it is clear whether there are more.
 */
export class ResultLimit {
  readonly #limit: number;
  /** So much is given out at once. */
  readonly #keep: number;
  #given = 0;
  #held = "";
  #isCut = false;
  #parts: ToolOutput[] | undefined = undefined;

  constructor(limit: number) {
    this.#limit = limit;
    this.#keep = Math.max(0, limit - note.length);
  }

  /** What to give out now, if anything. Lists of parts wait for the end. */
  push(piece: ToolOutput): ToolOutput | undefined {
    if (this.#parts !== undefined) this.#parts.push(piece);
    else if (typeof piece === "string") return this.#pushText(piece);
    else this.#parts = [piece];
    return undefined;
  }

  /** What was held back. */
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

  /** The texts among the parts count together; other parts stay. */
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

/** So much of an error stays readable, whatever the limit: without its reason the model can do nothing about it. */
const leastOfError = 800;

/** An error counts for itself, also behind a result that has reached the limit. */
export function limitedError(text: string, limit: number | undefined): string {
  const length = limit === undefined ? text.length : Math.max(limit, leastOfError);
  return text.length <= length ? text : text.slice(0, wholeCharacters(text, length - note.length)) + note;
}

/** How many of so many characters can be cut off without cutting one in half. */
function wholeCharacters(text: string, length: number): number {
  if (length <= 0) return 0;
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
