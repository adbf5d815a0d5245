import type { Tagged, WireValue } from "../../api.js";

/** The kind of a tagged value; `undefined` for plain JSON. */
export function tagOf(value: WireValue): Tagged | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return typeof (value as { $?: unknown }).$ === "string" ? (value as Tagged) : undefined;
}

/** What stands in the place of a tagged value that has no entries. */
export function tagText(tag: Tagged): string {
  switch (tag.$) {
    case "undefined":
      return "undefined";
    case "circular":
      return "circular";
    case "masked":
      return "••• masked";
    case "cut":
      return "… cut";
    case "text":
      return tag.kind === "date" || tag.kind === "number" || tag.kind === "bigint"
        ? tag.text
        : `${tag.kind} ${tag.text}`;
    case "bytes":
      return `${tag.kind} (${tag.size} bytes)`;
    case "map":
      return `Map (${tag.entries.length})`;
    case "set":
      return `Set (${tag.values.length})`;
    case "class":
      return tag.name;
    case "error":
      return `${tag.name}: ${tag.message}`;
    case "object":
      return "object";
    default:
      return "unknown";
  }
}

/** The fields of an object, also of one that was sent as entries. */
export function fieldsOf(value: WireValue | undefined): ReadonlyMap<string, WireValue> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return new Map();
  const tag = tagOf(value);
  if (tag?.$ === "object") return new Map(tag.entries);
  if (tag?.$ === "class") return fieldsOf(tag.fields);
  return tag === undefined ? new Map(Object.entries(value)) : new Map();
}

export function field(value: WireValue | undefined, name: string): WireValue | undefined {
  return fieldsOf(value).get(name);
}

export function listOf(value: WireValue | undefined): readonly WireValue[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: WireValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** JSON in a string, if it is that; tools have their arguments and results so. */
export function parsed(value: WireValue | undefined): WireValue | undefined {
  if (typeof value !== "string" || !/^\s*[[{"\d]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The value in a few words, for a row. */
export function brief(value: WireValue | undefined, limit = 60): string {
  const text = briefText(value);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

function briefText(value: WireValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "object" || value === null) return String(value);
  const tag = tagOf(value);
  if (tag !== undefined && tag.$ !== "object") return tagText(tag);
  const items = Array.isArray(value) ? value : [...fieldsOf(value).values()];
  return items.slice(0, 2).map(briefItem).join(", ");
}

function briefItem(value: WireValue): string {
  return typeof value === "object" && value !== null ? (Array.isArray(value) ? "[…]" : "{…}") : String(value);
}

/** What `JSON.stringify` compares of two values. */
export function isSame(a: WireValue | undefined, b: WireValue | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
