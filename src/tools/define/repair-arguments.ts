import { isFields } from "../../is.js";
import type { JsonSchema, StandardIssue } from "../../schema/standard-schema.js";
import { visitFaults } from "../../schema/validation/fault-places.js";
import { typesIn } from "../../schema/validation/schema-places.js";

/** One repair in the arguments of a call. */
export interface ArgumentRepair {
  /** The path of the repaired value; `[]` for the whole text. */
  readonly path: readonly string[];
  /** The repairs that were made: JSON inside a string, `null` for an optional property, or text after the object. */
  readonly repair: "decoded_text" | "dropped_null" | "cut_trailing_text";
}

/** Finds the object in a text that is not an object; `undefined` if there is none, or more than one. */
export function repairText(text: string): { readonly value: object; readonly repair: ArgumentRepair } | undefined {
  const whole = parsed(text);
  if (whole === undefined) {
    const value = parsed(firstObjectIn(text) ?? "");
    return isFields(value) ? { value, repair: { path: [], repair: "cut_trailing_text" } } : undefined;
  }
  const inner = typeof whole === "string" ? parsed(whole) : undefined;
  return isFields(inner) ? { value: inner, repair: { path: [], repair: "decoded_text" } } : undefined;
}

/**
 * Repairs a value in place where an issue points and the cause is clear: strings that contain JSON of the expected type, and `null`
 * for optional properties.
 */
export function repairValue(value: object, schema: JsonSchema, issues: readonly StandardIssue[]): ArgumentRepair[] {
  const repairs: ArgumentRepair[] = [];
  visitFaults(value, schema, issues, ({ holder, key, path, schemas, isOptional }) => {
    const types = typesIn(schemas);
    const given = holder[key];
    if (given === null && isOptional && types?.has("null") === false) {
      Reflect.deleteProperty(holder, key);
      repairs.push({ path, repair: "dropped_null" });
    } else if (typeof given === "string" && types?.has("string") === false) {
      const decoded = parsed(given);
      if (!isOneOf(decoded, types)) return;
      holder[key] = decoded;
      repairs.push({ path, repair: "decoded_text" });
    }
  });
  return repairs;
}

function isOneOf(value: unknown, types: ReadonlySet<string>): boolean {
  switch (typeof value) {
    case "boolean":
      return types.has("boolean");
    case "number":
      return (types.has("number") && Number.isFinite(value)) || (types.has("integer") && Number.isSafeInteger(value));
    case "object":
      return value !== null && types.has(Array.isArray(value) ? "array" : "object");
    default:
      return false;
  }
}

/** `undefined` if it is not JSON, or has a number that JavaScript cannot represent exactly. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return [...text.matchAll(stringsAndNumbers)].every(([token]) => isHeld(token)) ? value : undefined;
  } catch {
    return undefined;
  }
}

const stringsAndNumbers = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function isHeld(token: string): boolean {
  return token.startsWith('"') || digitsOf(token) === digitsOf(String(Number(token)));
}

/** The normalized digits and exponent of a number: the same for `1.50e2` and `150`. */
function digitsOf(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === "" ? "0" : `${sign}${significant}e${power}`;
}

/** The text of the object at the start; `undefined` if another object follows, because it is unclear which one was meant. */
function firstObjectIn(text: string): string | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  let depth = 0;
  let isInText = false;
  for (let position = 0; position < text.length; position++) {
    const letter = text[position];
    if (isInText) {
      if (letter === "\\") position++;
      else if (letter === '"') isInText = false;
    } else if (letter === '"') isInText = true;
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth === 0) {
      return text.includes("{", position) ? undefined : text.slice(0, position + 1);
    }
  }
  return undefined;
}
