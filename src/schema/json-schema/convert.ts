import { messageOf } from "../../errors.js";
import { schemaInvalid, schemaUnsupported } from "../errors.js";
import {
  type AnyStandardSchema,
  isStandardSchema,
  type JsonSchema,
  type StandardJSONSchemaOptions,
  type StandardJSONSchemaV1,
} from "../standard-schema.js";
import { dialectOf } from "./dialect.js";
import { schemaProblem } from "./schema-problem.js";

/** A dialect to which schemas can be converted: `"draft-2020-12"`, `"draft-07"`, `"openapi-3.0"` or another one. */
export type JsonSchemaTarget = StandardJSONSchemaOptions["target"];

/** Options of {@link toJsonSchema}. */
export interface ToJsonSchemaOptions {
  /** Whether to describe the input, or the output after defaults and transforms. @default "input" */
  readonly side?: "input" | "output" | undefined;
  /** The dialect to write. A plain JSON Schema stays as it is. @default "draft-2020-12" */
  readonly target?: JsonSchemaTarget | undefined;
}

/**
 * Converts a schema to JSON Schema. A plain JSON Schema is returned as it is. A date becomes a string of format `date-time`; any
 * other part that JSON cannot express throws `SCHEMA_UNSUPPORTED`, and never becomes an empty schema.
 *
 * @example
 * const schema = toJsonSchema({ type: "object", properties: { city: { type: "string" } } });
 */
export function toJsonSchema(
  schema: AnyStandardSchema | JsonSchema,
  { side = "input", target = "draft-2020-12" }: ToJsonSchemaOptions = {},
): JsonSchema {
  if (!isStandardSchema(schema)) return requirePlain(schema);
  const { vendor } = schema["~standard"];
  if (!hasJsonSchema(schema)) throw withoutConverter(vendor);
  const dialect = dialectOf(vendor);
  const options = dialect ? { target, libraryOptions: dialect.libraryOptions } : { target };
  let converted: JsonSchema;
  try {
    converted = schema["~standard"].jsonSchema[side](options);
  } catch (cause) {
    throw notConvertible(vendor, messageOf(cause), cause);
  }
  const problems = dialect?.problemsIn(converted) ?? [];
  if (problems.length > 0) throw notConvertible(vendor, `JSON has no ${problems.join(", no ")}.`);
  return converted;
}

/** Whether a schema can validate, but not convert to JSON Schema. An old zod does not count, because it is a wrong version. */
export function onlyValidates(schema: unknown): boolean {
  return isStandardSchema(schema) && !hasJsonSchema(schema) && schema["~standard"].vendor !== "zod";
}

function requirePlain(schema: unknown): JsonSchema {
  const problem = schemaProblem(schema);
  if (problem !== undefined) throw schemaInvalid(`The schema ${problem}`);
  return schema as JsonSchema;
}

function hasJsonSchema(schema: AnyStandardSchema): schema is StandardJSONSchemaV1 {
  const standard: object = schema["~standard"];
  return "jsonSchema" in standard && typeof standard.jsonSchema === "object";
}

function withoutConverter(vendor: string): Error {
  const remedies: Readonly<Record<string, string>> = {
    zod: 'Import it from "zod" 4.2 or newer, not from "zod/v3" or "zod/mini"',
    valibot: 'Wrap it with toStandardJsonSchema of "@valibot/to-json-schema"',
  };
  const remedy = Object.hasOwn(remedies, vendor)
    ? remedies[vendor]
    : `Use a version of ${vendor} with Standard JSON Schema`;
  return schemaUnsupported(
    `This ${vendor} schema only validates and cannot be converted to JSON Schema. ${remedy}, or pass a plain JSON Schema instead.`,
  );
}

function notConvertible(vendor: string, reason: string, cause?: unknown): Error {
  return schemaUnsupported(
    `This ${vendor} schema cannot be converted to JSON Schema. Use types that JSON has, or pass a plain JSON Schema instead. ${reason}`,
    cause,
  );
}
