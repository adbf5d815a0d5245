import { isPlainObject } from "../../is.js";

/** Whether two answers are the same value: as JSON, in any order of fields; dates, bytes, maps and sets by what they hold. */
export function isSameAnswer(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) return Array.isArray(other) && isSameList(one, other);
  if (one instanceof Date) return other instanceof Date && one.getTime() === other.getTime();
  if (one instanceof Uint8Array) return other instanceof Uint8Array && isSameList([...one], [...other]);
  if (one instanceof Map) return other instanceof Map && isSameList([...one], [...other]);
  if (one instanceof Set) return other instanceof Set && isSameList([...one], [...other]);
  return isPlainObject(one) && isPlainObject(other) && isSameRecord(one, other);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => isSameAnswer(item, other[index]));
}

function isSameRecord(one: object, other: object): boolean {
  const [fields, others] = [definedIn(one), definedIn(other)];
  const names = Object.keys(fields);
  if (names.length !== Object.keys(others).length) return false;
  return names.every((name) => Object.hasOwn(others, name) && isSameAnswer(fields[name], others[name]));
}

/** A field that is `undefined` is as good as none. */
function definedIn(record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
