import type { Node } from "jsonc-parser";
import { invalidDocument, noPackage, notJson } from "../../errors.js";
import type { Span } from "../span.js";

/** A value of a JSON document, and its place there. */
export interface JsonValue extends Span {
  /** Compact, with numbers as they are written. */
  readonly text: string;
  /** Of an object, and of a list whose items have their indexes as keys. */
  readonly members: readonly JsonMember[] | undefined;
}

export interface JsonMember extends Span {
  readonly key: string;
  /** The key as JSON. */
  readonly keyText: string;
  readonly value: JsonValue;
}

export interface JsonReading {
  readonly ensureAscii: boolean;
  readonly convertLists: boolean;
}

export async function readJson(source: string, reading: JsonReading): Promise<JsonValue> {
  const { parseTree } = await loadParser();
  const json = source.replace(/^\ufeff/, " ");
  try {
    JSON.parse(json);
  } catch (cause) {
    throw notJson(cause);
  }
  try {
    const root = parseTree(json);
    if (root === undefined) throw notJson(new Error("it is empty"));
    return new Reader(json, reading).value(root);
  } catch (cause) {
    if (cause instanceof RangeError) throw invalidDocument("The JSON document is nested too deeply.", cause);
    throw cause;
  }
}

class Reader {
  readonly #json: string;
  readonly #reading: JsonReading;

  constructor(json: string, reading: JsonReading) {
    this.#json = json;
    this.#reading = reading;
  }

  value(node: Node): JsonValue {
    const place = { start: node.offset, end: node.offset + node.length };
    if (node.type === "object") {
      const members = withoutRepeats((node.children ?? []).flatMap((child) => this.#property(child)));
      return { ...place, text: objectText(members), members };
    }
    if (node.type === "array") return { ...place, ...this.#list(node.children ?? []) };
    const raw = this.#json.slice(place.start, place.end);
    const text = node.type === "string" && !plainString.test(raw) ? this.#string(String(node.value)) : raw;
    return { start: place.start, end: place.end, text, members: undefined };
  }

  #property({ offset, length, children: [key, value] = [] }: Node): JsonMember[] {
    if (key === undefined || value === undefined) return [];
    const name = String(key.value);
    return [{ start: offset, end: offset + length, key: name, keyText: this.#string(name), value: this.value(value) }];
  }

  #list(items: readonly Node[]): Pick<JsonValue, "text" | "members"> {
    const values = items.map((item) => this.value(item));
    if (!this.#reading.convertLists) {
      return { text: `[${values.map(({ text }) => text).join(",")}]`, members: undefined };
    }
    const members = values.map((value, index) => {
      const { start, end } = value;
      return { start, end, key: String(index), keyText: `"${index}"`, value };
    });
    return { text: objectText(members), members };
  }

  #string(value: string): string {
    const text = JSON.stringify(value);
    if (!this.#reading.ensureAscii) return text;
    return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
}

/** A string that is written as it would be anyway, with `ensureAscii` too. */
const plainString = /^[ -[\]-~]*$/;

/** Of members with the same key the last one counts. */
function withoutRepeats(members: readonly JsonMember[]): JsonMember[] {
  const last = new Map(members.map((member) => [member.key, member]));
  return members.filter((member) => last.get(member.key) === member);
}

function objectText(members: readonly JsonMember[]): string {
  return `{${members.map(({ keyText, value }) => `${keyText}:${value.text}`).join(",")}}`;
}

async function loadParser() {
  try {
    return await import("jsonc-parser");
  } catch (cause) {
    throw noPackage("jsonc-parser", "Splitting JSON", cause);
  }
}
