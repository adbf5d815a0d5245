import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonErrorPosition } from "../../../src/tools/define/json-error-position.js";

it.each([
  ["hello", 0],
  ['{"a": tru}', 9],
  ["nil", 1],
  ['{"a":1,}', 7],
  ["{'a':1}", 1],
  ['{"a" 1}', 5],
  ["[1 2]", 3],
  ["[1,]", 3],
  ['{"a":1', 6],
  ['{"a":"x', 7],
  ['["a\nb"]', 3],
  ['["\\x"]', 3],
  ['["\\u12g4"]', 3],
  ["[01]", 2],
  ["{} x", 3],
  ["{},{}", 2],
  ["[}", 1],
  ["[1]]", 3],
  ["NaN", 0],
  ['```json\n{"a":1}\n```', 0],
  ['{"a":-}', 5],
])("%s stops being JSON at %i", (text, position) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(jsonErrorPosition(text)).toBe(position);
});

it("is where a document was damaged, or at the start of the number or escape that was", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom("§", "'", "\u0001"), (document, at, garbage) => {
      const place = at % (document.length + 1);
      const text = document.slice(0, place) + garbage + document.slice(place);
      fc.pre(!isJson(text));
      const position = jsonErrorPosition(text);
      expect(position).toBeLessThanOrEqual(place);
      expect(text.slice(position, place)).toMatch(/^(?:[-+.\deE]*|u[\da-fA-F]*)$/);
    }),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it("takes deep documents without growing the stack", () => {
  expect(jsonErrorPosition("[".repeat(100_000))).toBe(100_000);
});
