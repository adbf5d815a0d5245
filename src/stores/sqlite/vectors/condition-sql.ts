import type { Comparison, Condition, FilterValue, MetadataPath } from "../../../rag/vectors/filter.js";
import { joinInHalves } from "../../join-in-halves.js";
import type { SqliteValue } from "../connection.js";

/** A condition in SQL, and the values of its placeholders. */
export interface ConditionSql {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

/** A filter as SQL on the JSON column `metadata`. The result is true or false, never NULL. */
export function sqliteConditionSql(condition: Condition): ConditionSql {
  switch (condition.type) {
    case "and":
      return joinAll(condition.conditions, "AND");
    case "or":
      return joinAll(condition.conditions, "OR");
    case "not": {
      const { sql, values } = sqliteConditionSql(condition.condition);
      return { sql: `NOT (${sql})`, values };
    }
    case "exists":
      return { sql: "json_type(metadata, ?) IS NOT NULL", values: [jsonPath(condition.path)] };
    case "equals":
      return equalsSql(condition.path, condition.values);
    case "contains":
      return containsSql(condition.path, condition.value);
    case "compare":
      return compareSql(condition.path, condition.operator, condition.value);
    default:
      return condition satisfies never;
  }
}

function joinAll(conditions: readonly Condition[], word: "AND" | "OR"): ConditionSql {
  const parts = conditions.map(sqliteConditionSql);
  const sql = joinInHalves(
    parts.map((part) => part.sql),
    word,
  );
  return { sql, values: parts.flatMap(({ values }) => values) };
}

const jsonPath = (path: MetadataPath): string => `$${path.map((key) => `."${key}"`).join("")}`;

/** Compares JSON texts, which are equal for equal values because `JSON.stringify` wrote all of them. */
function equalsSql(path: MetadataPath, values: readonly FilterValue[]): ConditionSql {
  const texts = JSON.stringify(values.map((value) => JSON.stringify(value)));
  return {
    sql: "coalesce(metadata -> ? IN (SELECT value FROM json_each(?)), FALSE)",
    values: [jsonPath(path), texts],
  };
}

function containsSql(path: MetadataPath, value: FilterValue): ConditionSql {
  const at = jsonPath(path);
  const holds = "metadata -> (? || '[' || item.key || ']') = ?";
  return {
    sql: `(json_type(metadata, ?) IS 'array' AND EXISTS (SELECT 1 FROM json_each(metadata, ?) AS item WHERE ${holds}))`,
    values: [at, at, at, JSON.stringify(value)],
  };
}

/** SQLite may parse the last digit of a number wrong, so equality is tested on the JSON text. */
function compareSql(path: MetadataPath, operator: Comparison, value: string | number): ConditionSql {
  const at = jsonPath(path);
  const types = typeof value === "string" ? "('text')" : "('integer', 'real')";
  const strict = operator[0];
  const same = operator.endsWith("=")
    ? `(json_extract(metadata, ?) ${strict} ? OR metadata -> ? = ?)`
    : `(json_extract(metadata, ?) ${strict} ? AND metadata -> ? <> ?)`;
  return {
    sql: `coalesce(json_type(metadata, ?) IN ${types} AND ${same}, FALSE)`,
    values: [at, at, value, at, JSON.stringify(value)],
  };
}
