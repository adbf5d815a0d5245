import fc from "fast-check";
import { expect, it } from "vitest";
import { quoted, quotedName } from "../../../src/compose/interrupt/quoted.js";

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.constantFrom('"', "\\", "\n", "\u007f", "\u2028", "\ud800", "node:a;tool:b", "~!#[]^", "x".repeat(300)),
);

it.each([
  ["quoted", quoted],
  ["quotedName", quotedName],
] as const)("%s writes every text as JSON does, as often as it is asked", (_name, quote) => {
  const property = fc.property(texts, (text) => {
    expect([quote(text), quote(text)]).toEqual([JSON.stringify(text), JSON.stringify(text)]);
  });
  fc.assert(property, { numRuns: 2_000 });
});
