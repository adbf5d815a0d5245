import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byCodePoint } from "../../src/compose/interrupt/checkpoint-id.js";
import { endOfPrefix, idFromBytes, idToBytes } from "../../src/stores/id-bytes.js";

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
const characters = (id: string) => [...id];

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

describe("endOfPrefix", () => {
  it("parts what begins with a text, character by character, from all that comes after it", () => {
    fc.assert(
      fc.property(text, text, (prefix, rest) => {
        for (const id of [rest, prefix + rest]) {
          const begins = characters(prefix).every((part, index) => part === characters(id)[index]);
          const after = Buffer.compare(idToBytes(id), endOfPrefix(idToBytes(prefix))) >= 0;
          if (begins !== (compare(id, prefix) >= 0 && !after)) return false;
        }
        return true;
      }),
    );
  });
});
