import type { OutputUnit, Schema, Validator } from "@cfworker/json-schema";
import { messageOf } from "../../errors.js";
import { schemaInvalid } from "../errors.js";
import type { StandardIssue } from "../standard-schema.js";
import type { JsonSchemaDraft } from "../validation/loosen-schema.js";
import { keysOfPointer } from "./schema-path.js";

type Check = (value: unknown) => readonly StandardIssue[] | undefined;

/** Whether `new Function` is not allowed: on Cloudflare Workers, on pages with a CSP, or by a flag of Node.js. */
export function isCodeForbidden(): boolean {
  try {
    Reflect.construct(Function, [""]);
    return false;
  } catch {
    return true;
  }
}

/**
 * Checks values without generating code, by `@cfworker/json-schema`, with the same messages as ajv, which is used where generating
 * code is allowed. `text` is the schema.
 */
export async function interpretSchema(text: string, draft: JsonSchemaDraft): Promise<Check> {
  return (await loadInterpreter())(text, draft);
}

/** Loads the interpreter; the returned function compiles schemas synchronously. */
export async function loadInterpreter(): Promise<(text: string, draft: JsonSchemaDraft) => Check> {
  const { Validator, dereference } = await import("@cfworker/json-schema");
  return (text, draft) => {
    const root: object = JSON.parse(text);
    checkSchema(root);
    let validator: Validator;
    try {
      // a copy, because the validator writes resolved references into the schema
      validator = new Validator(JSON.parse(text), draft === "07" ? "7" : draft, false);
    } catch (cause) {
      throw invalid(messageOf(cause), cause);
    }
    checkReferences(dereference(JSON.parse(text)));
    return (value) => {
      const given = asJson(value);
      if (given === undefined) return [{ message: "is not a JSON value", path: [] }];
      const { valid, errors } = validator.validate(given.value);
      return valid ? undefined : issuesOf(errors, root);
    };
  };
}

const invalid = (why: string, cause?: unknown): Error =>
  schemaInvalid(`This is not a valid JSON Schema: ${why}. Correct it, or leave it out.`, cause);

const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** Checks what ajv rejects too, and the interpreter would notice only with a value. */
function checkSchema(schema: unknown, isSchema = true): void {
  if (typeof schema !== "object" || schema === null) return;
  if (Array.isArray(schema)) {
    for (const item of schema) checkSchema(item);
    return;
  }
  for (const [key, value] of Object.entries(schema)) {
    if (isSchema && key === "type") checkTypes(value);
    if (isSchema && key === "pattern") checkPattern(value);
    if (isSchema && ["const", "enum", "default", "examples"].includes(key)) continue;
    checkSchema(
      value,
      !isSchema || !["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"].includes(key),
    );
  }
}

function checkTypes(types: unknown): void {
  for (const type of Array.isArray(types) ? types : [types]) {
    if (!typeNames.includes(String(type))) throw invalid(`"type" must be one of ${typeNames.join(", ")}`);
  }
}

function checkPattern(pattern: unknown): void {
  try {
    new RegExp(String(pattern), "u");
  } catch (cause) {
    try {
      new RegExp(String(pattern));
    } catch {
      throw invalid(messageOf(cause), cause);
    }
  }
}

interface Resolved extends Schema {
  readonly __absolute_ref__?: string;
}

function checkReferences(lookup: Readonly<Record<string, Schema | boolean>>): void {
  for (const schema of Object.values(lookup)) {
    if (typeof schema === "boolean" || typeof schema.$ref !== "string") continue;
    const { $ref, __absolute_ref__: reference = $ref }: Resolved = schema;
    if (lookup[reference] === undefined) throw invalid(`can't resolve reference ${$ref}`);
  }
}

/** The value as JSON, without fields that are undefined; `undefined` for a value that JSON cannot represent. */
function asJson(value: unknown): { readonly value: unknown } | undefined {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? undefined : { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Keywords whose errors only say that something inside them does not fit. */
const around = [
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "$ref",
  "$recursiveRef",
  "$dynamicRef",
  "allOf",
  "dependentSchemas",
  "unevaluatedItems",
];

function issuesOf(errors: readonly OutputUnit[], root: object): StandardIssue[] {
  const issues: StandardIssue[] = [];
  const seen = new Set<string>();
  for (const [n, error] of errors.entries()) {
    // the error before it has already named the additional property
    if (error.keyword === "false" && /(additional|unevaluated)Properties/.test(errors[n - 1]?.keyword ?? "")) continue;
    const message = messageFor(error, root);
    const path = keysOfPointer(error.instanceLocation);
    const known = JSON.stringify([path, message]);
    if (message === undefined || seen.has(known)) continue;
    seen.add(known);
    issues.push({ message, path });
  }
  return issues.length > 0 ? issues : [{ message: "does not fit", path: [] }];
}

function messageFor({ keyword, keywordLocation, error }: OutputUnit, root: object): string | undefined {
  if (around.includes(keyword)) return undefined;
  const limit = at(root, keywordLocation);
  const [, name] = /"(.*?)"/.exec(error) ?? [];
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const kind = keyword === "additionalProperties" ? "additional" : "unevaluated";
    return limit === false ? `must NOT have ${kind} properties: ${JSON.stringify(name)}` : undefined;
  }
  return plainMessage(keyword, limit, name, error);
}

function plainMessage(keyword: string, limit: unknown, name: string | undefined, error: string): string {
  switch (keyword) {
    case "type":
      return `must be ${[limit].flat().join(",")}`;
    case "false":
      return "boolean schema is false";
    case "required":
      return `must have required property '${name}'`;
    case "enum":
      return `must be equal to one of the allowed values: ${JSON.stringify(limit)}`;
    case "const":
      return `must be equal to constant: ${JSON.stringify(limit)}`;
    case "anyOf":
      return "must match a schema in anyOf";
    case "oneOf":
      return "must match exactly one schema in oneOf";
    case "not":
      return "must NOT be valid";
    case "if":
      return `must match "${error.includes('"then"') ? "then" : "else"}" schema`;
    case "pattern":
    case "format":
      return `must match ${keyword} "${String(limit)}"`;
    case "multipleOf":
      return `must be multiple of ${String(limit)}`;
    case "uniqueItems":
      return "must NOT have duplicate items";
    case "propertyNames":
      return "property name must be valid";
    case "contains":
      return "must contain at least 1 valid item(s)";
    default:
      return limitMessage(keyword, String(limit)) ?? error;
  }
}

/** `minLength` and the like. */
function limitMessage(keyword: string, limit: string): string | undefined {
  const [, bound, unit] = /^(min|max)(Length|Items|Properties)$/.exec(keyword) ?? [];
  if (unit !== undefined) {
    const what = unit === "Length" ? "characters" : unit.toLowerCase();
    return `must NOT have ${bound === "min" ? "fewer" : "more"} than ${limit} ${what}`;
  }
  const sign = { minimum: ">=", maximum: "<=", exclusiveMinimum: ">", exclusiveMaximum: "<" }[keyword];
  return sign === undefined ? undefined : `must be ${sign} ${limit}`;
}

/** The part of a schema at a location. References on the way are followed. */
function at(root: object, location: string): unknown {
  let part: unknown = root;
  for (const step of keysOfPointer(location)) {
    if (typeof part !== "object" || part === null) return undefined;
    const next: unknown = Reflect.get(part, step);
    part = step === "$ref" && typeof next === "string" && next.startsWith("#") ? at(root, decodeURI(next)) : next;
  }
  return part;
}
