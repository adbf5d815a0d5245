import { isBigintText, isDateText, longestPattern } from "./value-limits.js";

const [largestIndex, hole, sparse] = [2 ** 32 - 2, -2, -7];

/**
 * Whether JSON is a graph as devalue writes it. devalue itself does not check: it reads a dangling reference as `undefined`, and
 * accepts most strings in place of dates, numbers or Base64.
 */
export function isGraph(flat: unknown): flat is number | unknown[] {
  if (!Array.isArray(flat)) return isConstant(flat);
  const graph = new GraphCheck(flat);
  return flat.length > 0 && flat.every((entry: unknown) => graph.isEntry(entry));
}

/** The codes of undefined, NaN, Infinity, -Infinity and -0. */
const isConstant = (value: unknown): boolean =>
  value === -1 || value === -3 || value === -4 || value === -5 || value === -6;

class GraphCheck {
  readonly #flat: readonly unknown[];

  constructor(flat: readonly unknown[]) {
    this.#flat = flat;
  }

  isEntry(entry: unknown): boolean {
    if (typeof entry !== "object" || entry === null) return true;
    if (!Array.isArray(entry)) return this.#isRecord(entry);
    if (typeof entry[0] === "string") return this.#isTagged(entry[0], entry);
    if (entry[0] === sparse) return this.#isSparse(entry);
    return entry.every((value: unknown) => value === hole || this.#isReference(value));
  }

  #isRecord(record: object): boolean {
    for (const key of Object.keys(record)) {
      if (key === "__proto__" || !this.#isReference(Reflect.get(record, key))) return false;
    }
    return true;
  }

  #isTagged(tag: string, entry: readonly unknown[]): boolean {
    const [, value, other] = entry;
    switch (tag) {
      case "Set":
        return this.#hasReferences(entry, 1);
      case "Map":
        return entry.length % 2 === 1 && this.#hasReferences(entry, 1);
      case "null":
        return entry.length % 2 === 1 && this.#hasReferences(entry, 1, isKey);
      case "RegExp":
        return isPattern(value) && (entry.length === 2 || (entry.length === 3 && isText(other)));
      case "Object":
        return entry.length === 2 && this.#isReference(value);
      case "Class":
      case "Error":
      case "Record":
        return entry.length === 2 && isPlainList(this.#at(value));
      default:
        return entry.length === 2 && (isTextOf(tag, value) || (isViewTag(tag) && isBuffer(this.#at(value))));
    }
  }

  #isSparse(entry: readonly unknown[]): boolean {
    const length = entry[1];
    if (!isIndex(length, largestIndex + 1) || entry.length % 2 !== 0) return false;
    return this.#hasReferences(entry, 2, (value) => isIndex(value, length - 1));
  }

  /** Whether all entries from `start` on are references, or alternate between keys and references. */
  #hasReferences(entry: readonly unknown[], start: number, isKeyPart?: (value: unknown) => boolean): boolean {
    for (let index = start; index < entry.length; index++) {
      const isPart =
        isKeyPart !== undefined && (index - start) % 2 === 0
          ? isKeyPart(entry[index])
          : this.#isReference(entry[index]);
      if (!isPart) return false;
    }
    return true;
  }

  #isReference(value: unknown): boolean {
    if (typeof value !== "number") return false;
    return value >= 0 ? value < this.#flat.length && Number.isInteger(value) : isConstant(value);
  }

  #at(reference: unknown): unknown {
    return typeof reference === "number" ? this.#flat[reference] : undefined;
  }
}

const isText = (value: unknown): boolean => typeof value === "string";

const isPattern = (value: unknown): boolean => typeof value === "string" && value.length <= longestPattern;

const isKey = (value: unknown): boolean => typeof value === "string" && value !== "__proto__";

const isPlainList = (entry: unknown): boolean =>
  Array.isArray(entry) && typeof entry[0] === "number" && entry[0] !== sparse;

const isBuffer = (entry: unknown): boolean => Array.isArray(entry) && entry[0] === "ArrayBuffer";

const isViewTag = (tag: string): boolean =>
  tag === "DataView" || /^(?:Big)?(?:Int|Uint|Float)\d+(?:Clamped)?Array$/.test(tag);

function isTextOf(tag: string, text: unknown): boolean {
  if (typeof text !== "string") return false;
  switch (tag) {
    case "Date":
      return isDateText(text);
    case "BigInt":
      return isBigintText(text);
    case "ArrayBuffer":
      return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
    default:
      return tag === "URL" || tag === "URLSearchParams";
  }
}

const isIndex = (value: unknown, largest: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest;
