import type { RunIndex, RunRow } from "../../checkpoint/runs/run-index.js";
import type { CheckedRunQuery } from "../../checkpoint/runs/run-query.js";
import { columnValues, readRun, runColumns, runsStatement } from "../runs-query.js";
import type { PostgresResult } from "./pool.js";

type Column = (typeof runColumns)[number];

export const columnTypes: Readonly<Record<Column, string>> = {
  status: "text",
  graph: "bytea",
  owner: "bytea",
  since: "double precision",
  due: "double precision",
  thread_id: "bytea",
  user_id: "bytea",
};

/** The part of a statement that writes an index. */
export interface IndexPart {
  /** Names of the columns to write. None if the row keeps its index. */
  readonly columns: readonly string[];
  /** What is written into each. */
  readonly expressions: readonly string[];
  /** The values of the parameters in `expressions`. */
  readonly values: readonly unknown[];
}

/** Leaves the index of a row as it is. */
export const keepIndex: IndexPart = { columns: [], expressions: [], values: [] };

/** Removes the index of a row. */
export const removeIndex: IndexPart = { columns: runColumns, expressions: runColumns.map(() => "NULL"), values: [] };

/** Writes an index. Its parameters follow the `used` ones of the statement. */
export function setIndex(index: RunIndex, used: number): IndexPart {
  const expressions = runColumns.map((name, at) => `$${used + at + 1}::${columnTypes[name]}`);
  return { columns: runColumns, expressions, values: columnValues(index) };
}

/** The assignments of an UPDATE, each after a comma. */
export function assignments({ columns, expressions }: IndexPart): string {
  return columns.map((name, at) => `, ${name} = ${expressions[at] ?? "NULL"}`).join("");
}

/** A statement that lists the runs that match a query. */
export function listRuns(table: string, query: CheckedRunQuery): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const text = runsStatement(query, {
    table,
    columns: (["id", ...runColumns] as const).map(readable).join(", "),
    bind: (value) => {
      values.push(value);
      return `$${values.length}::${typeof value === "string" ? "text" : typeof value === "number" ? "double precision" : "bytea"}`;
    },
  });
  return { text, values };
}

/** The rows of a result of `listRuns`. */
export function readRuns({ rows }: PostgresResult): RunRow[] {
  return rows.flatMap((row) => readRun(row, (base64) => Buffer.from(String(base64), "base64")) ?? []);
}

/** As text, because the pool may read other types in its own way. */
function readable(name: Column | "id"): string {
  const isBytes = name === "id" || columnTypes[name] === "bytea";
  return `${isBytes ? `encode(run.${name}, 'base64')` : `run.${name}::text`} AS ${name}`;
}
