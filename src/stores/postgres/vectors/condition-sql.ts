import type { Comparison, Condition, FilterValue, MetadataPath } from "../../../rag/vectors/filter.js";
import { joinInHalves } from "../../join-in-halves.js";

/** Collects the values of a statement and returns their placeholders: `$1`, `$2` and so on. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A filter as SQL on the jsonb column `metadata`. The result is true or false, never NULL. */
export function postgresConditionSql(condition: Condition, parameters: Parameters): string {
  switch (condition.type) {
    case "and":
      return joinAll(condition.conditions, "AND", parameters);
    case "or":
      return joinAll(condition.conditions, "OR", parameters);
    case "not":
      return `NOT (${postgresConditionSql(condition.condition, parameters)})`;
    case "exists":
      return `${at(condition.path, parameters)} IS NOT NULL`;
    case "equals":
      return equalsSql(condition.path, condition.values, parameters);
    case "contains":
      return containsSql(condition.path, condition.value, parameters);
    case "compare":
      return compareSql(condition.path, condition.operator, condition.value, parameters);
    default:
      return condition satisfies never;
  }
}

function joinAll(conditions: readonly Condition[], word: "AND" | "OR", parameters: Parameters): string {
  return joinInHalves(
    conditions.map((condition) => postgresConditionSql(condition, parameters)),
    word,
  );
}

/** The value at a path. The keys are text, with which `->` finds nothing in arrays. */
const at = (path: MetadataPath, parameters: Parameters): string =>
  `(metadata${path.map((key) => ` -> ${parameters.add(key)}::text`).join("")})`;

/** A containment test, which every matching entry passes and the index on metadata supports. */
const narrow = (path: MetadataPath, value: unknown, parameters: Parameters): string => {
  const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return `metadata @> ${parameters.add(JSON.stringify(nested))}::text::jsonb`;
};

function equalsSql(path: MetadataPath, values: readonly FilterValue[], parameters: Parameters): string {
  const [value] = values;
  const narrowed = values.length === 1 ? `${narrow(path, value, parameters)} AND ` : "";
  const texts = parameters.add(values.map((one) => JSON.stringify(one)));
  return `(${narrowed}coalesce(${at(path, parameters)} = ANY(${texts}::text[]::jsonb[]), FALSE))`;
}

function containsSql(path: MetadataPath, value: FilterValue, parameters: Parameters): string {
  const list = at(path, parameters);
  const narrowed = narrow(path, [value], parameters);
  const contains = `${list} @> ${parameters.add(JSON.stringify([value]))}::text::jsonb`;
  return `(${narrowed} AND coalesce(jsonb_typeof(${list}) = 'array' AND ${contains}, FALSE))`;
}

function compareSql(path: MetadataPath, operator: Comparison, value: string | number, parameters: Parameters): string {
  const found = at(path, parameters);
  if (typeof value === "number") {
    const operand = `${parameters.add(JSON.stringify(value))}::text::jsonb`;
    return `coalesce(jsonb_typeof(${found}) = 'number' AND ${found} ${operator} ${operand}, FALSE)`;
  }
  // the collation "C" compares bytes, which is the order of code points
  const text = `(${found} #>> '{}') COLLATE "C" ${operator} ${parameters.add(value)}::text`;
  return `coalesce(jsonb_typeof(${found}) = 'string' AND ${text}, FALSE)`;
}
