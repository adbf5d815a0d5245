/**
 * The beginning of a JSON text made whole: open strings, lists and records are closed, and what is only begun (a key without
 * its value, half a number or word) is left out. `undefined` as long as there is nothing.
 */
export function completedJson(text: string): string | undefined {
  const scan = new Scan();
  for (let at = 0; at < text.length; at += 1) if (!scan.take(text.charCodeAt(at), at)) return undefined;
  return scan.completed(text);
}

const quote = 0x22;
const backslash = 0x5c;
const [openRecord, closeRecord, openList, closeList, comma, colon] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];

/** Goes through a text once, and knows how to close it at the last place where that makes a value. */
class Scan {
  /** What closes the records and lists that are open, innermost last. */
  readonly #open: ("}" | "]")[] = [];
  #inString = false;
  #isEscaped = false;
  /** The string that is open, or was last, stands where a key does. */
  #isKey = false;
  /** Up to here the text makes a value, when it is closed with what was open then. */
  #end = 0;
  #openAtEnd = "";
  /** The record or list at the top is closed. */
  #isWhole = false;
  #stringStart = 0;
  /** Where the last escape of a string begins. */
  #escape = 0;
  /** A number, true, false or null is under way. */
  #inWord = false;

  take(code: number, at: number): boolean {
    if (this.#inString) this.#takeInString(code, at);
    else if (code === quote) {
      this.#endWord(at);
      this.#inString = true;
      this.#isKey = this.#isKey && this.#open.at(-1) === "}";
      this.#stringStart = at;
    } else return this.#takeOutside(code, at);
    return true;
  }

  #takeInString(code: number, at: number): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (code === backslash) {
      this.#escape = at;
      this.#isEscaped = true;
    } else if (code === quote) {
      this.#inString = false;
      if (!this.#isKey) this.#mark(at + 1);
    }
  }

  #takeOutside(code: number, at: number): boolean {
    switch (code) {
      case openRecord:
        this.#open.push("}");
        this.#isKey = true;
        this.#mark(at + 1);
        return true;
      case openList:
        this.#open.push("]");
        this.#isKey = false;
        this.#mark(at + 1);
        return true;
      case closeRecord:
      case closeList: {
        this.#endWord(at);
        const closed = this.#open.pop();
        this.#isKey = false;
        this.#mark(at + 1);
        this.#isWhole ||= this.#open.length === 0;
        return closed === (code === closeRecord ? "}" : "]");
      }
      case comma:
        this.#endWord(at);
        this.#isKey = this.#open.at(-1) === "}";
        return true;
      case colon:
        this.#isKey = false;
        return true;
      default:
        if (code > 0x20) this.#inWord = true;
        else this.#endWord(at);
        return true;
    }
  }

  #endWord(at: number): void {
    if (this.#inWord && !this.#isKey) this.#mark(at);
    this.#inWord = false;
  }

  /** What follows a value that is closed does not count. */
  #mark(end: number): void {
    if (this.#isWhole) return;
    this.#end = end;
    this.#openAtEnd = this.#closing();
  }

  #closing(): string {
    return this.#open.toReversed().join("");
  }

  completed(text: string): string | undefined {
    if (this.#inString && !this.#isKey) return `${text.slice(0, this.#openStringEnd(text))}"${this.#closing()}`;
    return this.#end === 0 ? undefined : text.slice(0, this.#end) + this.#openAtEnd;
  }

  /** An escape may be cut off: `\`, or `\u` and some of its digits. */
  #openStringEnd(text: string): number {
    const start = this.#escape;
    if (start <= this.#stringStart) return text.length;
    const isCut = this.#isEscaped || (text[start + 1] === "u" && text.length - start < 6);
    return isCut ? start : text.length;
  }
}
