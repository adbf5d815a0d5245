import { type Fields, isFields } from "../../is.js";
import { compareTexts } from "./compare-texts.js";
import type { Comparison, Condition, FilterValue, MetadataPath } from "./filter.js";

/** Whether metadata meets a condition. */
export function matches(metadata: Fields, condition: Condition): boolean {
  switch (condition.type) {
    case "and":
      return condition.conditions.every((inner) => matches(metadata, inner));
    case "or":
      return condition.conditions.some((inner) => matches(metadata, inner));
    case "not":
      return !matches(metadata, condition.condition);
    case "exists":
      return valueAt(metadata, condition.path) !== undefined;
    case "equals":
      return includes(condition.values, valueAt(metadata, condition.path));
    case "contains": {
      const list = valueAt(metadata, condition.path);
      return Array.isArray(list) && list.some((item: unknown) => includes([condition.value], item));
    }
    case "compare":
      return compare(valueAt(metadata, condition.path), condition.operator, condition.value);
    default:
      return condition satisfies never;
  }
}

/** Uses `===`, so values of different types never match, and 0 equals -0. */
const includes = (values: readonly FilterValue[], value: unknown): boolean => values.some((one) => one === value);

function valueAt(metadata: Fields, path: MetadataPath): unknown {
  let value: unknown = metadata;
  for (const key of path) {
    if (!isFields(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function compare(value: unknown, operator: Comparison, operand: string | number): boolean {
  if (typeof operand === "string") return typeof value === "string" && holds(compareTexts(value, operand), operator);
  return typeof value === "number" && holds(value - operand, operator);
}

function holds(order: number, operator: Comparison): boolean {
  switch (operator) {
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    default:
      return operator satisfies never;
  }
}
