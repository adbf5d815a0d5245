import fc from "fast-check";
import { expect, it } from "vitest";
import { writeRun } from "../../../src/checkpoint/document/write-document.js";
import { quoted } from "../../../src/checkpoint/values/quoted.js";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { numberOfRuns } from "../../number-of-runs.js";

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.constantFrom('"', "\\", "\n", "\u007f", "\u2028", "\ud800", "node:a;tool:b", "~!#[]^", "x".repeat(300)),
);

it("a text is quoted as JSON does it", () => {
  const property = fc.property(texts, (text) => {
    expect(quoted(text)).toBe(JSON.stringify(text));
  });
  fc.assert(property, { numRuns: numberOfRuns(1_000) });
});

it("nodes of any name and kind, that lead anywhere, are written as JSON does it, as often as that is asked", () => {
  const codec = new ValueCodec([]);
  const property = fc.property(texts, texts, fc.array(texts, { maxLength: 3 }), (node, kind, targets) => {
    const task = { node, kind, step: 1, done: true, targets, output: { value: 2 }, visit: undefined, route: undefined };
    const run = { address: node, base: 1, state: undefined, tasks: [task, task], stop: undefined, passed: [] };
    const written = { ...task, output: [{ json: 2 }] };
    const expected = { ...run, state: null, tasks: [written, written], stop: null };
    expect(JSON.parse(writeRun(run, codec))).toEqual(JSON.parse(JSON.stringify(expected)));
  });
  fc.assert(property, { numRuns: numberOfRuns(1_000) });
});

it("a node that became something else under the same name is written as what it is now", () => {
  const codec = new ValueCodec([]);
  const kindOf = (kind: string): unknown => {
    const task = {
      node: "a",
      kind,
      step: 1,
      done: true,
      targets: [],
      output: undefined,
      visit: undefined,
      route: undefined,
    };
    const run = { address: "", base: 1, state: undefined, tasks: [task], stop: undefined, passed: [] };
    return JSON.parse(writeRun(run, codec)).tasks[0].kind;
  };
  expect([kindOf("lambda"), kindOf("graph"), kindOf("lambda")]).toEqual(["lambda", "graph", "lambda"]);
});

it.each([1e21, 1e-7, 0.1, -5, 123456789012345680000, 5e-324])("the number %d is written as JSON does it", (value) => {
  expect(new ValueCodec([]).encodeTree(value)).toBe(JSON.stringify({ json: value }));
});

it.each([-0, Number.NaN, Number.POSITIVE_INFINITY])("the number %d is left to what keeps it", (value) => {
  expect(new ValueCodec([]).encodeTree(value)).toBeUndefined();
});
