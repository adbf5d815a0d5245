import { isObject, isRecord } from "../../is.js";
import { invalidFilter, undefinedInFilter } from "./errors.js";

/** A value to compare metadata with. Values of different types never match. */
export type FilterValue = string | number | boolean | null;

/** Operators on the value of one field. */
export type FilterOperators = {
  /** The value, or an array that contains it. */
  readonly $eq?: FilterValue;
  /** Also true if there is no value. */
  readonly $ne?: FilterValue;
  /** Greater than. */
  readonly $gt?: string | number;
  /** Greater than, or equal. */
  readonly $gte?: string | number;
  /** Less than. */
  readonly $lt?: string | number;
  /** Less than, or equal. */
  readonly $lte?: string | number;
  /** One of these values. */
  readonly $in?: readonly FilterValue[];
  /** Also true if there is no value. */
  readonly $nin?: readonly FilterValue[];
  /** Whether there is a value; `null` counts as one. */
  readonly $exists?: boolean;
  /** Whether a list contains this value. */
  readonly $contains?: FilterValue;
  // an index signature refuses undefined also without exactOptionalPropertyTypes
} & { readonly [operator: string]: FilterValue | readonly FilterValue[] };

/**
 * A condition on metadata: paths such as `"author.name"` with a value or operators, all of which must hold. `$and`, `$or`, `$nor`
 * and `$not` combine filters. A value that is `undefined` is an error, because it would silently match everything.
 *
 * @example
 * const filter: Filter = { lang: "en", year: { $gte: 2020 }, $or: [{ tags: { $contains: "api" } }, { draft: { $ne: true } }] };
 */
export type Filter = {
  /** All of these filters are true. */
  readonly $and?: readonly Filter[];
  /** At least one of these filters is true. */
  readonly $or?: readonly Filter[];
  /** None of these filters is true. */
  readonly $nor?: readonly Filter[];
  /** The filter is not true. */
  readonly $not?: Filter;
} & FilterFields;

/** @internal */
interface FilterFields {
  readonly [path: string]: FilterValue | FilterOperators | Filter | readonly Filter[];
}

/** A validated and simplified filter, which stores translate to their query language. */
export type Condition =
  | { readonly type: "and" | "or"; readonly conditions: readonly Condition[] }
  | { readonly type: "not"; readonly condition: Condition }
  | {
      readonly type: "compare";
      readonly path: MetadataPath;
      readonly operator: Comparison;
      readonly value: string | number;
    }
  | { readonly type: "equals"; readonly path: MetadataPath; readonly values: readonly FilterValue[] }
  | { readonly type: "contains"; readonly path: MetadataPath; readonly value: FilterValue }
  | { readonly type: "exists"; readonly path: MetadataPath };

export type MetadataPath = readonly string[];
export type Comparison = ">" | ">=" | "<" | "<=";

const deepest = 16;

/** Validates a filter, which must not have undefined values at any depth. */
export function readFilter(filter: unknown): Condition {
  checkDefined(filter);
  return readFields(filter, 1);
}

/** Whether a condition is true or false of any metadata; `undefined` if it depends on the metadata. */
export function constantOf(condition: Condition): boolean | undefined {
  switch (condition.type) {
    case "and":
    case "or": {
      const values = condition.conditions.map(constantOf);
      const decisive = condition.type === "or";
      if (values.includes(decisive)) return decisive;
      return values.includes(undefined) ? undefined : !decisive;
    }
    case "not": {
      const value = constantOf(condition.condition);
      return value === undefined ? undefined : !value;
    }
    case "equals":
      return condition.values.length === 0 ? false : undefined;
    case "compare":
    case "contains":
    case "exists":
      return undefined;
    default:
      return condition satisfies never;
  }
}

/** Deeper values cannot be part of a valid filter. */
const deepestValue = 2 * deepest;

/**
 * Throws if a filter has an undefined value, also as an item of a list, and names its path. Knows no operators, so that it also
 * checks the filters of other stores.
 */
export function checkDefined(value: unknown, path = "", depth = 0): void {
  if (value === undefined) throw undefinedInFilter(path);
  if (!isObject(value) || depth > deepestValue) return;
  if (Array.isArray(value)) {
    // `forEach` would skip holes
    for (let index = 0; index < value.length; index++) checkDefined(value[index], `${path}[${index}]`, depth + 1);
    return;
  }
  for (const [key, inner] of Object.entries(value))
    checkDefined(inner, path === "" ? key : `${path}.${key}`, depth + 1);
}

