import type { JsonSchema, StandardIssue } from "../schema/standard-schema.js";
import { schemaAt, typesIn, whatItMayBe } from "./schema-places.js";

/** One thing that was put right in the arguments of a call. */
export interface ArgumentRepair {
  /** Where; `[]` is the whole text. */
  readonly path: readonly string[];
  /** JSON that was written as a text once more, `null` for something that may be absent, text behind the object. */
  readonly repair: "decoded_text" | "dropped_null" | "cut_trailing_text";
}

/** An object that was written with something wrong around it; `undefined` when there is none, or when more than one is there. */
export function repairText(text: string): { readonly value: object; readonly repair: ArgumentRepair } | undefined {
  const whole = parsed(text);
  if (whole === undefined) {
    const value = parsed(firstObjectIn(text) ?? "");
    return isRecord(value) ? { value, repair: { path: [], repair: "cut_trailing_text" } } : undefined;
  }
  const inner = typeof whole === "string" ? parsed(whole) : undefined;
  return isRecord(inner) ? { value: inner, repair: { path: [], repair: "decoded_text" } } : undefined;
}

/**
 * Puts right what has a clear cause, in place, and only where an issue points: texts that hold exactly what the schema wants
 * there, and `null` for properties that may be absent.
 */
export function repairValue(value: object, schema: JsonSchema, issues: readonly StandardIssue[]): ArgumentRepair[] {
  const repairs: ArgumentRepair[] = [];
  new Repairer(schema, issues.map(keysOf), repairs).inside(value, [schema], []);
  return repairs;
}

/** Deeper down nothing is repaired. */
const mostLevels = 64;

class Repairer {
  private readonly root: JsonSchema;
  private readonly faults: readonly (readonly string[])[];
  private readonly repairs: ArgumentRepair[];

  constructor(root: JsonSchema, faults: readonly (readonly string[])[], repairs: ArgumentRepair[]) {
    this.root = root;
    this.faults = faults;
    this.repairs = repairs;
  }

  /** What is wrong inside an object or a list. */
  inside(holder: object, schemas: readonly JsonSchema[], path: readonly string[]): void {
    if (path.length > mostLevels) return;
    const places = whatItMayBe(schemas, this.root);
    for (const key of Object.keys(holder)) {
      if (key === "__proto__") continue;
      const below = schemaAt(places, key, Array.isArray(holder));
      this.at(holder as Record<string, unknown>, key, below.schemas, below.isOptional, [...path, key]);
    }
  }

  private at(
    holder: Record<string, unknown>,
    key: string,
    schemas: readonly JsonSchema[],
    isOptional: boolean,
    path: readonly string[],
  ): void {
    const isAtFault = this.faults.some((fault) => startsWith(path, fault));
    if (!isAtFault && !this.faults.some((fault) => startsWith(fault, path))) return;
    const types = typesIn(whatItMayBe(schemas, this.root));
    if (isAtFault && holder[key] === null && isOptional && types?.has("null") === false) {
      Reflect.deleteProperty(holder, key);
      this.repairs.push({ path, repair: "dropped_null" });
      return;
    }
    const text = holder[key];
    if (isAtFault && typeof text === "string" && types?.has("string") === false) {
      const value = parsed(text);
      if (!isOneOf(value, types)) return;
      holder[key] = value;
      this.repairs.push({ path, repair: "decoded_text" });
    }
    const value = holder[key];
    if (typeof value === "object" && value !== null) this.inside(value, schemas, path);
  }
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

/** `undefined` when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of the object at the beginning. When another one follows, nobody knows which of them was meant. */
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

function keysOf({ path = [] }: StandardIssue): string[] {
  return path.map((step) => String(typeof step === "object" ? step.key : step));
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.length <= path.length && start.every((key, index) => key === path[index]);
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
