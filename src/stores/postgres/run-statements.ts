import type { RunRow } from "../../checkpoint/runs/run-index.js";
import type { CheckedRunQuery } from "../../checkpoint/runs/run-query.js";
import { readRun, runColumns, runsStatement } from "../runs-query.js";
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
