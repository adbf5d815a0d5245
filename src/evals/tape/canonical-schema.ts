import { isFields } from "../../is.js";

/** Keys of JSON Schema whose lists are sets. */
const sets: ReadonlySet<string> = new Set(["required", "enum", "type"]);

/** A JSON Schema without its dialect, and with the same order in its sets whoever made it. */
export function canonicalSchema(schema: unknown): unknown {
  return read(schema, "schema");
}

/** In `properties` and the like, keys are names of the user. */
const records: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Values that are no schemas, whatever they hold. */
const values: ReadonlySet<string> = new Set(["const", "default", "examples"]);

function read(value: unknown, as: "schema" | "record" | "value"): unknown {
  if (Array.isArray(value)) return value.map((item) => read(item, as === "value" ? "value" : "schema"));
  if (!isFields(value) || as === "value") return value;
  const kept: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (as === "record") kept.push([key, read(inner, "schema")]);
    else if (key === "$schema") continue;
    else if (sets.has(key) && Array.isArray(inner)) kept.push([key, inner.toSorted(byText)]);
    else if (values.has(key)) kept.push([key, inner]);
    else kept.push([key, read(inner, records.has(key) ? "record" : "schema")]);
  }
  return Object.fromEntries(kept);
}

function byText(one: unknown, other: unknown): number {
  const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
  return left < right ? -1 : Number(left > right);
}
