import { cannotMerge, describe } from "./errors.js";

/**
 * Whether a value is a record: an object that is no array, function, stream, promise or class instance with methods.
 */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  if (Symbol.asyncIterator in value || "then" in value) return false;
  return plainPrototype(prototype as object);
}

/** A class without methods makes records too; so does `Object.prototype` of another realm. */
function plainPrototype(prototype: object): boolean {
  if (Object.getPrototypeOf(prototype) === null) return true;
  return (
    Object.getOwnPropertyNames(prototype).every((name) => name === "constructor") &&
    plainPrototype(Object.getPrototypeOf(prototype) as object) &&
    Object.getOwnPropertySymbols(prototype).length === 0
  );
}

/** Joins the records of several sources into one; a key that two of them have is an error, as is anything but a record. */
export function mergeRecords(
  values: readonly unknown[],
  sources: readonly string[],
  path: readonly string[],
): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (let n = 0; n < values.length; n++) {
    const value = values[n];
    if (!isRecord(value)) throw notARecord(value, sources[n] ?? "", path);
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(merged, key)) throw duplicateKey(key, ownerOf(key, values, sources), sources[n] ?? "", path);
      merged[key] = value[key];
    }
  }
  return merged;
}

function ownerOf(key: string, values: readonly unknown[], sources: readonly string[]): string {
  const first = values.findIndex((value) => isRecord(value) && Object.hasOwn(value, key));
  return sources[first] ?? "";
}

export function duplicateKey(key: string, first: string, second: string, path: readonly string[]): Error {
  return cannotMerge(path, `duplicated key "${key}", from "${first}" and from "${second}".`);
}

export function notARecord(value: unknown, source: string, path: readonly string[]): Error {
  return cannotMerge(path, `"${source}" gives ${describe(value)}, and only records can be joined.`);
}
