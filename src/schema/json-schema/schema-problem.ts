import { isFields, isPlainObject, isPromiseLike } from "../../is.js";
import { kindOf } from "../../wording.js";
import { isStandardSchema } from "../standard-schema.js";
import { subschemaKinds } from "../validation/schema-nodes.js";

/**
 * Why a value is not a schema, as the rest of a sentence about it (`is a record of schemas. Wrap it: z.object({ … }).`); `undefined`
 * for a Standard Schema or a plain JSON Schema. Without it, any object would pass as a JSON Schema that accepts everything.
 */
export function schemaProblem(given: unknown): string | undefined {
  if (isStandardSchema(given)) return undefined;
  if (!isPlainObject(given)) return `is ${kindOf(given)}, not a schema. ${wanted}`;
  const problem = foreignPart(given);
  if (problem !== undefined) return problem;
  const fields = Object.keys(given);
  if (fields.length === 0 || fields.some(isKeyword)) return undefined;
  return `is an object without a keyword of JSON Schema (fields: ${fields.join(", ")}). ${wanted}`;
}

/**
 * Why an object is neither a plain JSON Schema nor a map of parameters: it has schemas of a library in it, or what JSON lacks. As
 * {@link schemaProblem} says it.
 */
export function foreignPart(given: object): string | undefined {
  const members = Object.entries(given);
  const schemas = members.filter(([key, value]) => !dataKeywords.includes(key) && isLibrarySchema(value));
  if (schemas.length > 0) {
    const shown = schemas.slice(0, 3).map(([key]) => `${quotedIfNeeded(key)}: …`);
    const rest = members.length > shown.length ? ", …" : "";
    return `is a record of schemas, not a schema. Wrap it: ${wrapper(schemas[0]?.[1])(`${shown.join(", ")}${rest}`)}.`;
  }
  const [key, value] = members.find(([, one]) => typeof one === "function" || isPromiseLike(one)) ?? [];
  if (key !== undefined) {
    return `has ${typeof value === "function" ? "a function" : "a promise"} as "${key}", which JSON Schema does not have. ${wanted}`;
  }
  const inner = schemaInside(given, [], new Set());
  if (inner === undefined) return undefined;
  const { path, schema } = inner;
  return (
    `is a plain JSON Schema with a schema of ${vendorOf(schema)} inside it, at "${path.join(".")}". ` +
    `Write all of it with ${vendorOf(schema)}: ${wrapper(schema)("…")}. Or convert that part to JSON Schema.`
  );
}

const wanted =
  'Pass a Standard Schema (zod 4, ArkType, Valibot), or a plain JSON Schema such as { type: "object", properties: { … } }.';

/** Keywords whose values are data, which may look like anything. */
const dataKeywords: readonly string[] = ["default", "const", "enum", "examples", "example"];

/** A schema that a library made: not a JSON Schema to which it only added its `~standard`, as zod does. */
function isLibrarySchema(value: unknown): boolean {
  if (!isStandardSchema(value)) return false;
  return !isPlainObject(value) || Object.prototype.propertyIsEnumerable.call(value, "~standard");
}

function schemaInside(
  node: object,
  path: readonly string[],
  seen: Set<object>,
): { readonly path: readonly string[]; readonly schema: unknown } | undefined {
  if (seen.has(node)) return undefined;
  seen.add(node);
  for (const [keyword, value] of Object.entries(node)) {
    const kind = subschemaKinds(keyword, value);
    if (kind === "value") continue;
    const inner = kind === "schema" ? [[keyword, value] as const] : Object.entries(value as object);
    for (const [key, schema] of inner) {
      const at = kind === "schema" ? [...path, keyword] : [...path, keyword, key];
      // the schemas of ArkType are functions
      if (isLibrarySchema(schema)) return { path: at, schema };
      const found = isFields(schema) ? schemaInside(schema, at, seen) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function vendorOf(schema: unknown): string {
  return isStandardSchema(schema) ? schema["~standard"].vendor : "another library";
}

/** How a library makes an object schema of a record. */
function wrapper(schema: unknown): (fields: string) => string {
  switch (vendorOf(schema)) {
    case "valibot":
      return (fields) => `v.object({ ${fields} })`;
    case "arktype":
      return (fields) => `type({ ${fields} })`;
    default:
      return (fields) => `z.object({ ${fields} })`;
  }
}

const quotedIfNeeded = (key: string): string => (/^[\p{L}_$][\p{L}\d_$]*$/u.test(key) ? key : JSON.stringify(key));

/** The keywords of all drafts and of OpenAPI. Names that begin with `$` or `x-` are keywords too. */
const keywords: readonly string[] = (
  "type enum const format nullable title description default examples example deprecated readOnly writeOnly id " +
  "definitions discriminator xml externalDocs multipleOf maximum exclusiveMaximum minimum exclusiveMinimum " +
  "maxLength minLength pattern items prefixItems additionalItems unevaluatedItems maxItems minItems uniqueItems " +
  "contains maxContains minContains properties patternProperties additionalProperties unevaluatedProperties " +
  "propertyNames required maxProperties minProperties dependencies dependentRequired dependentSchemas not anyOf " +
  "oneOf allOf if then else contentEncoding contentMediaType contentSchema"
).split(" ");

const isKeyword = (name: string): boolean => keywords.includes(name) || /^(?:\$|x-)/.test(name);
