import { isFields } from "../../is.js";
import type { JsonSchema, StandardJSONSchemaV1, StandardSchemaV1 } from "../../schema/standard-schema.js";

const knownDialects = /^https?:\/\/json-schema\.org\/draft(\/2020-12|-07)\/schema#?$/;

/** Why a schema cannot be checked here: it needs a document that would have to be fetched, or is of another dialect. */
export function whyUnchecked(schema: object): string | undefined {
  const dialect: unknown = Reflect.get(schema, "$schema");
  if (typeof dialect === "string" && !knownDialects.test(dialect)) return `its $schema is ${dialect}`;
  const outside = outsideReferencesIn(schema);
  if (outside.length === 0) return undefined;
  const own = identifiersIn(schema);
  const remote = outside.find((target) => !own.has(target.split("#", 1)[0] ?? ""));
  return remote === undefined ? undefined : `it refers to ${remote}, which is not fetched`;
}

/** What stands in the schema itself under an `$id` need not be fetched. */
function identifiersIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const item of value) identifiersIn(item, found);
  else if (isFields(value)) {
    if (typeof value.$id === "string") found.add(value.$id);
    for (const item of Object.values(value)) identifiersIn(item, found);
  }
  return found;
}

/** References that do not lead to a place in the schema itself. Few schemas have one. */
function outsideReferencesIn(value: unknown, found: string[] = []): string[] {
  if (Array.isArray(value)) for (const item of value) outsideReferencesIn(item, found);
  else if (isFields(value)) {
    for (const key of Object.keys(value)) {
      const field = value[key];
      if (typeof field === "object") outsideReferencesIn(field, found);
      else if ((key === "$ref" || key === "$dynamicRef") && typeof field === "string" && !field.startsWith("#"))
        found.push(field);
    }
  }
  return found;
}

/** Tells models what the schema says, and takes every value. */
export function uncheckedSchema(schema: JsonSchema): StandardSchemaV1 & StandardJSONSchemaV1 {
  const jsonSchema = () => schema;
  return {
    "~standard": {
      version: 1,
      vendor: "kumiko",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}
