import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byCodePoint } from "../../src/checkpoint/journal/checkpoint-id.js";
import { type ByteRange, idFromBytes, idToBytes, rangesOfPrefix } from "../../src/stores/id-bytes.js";

/** Texts of all kinds, halves of surrogate pairs that may meet their other half, and a byte order mark. */
const character = fc.oneof(
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom(
    "\u0000",
    "\ud800",
    "\udbff",
    "\udc00",
    "\udfff",
    "\ud7ff",
    "\ue000",
    "\ufeff",
    "\uffff",
    "\u{10ffff}",
    "a",
  ),
);
const text = fc.string({ unit: character, maxLength: 6 });
const compare = (a: string, b: string) => Buffer.compare(idToBytes(a), idToBytes(b));

describe("idToBytes", () => {
  it("is UTF-8", () => {
    for (const id of ["", "order-7", "深圳", "😀", "\u0000", "\ufeffa"])
      expect(Buffer.from(idToBytes(id)).toString()).toBe(id);
  });

  it("keeps every id as it was", () => {
    fc.assert(fc.property(text, (id) => idFromBytes(idToBytes(id)) === id));
  });

  it("keeps the order of ids", () => {
    fc.assert(fc.property(text, text, (a, b) => Math.sign(compare(a, b)) === Math.sign(byCodePoint(a, b))));
  });
});

describe("rangesOfPrefix", () => {
  const within = (id: string, { from, before }: ByteRange) =>
    Buffer.compare(idToBytes(id), from) >= 0 && Buffer.compare(idToBytes(id), before) < 0;

  it("parts what starts with a text from everything else", () => {
    fc.assert(
      fc.property(text, text, (prefix, rest) =>
        [rest, prefix + rest].every((id) => {
          const found = rangesOfPrefix(prefix).filter((range) => within(id, range));
          return found.length === Number(id.startsWith(prefix));
        }),
      ),
    );
  });

  it("finds what a prefix cuts in the middle of a pair, in ascending order", () => {
    const [alone, pairs] = rangesOfPrefix("a\ud83d");
    expect([alone, pairs].map((range) => range && within("a\ud83d!", range))).toEqual([true, false]);
    expect([alone, pairs].map((range) => range && within("a😀", range))).toEqual([false, true]);
    expect(Buffer.compare(alone?.before ?? Buffer.of(0xff), pairs?.from ?? Buffer.of())).toBeLessThan(0);
  });
});
