/**
 * Completes a truncated JSON text: closes open strings, arrays and objects, and drops incomplete parts (a key without its value,
 * an unfinished number or literal). Returns `undefined` if there is no value yet.
 */
export function completedJson(text: string): string | undefined {
  const scan = new Scan();
  for (let at = 0; at < text.length; at += 1) if (!scan.take(text.charCodeAt(at), at)) return undefined;
  return scan.completed(text);
}

const quote = 0x22;
const backslash = 0x5c;
const [openRecord, closeRecord, openList, closeList, comma, colon] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];

/** Scans a text once, and tracks the last position at which it can be closed to form a value. */
class Scan {
  /** The closing brackets of open objects and arrays, innermost last. */
  readonly #open: ("}" | "]")[] = [];
  #inString = false;
  #isEscaped = false;
  /** Whether the current or last string is a key. */
  #isKey = false;
  /** The text up to here forms a value if `#openAtEnd` is appended. */
  #end = 0;
  #openAtEnd = "";
  /** Whether the top-level object or array is closed. */
  #isWhole = false;
  #stringStart = 0;
  /** Where the last escape of a string begins. */
  #escape = 0;
  /** Whether a number, `true`, `false` or `null` is being scanned. */
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

  /** Records a position at which the text can be closed. Text after the top-level value is ignored. */
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

  /** Where the open string ends. An escape that is cut off (`\`, or `\u` with fewer than four digits) is dropped. */
  #openStringEnd(text: string): number {
    const start = this.#escape;
    if (start <= this.#stringStart) return text.length;
    const isCut = this.#isEscaped || (text[start + 1] === "u" && text.length - start < 6);
    return isCut ? start : text.length;
  }
}
