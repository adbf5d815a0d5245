import { isJsonTree } from "../values/json-tree.js";
import type { RepeatedValues } from "../values/made-part.js";
import { quoted } from "../values/quoted.js";
import { mark } from "../values/tree.js";
import type { Slot } from "./snapshot.js";

/** The path from the root run of a document to a value in it: keys of tasks, names of fields, indexes. */
export type ValueAddress = readonly (string | number)[];

/** Shorter texts are not worth a reference. */
const shortest = 60;
const mostParts = 1_000;

/**
 * The values that a document currently holds, by their JSON text. A state that contains one of them is saved with a reference to
 * it. (A value that was changed since has another text, and so is not found.)
 */
export class LiveValues implements RepeatedValues {
  readonly #addresses = new Map<string, ValueAddress>();
  readonly #texts = new Map<object, string[]>();
  /** Whether there is a state that could use references. */
  isUsed = false;

  /** Adds the value of a slot, the items of a list, and long strings inside. `name` comes before a key in an address. */
  note(owner: object, slot: Slot | undefined, at: ValueAddress, name?: string): void {
    if (!this.isUsed || slot === undefined || !isJsonTree(slot.value)) return;
    const texts = this.#texts.get(owner) ?? [];
    this.#texts.set(owner, texts);
    const { value } = slot;
    if (Array.isArray(value)) for (const [index, item] of value.entries()) this.#add(texts, item, [...at, index]);
    else this.#add(texts, value, at, name === undefined ? at : [...at, name]);
  }

  #add(texts: string[], value: unknown, at: ValueAddress, inside = at): void {
    if (typeof value === "object" && value !== null) {
      this.#keep(texts, JSON.stringify(value), at);
      this.#addLongTexts(texts, value, inside, { left: mostParts });
    } else if (typeof value === "string") this.#keep(texts, quoted(value), at);
  }

  #addLongTexts(texts: string[], value: object, at: ValueAddress, parts: { left: number }): void {
    for (const [key, part] of Object.entries(value)) {
      if (parts.left-- <= 0) return;
      const inside = [...at, Array.isArray(value) ? Number(key) : key];
      if (typeof part === "string") {
        if (part.length >= shortest) this.#keep(texts, quoted(part), inside);
      } else if (typeof part === "object" && part !== null) this.#addLongTexts(texts, part, inside, parts);
    }
  }

  #keep(texts: string[], text: string, at: ValueAddress): void {
    if (text.length < shortest || text.includes(`"${mark}":`) || this.#addresses.has(text)) return;
    this.#addresses.set(text, at);
    texts.push(text);
  }

  /** The text of a value with references to known values in it; `undefined` when it contains none. */
  treeOf(value: unknown): string | undefined {
    if (this.#addresses.size === 0 || !isJsonTree(value)) return undefined;
    const whole = JSON.stringify(value);
    if (whole.length < shortest || whole.includes(`"${mark}":`)) return undefined;
    const tree = this.#referIn(value, whole);
    return tree === whole ? undefined : tree;
  }

  #referIn(value: unknown, text: string): string {
    const found = this.refer(text);
    if (found !== text || text.length < shortest || typeof value !== "object" || value === null) return found;
    if (Array.isArray(value)) return `[${value.map((item) => this.#referIn(item, JSON.stringify(item))).join(",")}]`;
    const parts = Object.entries(value).map(
      ([key, part]) => `${quoted(key)}:${this.#referIn(part, JSON.stringify(part))}`,
    );
    return `{${parts.join(",")}}`;
  }

  /** Removes the values of an owner, which the document no longer holds. */
  forget(owner: object): void {
    for (const text of this.#texts.get(owner) ?? []) this.#addresses.delete(text);
    this.#texts.delete(owner);
  }

  refer(text: string): string {
    if (text.length < shortest || this.#addresses.size === 0) return text;
    const address = this.#addresses.get(text);
    return address === undefined ? text : `{"${mark}":${JSON.stringify(address)}}`;
  }
}
