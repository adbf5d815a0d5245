import { isFields } from "../../is.js";
import type { JsonSchema, StandardJSONSchemaV1, StandardSchemaV1 } from "../../schema/standard-schema.js";

const knownDialects = /^https?:\/\/json-schema\.org\/draft(\/2020-12|-07)\/schema#?$/;

/** Why a schema cannot be validated: it refers to a remote document, or uses an unknown dialect. `undefined` if it can. */
export function uncheckedReason(schema: object): string | undefined {
  const dialect: unknown = Reflect.get(schema, "$schema");
  if (typeof dialect === "string" && !knownDialects.test(dialect)) return `its $schema is ${dialect}`;
  const outside = outsideReferencesIn(schema);
  if (outside.length === 0) return undefined;
  const own = identifiersIn(schema);
  const remote = outside.find((target) => !own.has(target.split("#", 1)[0] ?? ""));
  return remote === undefined ? undefined : `it refers to ${remote}, which is not fetched`;
}

/** Collects every `$id` in the schema: references to them need no fetch. */
function identifiersIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const item of value) identifiersIn(item, found);
  else if (isFields(value)) {
    if (typeof value.$id === "string") found.add(value.$id);
    for (const item of Object.values(value)) identifiersIn(item, found);
  }
  return found;
}

/** Collects the references that do not start with `#`. Few schemas have one. */
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

/** A schema that models see, but that accepts every value. */
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
