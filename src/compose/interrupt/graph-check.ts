const [largestIndex, hole, sparse] = [2 ** 32 - 2, -2, -7];
/** What stands for undefined, NaN, Infinity, -Infinity and -0. */
const constants: readonly unknown[] = [-1, -3, -4, -5, -6];

/**
 * Whether JSON is a graph as devalue writes it. devalue itself takes a reference to nowhere for `undefined`, and makes
 * something of most texts that are no date, number or Base64.
 */
export function isGraph(flat: unknown): flat is number | unknown[] {
  if (!Array.isArray(flat)) return constants.includes(flat);
  return flat.length > 0 && flat.every((entry: unknown) => isEntry(entry, flat));
}

function isEntry(entry: unknown, flat: readonly unknown[]): boolean {
  const isReference = (value: unknown): boolean =>
    typeof value === "number" &&
    (value >= 0 ? value < flat.length && Number.isInteger(value) : constants.includes(value));
  if (typeof entry !== "object" || entry === null) return true;
  if (!Array.isArray(entry)) return !Object.hasOwn(entry, "__proto__") && Object.values(entry).every(isReference);
  const [first, ...rest]: unknown[] = entry;
  if (typeof first === "string") return isTagged(first, rest, flat, isReference);
  if (first === sparse) return isSparse(rest, isReference);
  return entry.every((value: unknown) => value === hole || isReference(value));
}

type Test = (value: unknown) => boolean;

function isTagged(tag: string, rest: readonly unknown[], flat: readonly unknown[], isReference: Test): boolean {
  const [value, other] = rest;
  switch (tag) {
    case "Set":
      return rest.every(isReference);
    case "Map":
      return rest.length % 2 === 0 && rest.every(isReference);
    case "null":
      return rest.length % 2 === 0 && rest.every((part, index) => (index % 2 === 0 ? isKey(part) : isReference(part)));
    case "RegExp":
      return isText(value) && (rest.length === 1 || (rest.length === 2 && isText(other)));
    case "Object":
      return rest.length === 1 && isReference(value);
    case "Class":
    case "Error":
    case "Record":
      return rest.length === 1 && isReference(value) && isPlainList(entryAt(flat, value));
    default:
      return rest.length === 1 && (isTextOf(tag, value) || (isViewTag(tag) && isBuffer(entryAt(flat, value))));
  }
}

const entryAt = (flat: readonly unknown[], reference: unknown): unknown =>
  typeof reference === "number" ? flat[reference] : undefined;

const isText: Test = (value) => typeof value === "string";

const isKey: Test = (value) => typeof value === "string" && value !== "__proto__";

const isPlainList: Test = (entry) => Array.isArray(entry) && typeof entry[0] === "number" && entry[0] !== sparse;

const isBuffer: Test = (entry) => Array.isArray(entry) && entry[0] === "ArrayBuffer";

const isViewTag = (tag: string): boolean =>
  tag === "DataView" || /^(?:Big)?(?:Int|Uint|Float)\d+(?:Clamped)?Array$/.test(tag);

function isTextOf(tag: string, text: unknown): boolean {
  if (typeof text !== "string") return false;
  switch (tag) {
    case "Date":
      return text === "" || !Number.isNaN(Date.parse(text));
    case "BigInt":
      return /^-?\d+$/.test(text);
    case "ArrayBuffer":
      return text.length % 4 === 0 && /^[\w+/]*={0,2}$/.test(text) && !text.includes("_");
    default:
      return tag === "URL" || tag === "URLSearchParams";
  }
}

function isSparse([length, ...rest]: readonly unknown[], isReference: Test): boolean {
  if (!isIndex(length, largestIndex + 1) || rest.length % 2 !== 0) return false;
  return rest.every((part, index) => (index % 2 === 0 ? isIndex(part, length - 1) : isReference(part)));
}

const isIndex = (value: unknown, largest: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest;
