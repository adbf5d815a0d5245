// Runs where code may not be made from strings. unchecked-schemas.test.ts starts it.
import { readFileSync } from "node:fs";
import { JsonSchemaValidator } from "../../src/schema/json-schema-validator.js";

interface Case {
  readonly schema: object;
  readonly good: unknown;
  readonly bad: unknown;
}

const cases: Case[] = JSON.parse(readFileSync(0, "utf8"));
const validator = new JsonSchemaValidator();
const outcomes = await Promise.all(
  cases.map(async ({ schema, good, bad }) => {
    const { check, unchecked } = await validator.compileLoosely(schema);
    const verdict = (value: unknown) => (check(value) === undefined ? "fits" : "does not fit");
    return { paths: unchecked.map(({ path }) => path).sort(), good: verdict(good), bad: verdict(bad) };
  }),
);
console.log(JSON.stringify(outcomes));
