import { invalidCheckpointId } from "../errors.js";

const longest = 512;

/** Throws when this cannot be the id of a checkpoint. */
export function checkCheckpointId(id: unknown): asserts id is string {
  if (typeof id !== "string") throw invalidCheckpointId(id, "an id is a text");
  // counted only when the units, of which a character has one or two, say that it may be too long
  if (id.length <= longest) return;
  let count = 0;
  for (const _character of id) count += 1;
  if (count > longest) throw invalidCheckpointId(id, `it has ${count} characters, ${longest} is the limit`);
}

/** What the ids begin with that belong to the library. */
export const reservedMark = "~";

/** Whether `list(prefix)` gives an id: ids of the library only for a prefix that begins as they do. */
export function isListed(id: string, prefix: string): boolean {
  return id.startsWith(prefix) && (prefix !== "" || !id.startsWith(reservedMark));
}

/** Compares as `list` orders: by code point. (`<` compares UTF-16 units, which puts U+1F600 before U+FF5E.) */
export function byCodePoint(a: string, b: string): number {
  for (let index = 0; index < a.length && index < b.length; ) {
    const [left, right] = [a.codePointAt(index) ?? 0, b.codePointAt(index) ?? 0];
    if (left !== right) return left - right;
    index += left > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}
