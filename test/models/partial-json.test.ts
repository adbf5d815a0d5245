import fc from "fast-check";
import { expect, it } from "vitest";
import { completedJson } from "../../src/models/partial-json.js";

/** What is no JSON at all is not noticed before it is parsed. */
const read = (text: string): unknown => {
  const json = completedJson(text);
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
};

it.each([
  ["", undefined],
  ["  ", undefined],
  ["{", {}],
  ['{"a', {}],
  ['{"a":', {}],
  ['{"a":"b', { a: "b" }],
  ['{"a":"b\\', { a: "b" }],
  ['{"a":"b\\u00', { a: "b" }],
  ['{"a":"b\\u00e9', { a: "bé" }],
  ['{"a":"b\\\\', { a: "b\\" }],
  ['{"a":12', {}],
  ['{"a":12,', { a: 12 }],
  ['{"a":12}', { a: 12 }],
  ['{"a":tru', {}],
  ['{"a":true ', { a: true }],
  ['{"a":[1,{"b":null},{"c"', { a: [1, { b: null }, {}] }],
  ["[1,2", [1]],
  ['"he', "he"],
  ['{"a":"x"} and more', { a: "x" }],
  ["no JSON", undefined],
  ["}", undefined],
])("completes %j", (text, expected) => {
  expect(read(text)).toEqual(expected);
});

it("completes every beginning of any JSON text", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      (value, share, pretty) => {
        const text = JSON.stringify({ value }, undefined, pretty ? 2 : undefined);
        const json = completedJson(text.slice(0, Math.floor(text.length * share)));
        if (json !== undefined) JSON.parse(json);
        expect(read(text)).toEqual(JSON.parse(text));
      },
    ),
    { numRuns: 500 },
  );
});
