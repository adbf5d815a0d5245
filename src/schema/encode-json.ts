import { toBase64 } from "./base64.js";
/**
 * Converts a value so that `JSON.stringify` neither throws nor loses what a model should read: a bigint becomes a string, a date
 * an ISO string, a map a record (or an array of pairs, if a key is not a string), a set an array, an error its name, message and
 * own fields, bytes base64, other typed arrays an array, and a circular reference `"[Circular]"`. Functions and symbols are left
 * out, as JSON does. Values that need no change are returned as they are.
 */
export function encodeJson(value: unknown): unknown {
  return isPlain(value, 0) ? value : encodeAny(value, "", []);
}

/** A copy of a value that JSON represents as it is; `undefined` for what JSON cannot represent at all. */
export function jsonCopy(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(encodeJson(value));
  return text === undefined ? undefined : JSON.parse(text);
}

/** The depth up to which the fast check looks. Deeper values take the slow way, which detects cycles. */
const deepest = 40;

/** Whether JSON represents a value as it is. This is the usual case, so the check must be fast. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  if (depth > deepest) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], depth + 1)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return false;
  for (const key in value) if (!isPlain((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false;
  return true;
}

function encodeAny(value: unknown, key: string, path: object[]): unknown {
  if (typeof value === "object" && value !== null) return encodeObject(value, key, path);
  return typeof value === "bigint" ? value.toString() : value;
}

/** `path` holds the enclosing objects. */
function encodeObject(object: object, key: string, path: object[]): unknown {
  if (path.includes(object)) return "[Circular]";
  path.push(object);
  const encoded = encodeByKind(object, key, path);
  path.pop();
  return encoded;
}

function encodeByKind(object: object, key: string, path: object[]): unknown {
  if (Array.isArray(object)) return encodeList(object, path);
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    const special = encodeSpecial(object, path);
    if (special !== unchanged) return special;
  }
  if ("toJSON" in object && typeof object.toJSON === "function") return encodeAny(object.toJSON(key), key, path);
  return encodeRecord(object, path);
}

const unchanged = Symbol("unchanged");

function encodeSpecial(object: object, path: object[]): unknown {
  if (object instanceof Date) return Number.isNaN(object.getTime()) ? null : object.toISOString();
  if (object instanceof Map) return encodeMap(object, path);
  if (object instanceof Set) return encodeList([...object], path);
  if (object instanceof Error) return encodeError(object, path);
  if (object instanceof ArrayBuffer) return toBase64(new Uint8Array(object));
  if (object instanceof Uint8Array || object instanceof Uint8ClampedArray) return toBase64(object);
  if (object instanceof DataView) return toBase64(new Uint8Array(object.buffer, object.byteOffset, object.byteLength));
  if (ArrayBuffer.isView(object)) return encodeList(Array.from(object as Int32Array), path);
  return unchanged;
}

function encodeList(list: readonly unknown[], path: object[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const encoded = encodeAny(item, String(index), path);
    if (encoded === item) continue;
    copy ??= [...list];
    copy[index] = encoded;
  }
  return copy ?? list;
}

function encodeRecord(record: object, path: object[]): object {
  let copy: Map<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    const item: unknown = Reflect.get(record, key);
    const encoded = encodeAny(item, key, path);
    if (encoded === item) continue;
    copy ??= new Map(Object.entries(record));
    copy.set(key, encoded);
  }
  // fromEntries defines own properties, so that "__proto__" is an ordinary key
  return copy === undefined ? record : Object.fromEntries(copy);
}

function encodeMap(map: ReadonlyMap<unknown, unknown>, path: object[]): unknown {
  const pairs = [...map];
  if (!pairs.every(([key]) => typeof key === "string")) return encodeList(pairs, path);
  return encodeRecord(Object.fromEntries(pairs), path);
}

function encodeError(error: Error, path: object[]): unknown {
  const { name, message, cause } = error;
  return encodeRecord(Object.assign({ name, message }, cause === undefined ? {} : { cause }, error), path);
}
