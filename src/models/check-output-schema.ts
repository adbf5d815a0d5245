import { isObject, isPlainObject } from "../is.js";
import { type AnyStandardSchema, isStandardSchema, type JsonSchema } from "../schema/standard-schema.js";
import { kindOf } from "../wording.js";
import { invalidModelOption } from "./errors.js";

/** Throws if a value is not a schema: an object of something else must not pass as a JSON Schema that accepts everything. */
export function checkOutputSchema(where: string, given: unknown): asserts given is AnyStandardSchema | JsonSchema {
  if (isStandardSchema(given)) return;
  const problem = problemOf(given);
  if (problem !== undefined) {
    throw invalidModelOption(
      `${where} must be a Standard Schema, such as one of zod, or a JSON Schema, but ${problem}`,
    );
  }
}

function problemOf(given: unknown): string | undefined {
  if (!isPlainObject(given)) return `it is ${kindOf(given)}.`;
  if ("responseFormat" in given && "parseCompleteOutput" in given) {
    return "it is an output specification of the AI SDK. Pass the schema that it was made of.";
  }
  const keys = Object.keys(given);
  const schema = keys.find((key) => isStandardSchema(given[key]));
  if (schema !== undefined) {
    return `it is a record whose field "${schema}" is a schema. Make one schema of it, as with z.object({ … }).`;
  }
  if (keys.length > 0 && !keys.some((key) => keywords.has(key))) {
    return `none of its fields is a keyword of JSON Schema: ${keys.slice(0, 5).join(", ")}.`;
  }
  const path = pathOfOther(given, new Set());
  return path === undefined ? undefined : `its field ${path} is not JSON.`;
}

/** The path of the first value that JSON Schema cannot have. */
function pathOfOther(value: unknown, seen: Set<object>): string | undefined {
  if (!isObject(value)) return typeof value === "function" || typeof value === "symbol" ? "" : undefined;
  if (seen.has(value)) return undefined;
  seen.add(value);
  if (!Array.isArray(value) && !isPlainObject(value)) return "";
  for (const [key, inner] of Object.entries(value)) {
    const path = pathOfOther(inner, seen);
    if (path !== undefined) return path === "" ? key : `${key}.${path}`;
  }
  return undefined;
}

/** A schema that says anything has one of these. */
const keywords: ReadonlySet<string> = new Set([
  ...["type", "properties", "items", "enum", "const", "$ref", "allOf", "anyOf", "oneOf", "not", "if", "required"],
  ...[
    "additionalProperties",
    "patternProperties",
    "prefixItems",
    "contains",
    "format",
    "pattern",
    "minimum",
    "maximum",
  ],
  ...["$schema", "$id", "$defs", "definitions", "title", "description", "default", "examples", "nullable"],
]);
