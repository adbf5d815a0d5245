import { isFields } from "../../is.js";
/** A schema inside another one, and the path to it. */
export interface SchemaNode {
  readonly node: Record<string, unknown>;
  readonly path: readonly string[];
}

const mapKeywords: readonly string[] = [
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"],
];
const listKeywords: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const schemaKeywords: readonly string[] = [
  ...["items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"],
];

/** The kind of a keyword's value: a schema, a map or a list of schemas, or another value. */
export function subschemaKinds(keyword: string, value: unknown): "schema" | "map" | "list" | "value" {
  if (mapKeywords.includes(keyword)) return isFields(value) ? "map" : "value";
  if (listKeywords.includes(keyword) || (keyword === "items" && Array.isArray(value)))
    return Array.isArray(value) ? "list" : "value";
  return schemaKeywords.includes(keyword) && isFields(value) ? "schema" : "value";
}

/** A schema and all schemas inside it, from the outside in. */
export function* schemaNodes(schema: unknown, path: readonly string[] = []): Generator<SchemaNode> {
  if (!isFields(schema)) return;
  yield { node: schema as Record<string, unknown>, path };
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = subschemaKinds(keyword, value);
    if (kind === "schema") yield* schemaNodes(value, [...path, keyword]);
    else if (kind !== "value") {
      for (const [key, inner] of Object.entries(value as object)) yield* schemaNodes(inner, [...path, keyword, key]);
    }
  }
}
