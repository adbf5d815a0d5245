import { isFields } from "../../is.js";
import type { JsonSchema } from "../standard-schema.js";

/** Expands schemas into those that a value may match: references are followed, and `anyOf`, `oneOf` and `allOf` are taken apart. */
export function expandSchemas(schemas: readonly JsonSchema[], root: JsonSchema): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const seen = new Set<unknown>();
  const open: unknown[] = [...schemas];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isFields(schema) || seen.has(schema)) continue;
    seen.add(schema);
    const { $ref, anyOf, oneOf, allOf } = schema;
    if (typeof $ref === "string") open.push(referenced($ref, root));
    const parts = [anyOf, oneOf, allOf].filter(Array.isArray).flat();
    open.push(...parts);
    if ((parts.length === 0 && $ref === undefined) || ownTypes(schema) !== undefined) found.add(schema);
  }
  return [...found];
}

/** The JSON types that any of the schemas accepts; `undefined` if one accepts all types, or if there are no schemas. */
export function typesIn(schemas: readonly JsonSchema[]): ReadonlySet<string> | undefined {
  const types = new Set<string>();
  for (const schema of schemas) {
    const own = ownTypes(schema);
    if (own === undefined) return undefined;
    for (const type of own) types.add(type);
  }
  return types.size === 0 ? undefined : types;
}

/** The schemas of a property or item, and whether it is optional. */
export function schemaAt(
  schemas: readonly JsonSchema[],
  key: string,
  isList: boolean,
): { readonly schemas: readonly JsonSchema[]; readonly isOptional: boolean } {
  const found: JsonSchema[] = [];
  let isOptional = false;
  for (const schema of schemas) {
    const place = isList ? itemAt(schema, Number(key)) : propertyAt(schema, key);
    if (!isFields(place)) continue;
    found.push(place);
    const { required } = schema;
    if (!isList && !(Array.isArray(required) && required.includes(key))) isOptional = true;
  }
  return { schemas: found, isOptional };
}

function propertyAt({ properties, additionalProperties }: JsonSchema, key: string): unknown {
  return isFields(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}

/** Draft-07 has tuples under `items`, later drafts under `prefixItems`. */
function itemAt({ prefixItems, items, additionalItems }: JsonSchema, index: number): unknown {
  const list: unknown = Array.isArray(items) ? items : prefixItems;
  if (Array.isArray(list) && index < list.length) return list[index];
  return Array.isArray(items) ? additionalItems : items;
}

function ownTypes(schema: JsonSchema): readonly string[] | undefined {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  if ("const" in schema) return [typeOf(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map(typeOf);
  if ("properties" in schema) return ["object"];
  return undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Resolves a reference such as `#/$defs/city`; `undefined` for references to other documents. */
function referenced(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith("#")) return undefined;
  let place: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    place = isFields(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  }
  return place;
}