function readFields(filter: unknown, depth: number): Condition {
  if (!isRecord(filter)) throw invalidFilter("a filter must be a plain object", filter);
  if (depth > deepest) throw invalidFilter(`filters can be nested at most ${deepest} levels deep`, filter);
  return all(
    Object.entries(filter).map(([key, value]) =>
      key.startsWith("$") ? readLogic(key, value, depth) : readPath(key, value),
    ),
  );
}

const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 1 && conditions[0] !== undefined ? conditions[0] : { type: "and", conditions };

function readLogic(key: string, value: unknown, depth: number): Condition {
  if (key === "$not") return not(readFields(value, depth + 1));
  if (key !== "$and" && key !== "$or" && key !== "$nor") {
    throw invalidFilter(`unknown operator ${key} at this level; use $and, $or, $nor or $not`, value);
  }
  if (!Array.isArray(value)) throw invalidFilter(`${key} takes a list of filters`, value);
  const conditions = value.map((inner: unknown) => readFields(inner, depth + 1));
  if (key === "$and") return all(conditions);
  const any: Condition = { type: "or", conditions };
  return key === "$or" ? any : not(any);
}

const not = (condition: Condition): Condition => ({ type: "not", condition });

function readPath(key: string, value: unknown): Condition {
  const path = key.split(".");
  if (path.includes("") || /["\\\0]/.test(key)) throw invalidFilter(`${JSON.stringify(key)} is not a path`, value);
  if (isValue(value)) return { type: "equals", path, values: [value] };
  if (!isRecord(value)) throw invalidFilter(`"${key}" must be a value or an object of operators`, value);
  const operators = Object.entries(value);
  if (operators.length === 0) throw invalidFilter(`"${key}" has no operator`, value);
  return all(operators.map(([operator, operand]) => readOperator(key, path, operator, operand)));
}

const comparisons: Readonly<Record<string, Comparison>> = { $gt: ">", $gte: ">=", $lt: "<", $lte: "<=" };
const known = "$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists or $contains";

function readOperator(key: string, path: MetadataPath, operator: string, operand: unknown): Condition {
  switch (operator) {
    case "$eq":
    case "$ne": {
      if (!isValue(operand)) throw notAValue(key, operator, operand);
      const equals: Condition = { type: "equals", path, values: [operand] };
      return operator === "$eq" ? equals : not(equals);
    }
    case "$in":
    case "$nin": {
      if (!Array.isArray(operand) || !operand.every(isValue)) {
        throw invalidFilter(`${operator} of "${key}" takes a list of strings, numbers, booleans and null`, operand);
      }
      const equals: Condition = { type: "equals", path, values: operand };
      return operator === "$in" ? equals : not(equals);
    }
    case "$exists":
      if (typeof operand !== "boolean") throw invalidFilter(`$exists of "${key}" takes true or false`, operand);
      return operand ? { type: "exists", path } : not({ type: "exists", path });
    case "$contains":
      if (!isValue(operand)) throw notAValue(key, operator, operand);
      return { type: "contains", path, value: operand };
    default:
      return readComparison(key, path, operator, operand);
  }
}

function readComparison(key: string, path: MetadataPath, name: string, operand: unknown): Condition {
  const operator = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined;
  if (operator === undefined) throw invalidFilter(`unknown operator ${name} of "${key}"; use ${known}`, operand);
  if (typeof operand === "string" || (typeof operand === "number" && isValue(operand))) {
    return { type: "compare", path, operator, value: operand };
  }
  throw invalidFilter(`${name} of "${key}" takes a string or a number`, operand);
}

const notAValue = (key: string, operator: string, operand: unknown) =>
  invalidFilter(`${operator} of "${key}" takes a string, a number, a boolean or null`, operand);

function isValue(value: unknown): value is FilterValue {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "boolean" || (typeof value === "string" && !value.includes("\0"));
}

/** A filter that requires both. */
export function bothFilters(one: Filter | undefined, other: Filter | undefined): Filter | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { $and: [one, other] };
}
