import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf } from "../../../src/checkpoint/values/text-bytes.js";

describe("The bytes of a text", () => {
  it("are UTF-8, and stay what they are whatever else is written after them", () => {
    const texts = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ minLength: 900, maxLength: 1_200 })));
    const property = fc.property(texts, (some) => {
      const written = some.map((text) => bytesOf(text));
      expect(written.map((bytes) => [...bytes])).toEqual(some.map((text) => [...new TextEncoder().encode(text)]));
    });
    fc.assert(property, { numRuns: 50 });
  });
});
