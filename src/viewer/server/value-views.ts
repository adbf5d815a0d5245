import { isFields } from "../../is.js";
import type { ValueView, WireValue } from "../api.js";

/** How much of a value is in a list. */
const shown = 65_536;
const kept = 500;
const cut: WireValue = Object.freeze({ $: "cut" });

/** Shows values, and keeps those that were cut for a while. */
export class ValueViews {
  readonly #rest = new Map<string, ValueView>();
  /** So that a value that is shown again has the same id. */
  readonly #ids = new WeakMap<ValueView, string>();
  #last = 0;

  readonly view = (whole: ValueView): ValueView => {
    const { value, size } = whole;
    if (size <= shown) return whole;
    const more = this.#ids.get(whole) ?? String(++this.#last);
    this.#ids.set(whole, more);
    this.#rest.delete(more);
    this.#rest.set(more, whole);
    for (const oldest of this.#rest.keys()) {
      if (this.#rest.size <= kept) break;
      this.#rest.delete(oldest);
    }
    return { value: shorten(value, shown), size, more };
  };

  /** What `GET values/<more>` gives; `undefined` if it is not kept any more. */
  whole(more: string): ValueView | undefined {
    return this.#rest.get(more);
  }
}

/** The beginning of a value, in about so many characters. */
function shorten(value: WireValue, budget: number): WireValue {
  let left = budget;
  const copy = (given: WireValue): WireValue => {
    if (left <= 0) return cut;
    if (typeof given === "string") {
      const part = given.length > left ? `${given.slice(0, left)}…` : given;
      left -= part.length + 2;
      return part;
    }
    if (typeof given !== "object" || given === null) {
      left -= 6;
      return given;
    }
    if (Array.isArray(given)) return items(given);
    if (!isFields(given)) return cut;
    const entries: [string, WireValue][] = [];
    for (const [key, item] of Object.entries(given)) {
      if (left <= 0) break;
      left -= key.length + 4;
      entries.push([key, copy(item as WireValue)]);
    }
    return Object.fromEntries(entries);
  };
  const items = (list: readonly WireValue[]): WireValue => {
    const copies: WireValue[] = [];
    for (const item of list) {
      left -= 1;
      copies.push(copy(item));
      if (left <= 0) {
        copies.push(cut);
        break;
      }
    }
    return copies;
  };
  return copy(value);
}
