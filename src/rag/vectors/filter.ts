import { isFields } from "../../is.js";
import { invalidFilter } from "./errors.js";

/** What a value of metadata is compared with. Values of other types never fit. */
export type FilterValue = string | number | boolean | null;

/** Operators on the value of one field. */
export interface FilterOperators {
  readonly $eq?: FilterValue;
  /** Also true where there is no value. */
  readonly $ne?: FilterValue;
  readonly $gt?: string | number;
  readonly $gte?: string | number;
  readonly $lt?: string | number;
  readonly $lte?: string | number;
  readonly $in?: readonly FilterValue[];
  /** Also true where there is no value. */
  readonly $nin?: readonly FilterValue[];
  /** Whether there is a value, which may be `null`. */
  readonly $exists?: boolean;
  /** Whether a list has this value. */
  readonly $contains?: FilterValue;
}

/**
 * What metadata must be: paths like `"author.name"` with a value or with operators, all of which must hold; and `$and`,
 * `$or`, `$nor`, `$not` over filters.
 *
 * @example
 * const filter: Filter = { lang: "en", year: { $gte: 2020 }, $or: [{ tags: { $contains: "api" } }, { draft: { $ne: true } }] };
 */
export interface Filter {
  readonly $and?: readonly Filter[];
  readonly $or?: readonly Filter[];
  readonly $nor?: readonly Filter[];
  readonly $not?: Filter;
  readonly [path: string]: FilterValue | FilterOperators | Filter | readonly Filter[] | undefined;
}

/** A filter that has been checked, in few forms: what stores translate. */
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

/** Checks a filter, and says what it asks. `undefined` when it asks nothing. */
export function readFilter(filter: unknown): Condition | undefined {
  if (filter === undefined) return undefined;
  const condition = readFields(filter, 1);
  return condition.type === "and" && condition.conditions.length === 0 ? undefined : condition;
}

function readFields(filter: unknown, depth: number): Condition {
  if (!isFields(filter)) throw invalidFilter(`a filter is an object`, filter);
  if (depth > deepest) throw invalidFilter(`filters nest at most ${deepest} deep`, filter);
  return all(
    Object.entries(filter).flatMap(([key, value]) => {
      if (value === undefined) return [];
      return [key.startsWith("$") ? readLogic(key, value, depth) : readPath(key, value)];
    }),
  );
}

const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 1 && conditions[0] !== undefined ? conditions[0] : { type: "and", conditions };

function readLogic(key: string, value: unknown, depth: number): Condition {
  if (key === "$not") return not(readFields(value, depth + 1));
  if (key !== "$and" && key !== "$or" && key !== "$nor") {
    throw invalidFilter(`there is no ${key} here; there are $and, $or, $nor and $not`, value);
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
  if (!isFields(value)) throw invalidFilter(`"${key}" is compared with a value or operators`, value);
  const operators = Object.entries(value).filter(([, operand]) => operand !== undefined);
  if (operators.length === 0) throw invalidFilter(`"${key}" has no operator`, value);
  return all(operators.map(([operator, operand]) => readOperator(key, path, operator, operand)));
}

const comparisons: Readonly<Record<string, Comparison>> = { $gt: ">", $gte: ">=", $lt: "<", $lte: "<=" };
const known = "$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists and $contains";

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
        throw invalidFilter(`${operator} of "${key}" takes a list of texts, numbers, booleans and null`, operand);
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
  if (operator === undefined) throw invalidFilter(`"${key}" has ${name}, and there are ${known}`, operand);
  if (typeof operand === "string" || (typeof operand === "number" && isValue(operand))) {
    return { type: "compare", path, operator, value: operand };
  }
  throw invalidFilter(`${name} of "${key}" takes a text or a number`, operand);
}

const notAValue = (key: string, operator: string, operand: unknown) =>
  invalidFilter(`${operator} of "${key}" takes a text, a number, a boolean or null`, operand);

function isValue(value: unknown): value is FilterValue {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "boolean" || (typeof value === "string" && !value.includes("\0"));
}

/** Both filters must hold. */
export function bothFilters(one: Filter | undefined, other: Filter | undefined): Filter | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { $and: [one, other] };
}
