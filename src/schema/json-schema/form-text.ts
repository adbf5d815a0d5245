import { isFields } from "../../is.js";
import type { JsonSchema } from "../standard-schema.js";

/** How an object of a JSON Schema looks, such as `{ approved: boolean, reason?: string }`; `undefined` for other schemas. */
export function formText(schema: JsonSchema): string | undefined {
  const { type, properties, required } = schema;
  if (type !== "object" || !isFields(properties) || Object.keys(properties).length === 0) return undefined;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const names = Object.keys(properties).sort((left, right) => Number(isRequired(right)) - Number(isRequired(left)));
  const fields = names.slice(0, mostFields).map((name) => {
    const key = /^[\p{L}_$][\p{L}\d_$]*$/u.test(name) ? name : JSON.stringify(name);
    return `${key}${isRequired(name) ? "" : "?"}: ${typeText(properties[name])}`;
  });
  return `{ ${fields.join(", ")}${names.length > fields.length ? ", …" : ""} }`;
}

const mostFields = 8;

function typeText(schema: unknown): string {
  if (!isFields(schema)) return "any value";
  const { type, enum: values, const: value, anyOf } = schema;
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values))
    return values
      .slice(0, mostFields)
      .map((one) => JSON.stringify(one))
      .join(" | ");
  if (type !== undefined) return [type].flat().map(String).join(" | ");
  return Array.isArray(anyOf) ? [...new Set(anyOf.map(typeText))].join(" | ") : "any value";
}
