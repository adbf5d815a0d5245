import { createHash } from "node:crypto";
import { isPlainObject } from "../../is.js";
import { kindOf } from "../../wording.js";

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Returns the value that takes the place of a string, which is the value of a field, if it is one. */
type ChangeText = (text: string, field?: string) => string;

/**
 * Any value as JSON, with sorted keys: `undefined` and functions are left out, dates and URLs are strings, maps and sets are lists, and
 * bytes are their hash.
 */
export function toJson(value: unknown, change: ChangeText = same): Json | undefined {
  return jsonOf(value, change, []);
}

const same: ChangeText = (text) => text;

function jsonOf(value: unknown, change: ChangeText, around: readonly object[], field?: string): Json | undefined {
  switch (typeof value) {
    case "string":
      return change(value, field);
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : objectJson(value, change, around, field);
    default:
      return undefined;
  }
}

function objectJson(value: object, change: ChangeText, around: readonly object[], field?: string): Json | undefined {
  if (around.includes(value)) return "[circular]";
  const inside = [...around, value];
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, change, inside, field) ?? null);
  if (value instanceof Map || value instanceof Set) {
    return [...value].map((item: unknown) => jsonOf(item, change, inside) ?? null);
  }
  if (ArrayBuffer.isView(value)) return hashOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return hashOf(new Uint8Array(value));
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof URL || value instanceof RegExp) return change(String(value));
  if (value instanceof Error) return { name: value.name, message: change(value.message) };
  if ("toJSON" in value && typeof value.toJSON === "function") return jsonOf(value.toJSON(), change, inside);
  const json: Record<string, Json> = {};
  for (const key of Object.keys(value).sort()) {
    const inner = jsonOf(Reflect.get(value, key), change, inside, key);
    if (inner !== undefined) define(json, change(key), inner);
  }
  return json;
}

/** Sets a field whatever its name is: `__proto__` is one too. */
function define(record: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A value of JSON with its strings changed, and with sorted keys. */
export function withTexts(json: Json, change: ChangeText): Json {
  return jsonOf(json, change, []) ?? null;
}

/** SHA-256, as hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Stands for bytes, or for the text of many. */
export function hashOf(data: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}

/** Where a value holds something that JSON cannot, and what it is; `undefined` if it is plain JSON. */
export function notJson(value: unknown): { readonly path: string; readonly kind: string } | undefined {
  return problemIn(value, "", []);
}

function problemIn(value: unknown, path: string, around: readonly object[]): ReturnType<typeof notJson> {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { path, kind: String(value) };
  if (value === undefined) return undefined;
  if (typeof value !== "object") return { path, kind: kindOf(value) };
  if (around.includes(value)) return { path, kind: "a value that contains itself" };
  const inside = [...around, value];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (item === undefined) return { path: `${path}[${index}]`, kind: "undefined" };
      const problem = problemIn(item, `${path}[${index}]`, inside);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (!isPlainObject(value)) return { path, kind: kindOf(value) };
  for (const [key, item] of Object.entries(value)) {
    const problem = problemIn(item, path === "" ? key : `${path}.${key}`, inside);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
