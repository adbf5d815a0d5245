import type { OutputUnit, Schema, Validator } from "@cfworker/json-schema";
import { messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import { schemaInvalid } from "../errors.js";
import type { StandardIssue } from "../standard-schema.js";
import type { JsonSchemaDraft } from "../validation/loosen-schema.js";
import { schemaNodes } from "../validation/schema-nodes.js";
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
 * code is allowed. The schema is one that `prepareSchema` has prepared.
 */
export async function interpretSchema(schema: object, draft: JsonSchemaDraft): Promise<Check> {
  return (await loadInterpreter())(schema, draft);
}

/** Loads the interpreter; the returned function compiles schemas synchronously. */
export async function loadInterpreter(): Promise<(schema: object, draft: JsonSchemaDraft) => Check> {
  const { Validator } = await import("@cfworker/json-schema");
  return (schema, draft) => {
    const shown = draft === "07" ? keepBesideReferences(schema) : schema;
    const interpreted = readSchema(shown);
    let validator: Validator;
    try {
      // a copy, because the validator writes resolved references into the schema
      validator = new Validator(structuredClone(interpreted), draft === "07" ? "7" : draft, false);
    } catch (cause) {
      throw invalid(messageOf(cause), cause);
    }
    return (value) => {
      const json = asJson(value);
      if (json === undefined) return [{ message: "is not a JSON value", path: [] }];
      const { valid, errors } = validator.validate(json.value);
      return valid ? undefined : issuesOf(errors, (location) => at(shown, location) ?? at(interpreted, location));
    };
  };
}

/** The schema as the interpreter needs it: with patterns for the flag `u`, and `null` as a type. */
function readSchema(given: object): Schema {
  const schema: Schema = structuredClone(given);
  for (const { node } of schemaNodes(schema)) {
    const { nullable, type, pattern, patternProperties } = node;
    if (nullable === true) node.type = [type, "null"].flat();
    Reflect.deleteProperty(node, "nullable");
    if (typeof pattern === "string") node.pattern = unicodePattern(pattern) ?? pattern;
    if (isFields(patternProperties)) {
      const entries = Object.entries(patternProperties).map(([name, inner]) => [unicodePattern(name) ?? name, inner]);
      node.patternProperties = Object.fromEntries(entries);
    }
  }
  return schema;
}

/** In draft-07, the interpreter ignores what stands beside a reference, which ajv checks. */
function keepBesideReferences(given: object): object {
  const schema = structuredClone(given);
  for (const { node } of [...schemaNodes(schema)]) {
    const { $ref, allOf } = node;
    if ($ref === undefined) continue;
    const others: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
    node.allOf = [...others, { $ref }];
    Reflect.deleteProperty(node, "$ref");
  }
  return schema;
}

const invalid = (why: string, cause?: unknown): Error =>
  schemaInvalid(`This is not a valid JSON Schema: ${why}. Correct it, or leave it out.`, cause);

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

/** Finds the part of the schema at a location. */
type Find = (location: string) => unknown;

function issuesOf(errors: readonly OutputUnit[], find: Find): readonly StandardIssue[] {
  const issues: StandardIssue[] = [];
  for (const [n, error] of errors.entries()) {
    // the error before it has already named the additional property
    if (error.keyword === "false" && /(additional|unevaluated)Properties/.test(errors[n - 1]?.keyword ?? "")) continue;
    const message = messageFor(error, find);
    if (message !== undefined)
      issues.push({ message, path: keysOfPointer(decodeURIComponent(error.instanceLocation)) });
  }
  return issues.length > 0 ? distinctIssues(issues) : [{ message: "does not fit", path: [] }];
}

/** Each issue once: references and `allOf` may lead to the same check of the same value. */
export function distinctIssues(issues: readonly StandardIssue[]): readonly StandardIssue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify([issue.path, issue.message]), issue])).values()];
}

function messageFor({ keyword, keywordLocation, error }: OutputUnit, find: Find): string | undefined {
  if (around.includes(keyword)) return undefined;
  if (/^(min|max)?contains$/i.test(keyword)) return countMessage(find(keywordLocation.replace(/\/\w+$/, "")));
  // the interpreter misspells this keyword in locations
  const limit = find(keywordLocation.replace(/dependantRequired$/, "dependentRequired"));
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
    case "dependentRequired":
    case "dependencies":
      return dependencyMessage(limit, name) ?? error;
    default:
      return limitMessage(keyword, String(limit)) ?? error;
  }
}

/** `contains`, with the limits beside it. */
function countMessage(schema: unknown): string {
  const { minContains = 1, maxContains } = isFields(schema) ? schema : {};
  const most = maxContains === undefined ? "" : ` and no more than ${maxContains}`;
  return `must contain at least ${minContains}${most} valid item(s)`;
}

function dependencyMessage(limit: unknown, name: string | undefined): string | undefined {
  const needed: unknown = isFields(limit) && name !== undefined ? limit[name] : limit;
  if (!Array.isArray(needed)) return undefined;
  const properties = `${needed.length === 1 ? "property" : "properties"} ${needed.join(", ")}`;
  return `must have ${properties} when property ${name} is present`;
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
  for (const step of keysOfPointer(decodeURIComponent(location))) {
    if (typeof part !== "object" || part === null) return undefined;
    const next: unknown = Reflect.get(part, step);
    part = step === "$ref" && typeof next === "string" && next.startsWith("#") ? at(root, next) : next;
  }
  return part;
}

/**
 * Rewrites a pattern that is valid only without the flag `u`, such as `[\w-:]` or `a\-b`, for interpreters that always set it.
 * Returns `undefined` if there is no such pattern.
 */
function unicodePattern(pattern: string): string | undefined {
  if (compiles(pattern)) return pattern;
  const rewritten = rewrite(pattern);
  return compiles(rewritten) ? rewritten : undefined;
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function rewrite(pattern: string): string {
  return pattern.replace(/\[(?:[^\]\\]|\\.)*\]|\\.|\{(?!\d+(?:,\d*)?\})|(?<!\{\d+(?:,\d*)?)\}|\]/gsu, (part) => {
    if (part.startsWith("[") && part.length > 1) return rewriteClass(part);
    return part.startsWith("\\") ? withoutNeedlessEscape(part) : `\\${part}`;
  });
}

/** Escapes hyphens beside a class such as `\w`, which cannot be ranges. */
function rewriteClass(part: string): string {
  return part
    .replace(/(\\[dDsSwW])-(?!\])/g, "$1\\-")
    .replace(/(?<![[\\])-(\\[dDsSwW])/g, "\\-$1")
    .replace(/\\[^-]/gsu, withoutNeedlessEscape);
}

/** Only letters, digits and the characters of the syntax can be escaped. */
function withoutNeedlessEscape(part: string): string {
  return /^\\[a-zA-Z\d^$\\.*+?()[\]{}|/]$/.test(part) ? part : part.slice(1);
}
