import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SchemaCompilers } from "../../../src/schema/json-schema/compilers.js";
import { numberOfRuns } from "../../number-of-runs.js";

const compilersOf = () => [new SchemaCompilers(false), new SchemaCompilers(true)] as const;

type Issues = readonly { readonly path?: readonly unknown[] | undefined; readonly message: string }[] | undefined;

const sorted = (issues: Issues) => issues?.map(({ path = [], message }) => `${path.join(".")}: ${message}`).sort();

const names = ["a", "b", "id", "$id", "c d", "100%", "x/y~z"];
const ids = [
  "https://e.com/t",
  "https://e.com/t",
  "tree.json",
  "urn:x:y",
  "#q",
  "not a uri",
  "%zz",
  "http://[",
  "",
  "a#b",
];
const anchors = ["q", "q", "r", "1x"];
const references = [
  ...[
    "#",
    "#q",
    "#r",
    "#/$defs/a",
    "#/$defs/c%20d",
    "#/$defs/100%25",
    "#/$defs/x~1y~0z",
    "#/properties/a",
    "#/parts/b",
  ],
  ...[
    "#/nowhere",
    "https://e.com/t",
    "https://e.com/t#/$defs/a",
    "https://e.com/t#q",
    "tree.json#q",
    "urn:x:y#/$defs/b",
  ],
  ...["not a uri", "%zz", "http://[", "https://e.com/other", "#/properties/100%", "#/$list/0"],
];

const scalar = fc.oneof(
  fc.constantFrom<object>({ type: "string" }, { type: "integer" }, { type: ["number", "null"] }, { type: "boolean" }),
  fc.constantFrom<object>({ enum: ["x", 1] }, { const: "y" }, { minimum: 2 }, { type: "string", minLength: 2 }),
  fc.constantFrom<object>({ type: "string", nullable: true }, { type: "string", pattern: "^x" }, { not: { const: 1 } }),
  fc.constantFrom<object>({ anyOf: [{ type: "string" }, { minimum: 5 }] }, {}),
);

/** Schemas with names and references that may be odd, doubled, or lead nowhere, also under keywords that nobody knows. */
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => {
  const record = fc.dictionary(fc.constantFrom(...names), tie("schema"), { maxKeys: 3 });
  const reference = fc.record(
    { $ref: fc.constantFrom(...references), maximum: fc.constant(9) },
    { requiredKeys: ["$ref"] },
  );
  const holder = fc.record(
    {
      $id: fc.constantFrom(...ids),
      $anchor: fc.constantFrom(...anchors),
      type: fc.constant("object"),
      id: fc.constantFrom(...ids),
      properties: record,
      $defs: record,
      parts: record,
      $list: fc.array(tie("schema"), { maxLength: 2 }),
      example: fc.constant({ $id: "%zz", $ref: "#/nowhere" }),
      required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
      additionalProperties: fc.constantFrom<unknown>(false, { type: "string" }),
    },
    { requiredKeys: [] },
  );
  return { schema: fc.oneof({ depthSize: "small" }, scalar, reference, holder) as never };
});

const root = fc
  .tuple(fc.constantFrom(undefined, "http://json-schema.org/draft-07/schema#"), schema, schema, schema)
  .map(([$schema, a, b, top]) => ({
    ...($schema && { $schema }),
    ...top,
    properties: { ...(top.properties as object | undefined), a },
    $defs: { ...(top.$defs as object | undefined), b },
  }));

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>("x", "y", "xyz", 1, 5, 11, 1.5, true, null),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3 }),
    fc.array(tie("value"), { maxLength: 2 }),
  ),
}));

describe("a JSON Schema is checked the same with and without code generation", () => {
  it("as a whole", async () => {
    await fc.assert(
      fc.asyncProperty(root, fc.array(value, { minLength: 1, maxLength: 4 }), async (given, values) => {
        const [left, right] = await Promise.all(
          compilersOf().map((compilers) =>
            compilers.compile(given).then(
              (check) => ({ check }),
              (error: { code: string; message: string }) => ({ error }),
            ),
          ),
        );
        if (left === undefined || right === undefined || "error" in left || "error" in right) {
          expect(right).toEqual(left);
          return;
        }
        for (const one of values) expect(sorted(right.check(one))).toEqual(sorted(left.check(one)));
      }),
      { numRuns: numberOfRuns(75) },
    );
  });

  it("and as far as it can be checked, with the same parts left out", async () => {
    await fc.assert(
      fc.asyncProperty(root, fc.array(value, { minLength: 1, maxLength: 4 }), async (given, values) => {
        const [left, right] = await Promise.all(
          compilersOf().map((compilers) => compilers.compileLoosely(given, () => compilers.compile(given))),
        );
        expect(right?.unchecked).toEqual(left?.unchecked);
        expect(left?.unchecked.map(({ path }) => path)).not.toContain("");
        for (const one of values) expect(sorted(right?.check(one))).toEqual(sorted(left?.check(one)));
      }),
      { numRuns: numberOfRuns(75) },
    );
  });
});
