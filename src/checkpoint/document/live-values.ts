import { isJsonTree } from "../values/json-tree.js";
import { quoted } from "../values/quoted.js";
import type { RepeatedValues } from "../values/state-copy.js";
import { mark } from "../values/tree.js";
import type { Slot } from "./snapshot.js";

/** Steps from the run of a document to a value in it: keys of tasks, names of fields, indexes. */
export type ValueAddress = readonly (string | number)[];

/** Shorter ones cost no more than what refers to them. */
const shortest = 60;
const mostParts = 1_000;

/**
 * Values that a document holds, by their texts, as long as it holds them: a state that takes one over is saved with a reference
 * to it. What was changed meanwhile has another text.
 */
export class LiveValues implements RepeatedValues {
  readonly #addresses = new Map<string, ValueAddress>();
  readonly #texts = new Map<object, string[]>();
  /** Whether there is a state that could refer to something. */
  isUsed = false;

  /** Notes what stands in a slot: the value, the items of a list, and long texts in it. `name` is what a key needs before it. */
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

  /** A value as a tree that refers to what is there already; `undefined` when nothing is. */
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

  /** The document does not hold the values of an owner any more. */
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
