import type { CopiedPart } from "./copied-part.js";

/** Finds values that the document already holds: returns a reference in place of the text of such a value. */
export interface RepeatedValues {
  refer(text: string): string;
}

/** A new copy, with its text. */
export interface Made {
  readonly copy: CopiedPart;
  readonly text: string;
  /** The text without references to repeated values, if there are any. */
  readonly full?: string | undefined;
  /** Whether the text is plain JSON, without marks. */
  readonly isPlain: boolean;
}

/** Replaces the text of a whole value by a reference, if the value is a repeated one. */
export function referring(repeated: RepeatedValues | undefined, made: Made): Made {
  if (repeated === undefined || !made.isPlain) return made;
  const full = made.full ?? made.text;
  const found = repeated.refer(full);
  return found === full ? made : { ...made, text: found, full };
}

/** The texts of the parts of a list or a record. */
export class PartTexts {
  #text = "";
  /** The same without references, once there is one. */
  #full: string | undefined = undefined;
  #isPlain = true;

  add(key: string, { text, full, isPlain }: Made): void {
    const start = this.#text === "" ? key : `,${key}`;
    if (full !== undefined) this.#full ??= this.#text;
    if (this.#full !== undefined) this.#full += `${start}${full ?? text}`;
    this.#text += `${start}${text}`;
    this.#isPlain &&= isPlain;
  }

  get full(): string {
    return this.#full ?? this.#text;
  }

  made(copy: CopiedPart, open: string, close: string): Made {
    const text = `${open}${this.#text}${close}`;
    const full = this.#full === undefined ? undefined : `${open}${this.#full}${close}`;
    return { copy, text, full, isPlain: this.#isPlain };
  }
}
