import { invalidCheckpointId } from "../errors.js";

const longest = 512;

/** Throws unless the value is a valid checkpoint id. */
export function checkCheckpointId(id: unknown): asserts id is string {
  if (typeof id !== "string") throw invalidCheckpointId(id, "an id must be a string");
  // a character has one or two UTF-16 units: they are counted only when there are too many units
  if (id.length <= longest) return;
  let count = 0;
  for (const _character of id) count += 1;
  if (count > longest) throw invalidCheckpointId(id, `it has ${count} characters, and the limit is ${longest}`);
}

/** The first character of ids that are reserved for the library. */
export const reservedMark = "~";

/** Whether `list(prefix)` includes an id. Reserved ids are listed only for a prefix that begins with the mark. */
export function isListed(id: string, prefix: string): boolean {
  return id.startsWith(prefix) && (prefix !== "" || !id.startsWith(reservedMark));
}

/** Compares ids in the order of `list`: by code point. (`<` compares UTF-16 units, which puts U+1F600 before U+FF5E.) */
export function byCodePoint(a: string, b: string): number {
  for (let index = 0; index < a.length && index < b.length; ) {
    const [left, right] = [a.codePointAt(index) ?? 0, b.codePointAt(index) ?? 0];
    if (left !== right) return left - right;
    index += left > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}
