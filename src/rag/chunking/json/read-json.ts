import { invalidDocument, notJson } from "../../errors.js";
import type { TextSpan } from "../span.js";

/** A value of a JSON document, and its range there. */
export interface JsonValue extends TextSpan {
  /** Compact, with numbers as they are written. */
  readonly text: string;
  /** Set for objects, and for arrays if `convertLists` is set (keys are the indexes). */
  readonly members: readonly JsonMember[] | undefined;
}

export interface JsonMember extends TextSpan {
  readonly key: string;
  /** The key as JSON. */
  readonly keyText: string;
  readonly value: JsonValue;
}

export interface JsonReading {
  readonly ensureAscii: boolean;
  readonly convertLists: boolean;
}

/** Parses a JSON document and keeps the range of each value. */
export function parseJsonDocument(source: string, reading: JsonReading): JsonValue {
  const json = source.replace(/^\ufeff/, " ");
  try {
    JSON.parse(json);
  } catch (cause) {
    throw notJson(cause);
  }
  try {
    return new Reader(json, reading).read();
  } catch (cause) {
    if (cause instanceof RangeError) throw invalidDocument("The JSON document is nested too deeply.", cause);
    throw cause;
  }
}

/** Locates the values in a text that is known to be valid JSON. */
class Reader {
  readonly #json: string;
  readonly #reading: JsonReading;
  #at = 0;

  constructor(json: string, reading: JsonReading) {
    this.#json = json;
    this.#reading = reading;
  }

  read(): JsonValue {
    this.#skipBlanks();
    const start = this.#at;
    const code = this.#json.charCodeAt(start);
    if (code === openBrace) {
      const members = this.#object();
      return { start, end: this.#at, text: objectText(members), members };
    }
    if (code === openBracket) {
      const values = this.#list();
      if (this.#reading.convertLists) {
        const members = values.map(memberOfList);
        return { start, end: this.#at, text: objectText(members), members };
      }
      const text = `[${values.map((value) => value.text).join(",")}]`;
      return { start, end: this.#at, text, members: undefined };
    }
    const text = code === quote ? this.#write(this.#string()) : this.#word();
    return { start, end: this.#at, text, members: undefined };
  }

  #object(): JsonMember[] {
    const members: JsonMember[] = [];
    while (this.#hasNext(closeBrace)) {
      const start = this.#at;
      const raw = this.#string();
      const key = raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
      this.#skipBlanks();
      this.#at++; // the colon
      const value = this.read();
      members.push({ start, end: this.#at, key, keyText: this.#write(raw), value });
    }
    return withoutRepeats(members);
  }

  #list(): JsonValue[] {
    const values: JsonValue[] = [];
    while (this.#hasNext(closeBracket)) values.push(this.read());
    return values;
  }

  /** Moves to the next item, or past the closing bracket and returns `false`. */
  #hasNext(close: number): boolean {
    this.#skipBlanks();
    const isEnd = this.#json.charCodeAt(this.#at) === close;
    this.#at++;
    if (isEnd) return false;
    this.#skipBlanks();
    // an empty array or object
    if (this.#json.charCodeAt(this.#at) !== close) return true;
    this.#at++;
    return false;
  }

  /** A string as written, with its quotes. */
  #string(): string {
    const start = this.#at;
    let end = this.#json.indexOf('"', start + 1);
    while (isEscaped(this.#json, end)) end = this.#json.indexOf('"', end + 1);
    this.#at = end + 1;
    return this.#json.slice(start, this.#at);
  }

  /** A number, or `true`, `false` or `null`. */
  #word(): string {
    const start = this.#at;
    while (isWordPart(this.#json.charCodeAt(this.#at))) this.#at++;
    return this.#json.slice(start, this.#at);
  }

  #skipBlanks(): void {
    while (isBlank(this.#json.charCodeAt(this.#at))) this.#at++;
  }

  /** A string as `JSON.stringify` writes it. */
  #write(raw: string): string {
    if (asciiString.test(raw) || (!this.#reading.ensureAscii && plainString.test(raw))) return raw;
    const text = JSON.stringify(JSON.parse(raw));
    if (!this.#reading.ensureAscii) return text;
    return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
}

const [quote, openBrace, closeBrace, openBracket, closeBracket] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d];

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
/** Digits, signs, the decimal point and letters. */
const isWordPart = (code: number): boolean =>
  (code >= 0x2b && code <= 0x39 && code !== 0x2c) ||
  (code >= 0x41 && code <= 0x7a && code !== openBracket && code !== closeBracket);

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, place: number): boolean {
  let first = place;
  while (text.charCodeAt(first - 1) === 0x5c) first--;
  return (place - first) % 2 === 1;
}

/** Strings that `JSON.stringify` would write the same way; `asciiString` also holds for `ensureAscii`. */
const asciiString = /^[ -[\]-\x7f]*$/;
const plainString = /^[^\\\p{Surrogate}]*$/u;

/** Keeps the last of several members with the same key, as `JSON.parse` does. */
function withoutRepeats(members: JsonMember[]): JsonMember[] {
  const last = new Map(members.map((member) => [member.key, member]));
  return last.size === members.length ? members : members.filter((member) => last.get(member.key) === member);
}

function memberOfList(value: JsonValue, index: number): JsonMember {
  const { start, end } = value;
  return { start, end, key: String(index), keyText: `"${index}"`, value };
}

function objectText(members: readonly JsonMember[]): string {
  return `{${members.map(({ keyText, value }) => `${keyText}:${value.text}`).join(",")}}`;
}
