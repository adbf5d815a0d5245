import { deepest } from "./depth.js";

/**
 * Whether JSON represents a value completely: it consists of strings, finite numbers, booleans, null, arrays without holes and
 * plain objects, none of which occurs twice. Calls no getters and never throws. This must be cheaper than writing the value.
 */
export function isJsonTree(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isJsonLeaf(value);
  try {
    return !("toJSON" in Array.prototype) && isTree(value, new Set(), 0);
  } catch {
    return false; // a proxy that throws when it is read
  }
}

/** The same for a primitive value. */
export function isJsonLeaf(value: unknown): value is string | number | boolean | null {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    default:
      return value === null;
  }
}

function isTree(value: object, seen: Set<object>, depth: number): boolean {
  const count = seen.size;
  if (seen.add(value).size === count || depth > deepest) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return prototype === Array.prototype && isTreeOfList(value, seen, depth);
  if (prototype !== Object.prototype || Object.getOwnPropertySymbols(value).length > 0) return false;
  for (const key of Object.keys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined) return false;
    const inner: unknown = descriptor.value; // undefined for a getter
    if (typeof inner === "object" && inner !== null ? !isTree(inner, seen, depth + 1) : !isJsonLeaf(inner))
      return false;
  }
  return true;
}

/** Whether JSON can represent an object as a record, whatever its values are. */
export function isPlainRecord(value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key === "symbol" || descriptor?.enumerable !== true || !("value" in descriptor)) return false;
  }
  return true;
}

/** The same for an array. */
export function isPlainList(value: object): value is readonly unknown[] {
  if (!Array.isArray(value) || Object.getPrototypeOf(value) !== Array.prototype) return false;
  for (let index = 0; index < value.length; index++) {
    if (value[index] === undefined && !Object.hasOwn(value, index)) return false;
  }
  return true;
}

function isTreeOfList(list: readonly unknown[], seen: Set<object>, depth: number): boolean {
  for (let index = 0; index < list.length; index++) {
    const inner = list[index]; // undefined for a hole
    if (typeof inner === "object" && inner !== null ? !isTree(inner, seen, depth + 1) : !isJsonLeaf(inner))
      return false;
  }
  return true;
}
