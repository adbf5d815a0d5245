import type { RunIndex, RunRow } from "../../checkpoint/runs/run-index.js";
import type { CheckedRunQuery } from "../../checkpoint/runs/run-query.js";
import { idToBytes } from "../id-bytes.js";
import { type ColumnValue, columnValues, readRun, runColumns, runsStatement } from "../runs-query.js";
import { asBytes, type SqliteConnection, type SqliteValue } from "./connection.js";

const statements = {
  get: "SELECT * FROM kumiko_checkpoint_runs WHERE id = ?",
  write: `INSERT OR REPLACE INTO kumiko_checkpoint_runs (id, ${runColumns.join(", ")})
    VALUES (?, ${runColumns.map(() => "?").join(", ")})`,
  mark: "UPDATE kumiko_checkpoints SET listed = 1 WHERE id = ? AND NOT listed",
};

/** Writes the index of a row, unless it has it already. Returns the status before. Needs a transaction. */
export function writeIndex(connection: SqliteConnection, id: string, index: RunIndex): string | undefined {
  const key = idToBytes(id);
  const [former] = connection.query(statements.get, key);
  const values = columnValues(index);
  const isSame = former !== undefined && runColumns.every((name, at) => isEqual(former[name], values[at] ?? null));
  if (!isSame) connection.query(statements.write, key, ...values);
  if (former === undefined) connection.query(statements.mark, key); // it was put without one
  return former && String(former.status);
}

/** The runs that match a query. */
export function queryRuns(connection: SqliteConnection, query: CheckedRunQuery): RunRow[] {
  const values: SqliteValue[] = [];
  const text = runsStatement(query, {
    table: "kumiko_checkpoint_runs",
    columns: "*",
    bind: (value) => {
      values.push(value);
      return "?";
    },
  });
  return connection.queryOnce(text, values).flatMap((row) => readRun(row, asBytes) ?? []);
}

function isEqual(stored: unknown, value: ColumnValue): boolean {
  if (!(value instanceof Uint8Array)) return stored === value;
  if (stored === null) return false;
  const bytes = asBytes(stored);
  return bytes.length === value.length && bytes.every((byte, at) => byte === value[at]);
}
