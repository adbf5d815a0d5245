import { isFields } from "../../is.js";
import { schemaNodes, subschemaKinds } from "./schema-nodes.js";

/** A keyword with a value that it cannot have. */
export interface KeywordProblem {
  readonly path: readonly string[];
  readonly reason: string;
}

/** Why a schema, or one inside it, is not valid; `undefined` if all are. */
export function invalidKeyword(schema: object): KeywordProblem | undefined {
  for (const { node, path } of schemaNodes(schema)) {
    for (const { path: inside, reason } of keywordProblems(node)) return { path: [...path, ...inside], reason };
    const { nullable, type } = node;
    if (nullable !== undefined && type === undefined) return { path, reason: 'has "nullable" without "type"' };
  }
  return undefined;
}

/** The keywords of one schema (not of those inside it) whose values JSON Schema does not allow. */
export function* keywordProblems(schema: object): Generator<KeywordProblem> {
  for (const [keyword, value] of Object.entries(schema)) {
    const reason = problemOf(keyword, value);
    if (reason !== undefined) yield { path: [keyword], reason };
    else if (keyword === "pattern" && !isPattern(String(value))) yield { path: [keyword], reason: notAPattern(value) };
    else yield* problemsInside(keyword, value);
  }
}

function* problemsInside(keyword: string, value: unknown): Generator<KeywordProblem> {
  const kind = subschemaKinds(keyword, value);
  if (kind !== "map" && kind !== "list") return;
  for (const [key, inner] of Object.entries(value as object)) {
    const path = [keyword, key];
    if (keyword === "patternProperties" && !isPattern(key)) yield { path, reason: notAPattern(key) };
    else if (!isSchema(inner) && !(keyword === "dependencies" && Array.isArray(inner))) {
      yield { path, reason: "must be a schema" };
    }
  }
}

type Test = readonly [test: (value: unknown) => boolean, requirement: string];

const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"];

const isSchema = (value: unknown): boolean => typeof value === "boolean" || isFields(value);
const isString = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isFilledList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const isType = (value: unknown): boolean => typeNames.includes(value as string);

const schema: Test = [isSchema, "must be a schema"];
const map: Test = [isFields, "must be an object"];
const list: Test = [isFilledList, "must be a non-empty array"];
const string: Test = [isString, "must be a string"];
const number: Test = [isNumber, "must be a number"];
const count: Test = [(value) => Number.isInteger(value) && Number(value) >= 0, "must be a whole number of at least 0"];

const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  [
    "type",
    [
      (value) => isType(value) || (isFilledList(value) && (value as unknown[]).every(isType)),
      `must be one of ${typeNames.join(", ")}, or a list of them`,
    ],
  ],
  ["required", [(value) => Array.isArray(value) && value.every(isString), "must be an array of strings"]],
  ["multipleOf", [(value) => isNumber(value) && Number(value) > 0, "must be a number greater than 0"]],
  ["uniqueItems", [(value) => typeof value === "boolean", "must be true or false"]],
  ["items", [(value) => isSchema(value) || isFilledList(value), "must be a schema"]],
  ["enum", list],
  ...["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"].map((name) => [name, number] as const),
  ...["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"].map(
    (name) => [name, count] as const,
  ),
  ...["maxContains", "minContains"].map((name) => [name, count] as const),
  ...["pattern", "format", "$ref", "$dynamicRef", "$id", "$anchor"].map((name) => [name, string] as const),
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"].map(
    (name) => [name, map] as const,
  ),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((name) => [name, list] as const),
  ...["not", "if", "then", "else", "contains", "propertyNames", "additionalItems"].map(
    (name) => [name, schema] as const,
  ),
  ...["additionalProperties", "unevaluatedItems", "unevaluatedProperties"].map((name) => [name, schema] as const),
]);

function problemOf(keyword: string, value: unknown): string | undefined {
  const [test, requirement] = tests.get(keyword) ?? [];
  return test === undefined || test(value) ? undefined : requirement;
}

const notAPattern = (pattern: unknown): string => `${JSON.stringify(pattern)} is not a valid pattern in JavaScript`;

/** Patterns such as `[\w-:]` are common, and are valid only without the flag `u`. */
export function regExpOf(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

function isPattern(pattern: string): boolean {
  try {
    return regExpOf(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
