import { encodeJson } from "../schema/encode-json.js";
import { notText } from "./errors.js";

/** The value of a variable: a string is inserted unchanged, any other value as JSON. */
export type TemplateValue = NonNullable<unknown> | null;

/** Converts a value to text. */
export function textOfValue(name: string, value: unknown): string {
  return typeof value === "string" ? value : jsonOf(name, value);
}

/** Copies a value to plain data, so that templates cannot access methods, classes or prototypes. */
export function plainValue(name: string, value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.parse(jsonOf(name, value)) : checkScalar(name, value);
}

function checkScalar(name: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function" || typeof value === "symbol") throw notText(name, value);
  return value;
}

function jsonOf(name: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(typeof value === "bigint" ? value.toString() : encodeJson(value));
  if (text === undefined) throw notText(name, value);
  return typeof value === "bigint" ? value.toString() : text;
}
