import type { RunIndex, RunRow } from "../checkpoint/runs/run-index.js";
import { type CheckedRunQuery, runStatuses } from "../checkpoint/runs/run-query.js";
import { idFromBytes, idToBytes, rangesOfPrefix } from "./id-bytes.js";
import { joinInHalves } from "./join-in-halves.js";

/** The columns of an index. Texts are bytes, like ids, because text columns cannot hold every string. */
export const runColumns = ["status", "graph", "owner", "since", "due", "thread_id", "user_id"] as const;

export type ColumnValue = string | number | Uint8Array | null;

/** The values of an index, in the order of `runColumns`. */
export function columnValues(index: RunIndex): ColumnValue[] {
  const { status, graph, owner, since, due = null, threadId, userId } = index;
  return [status, idToBytes(graph), bytesIf(owner), since, due, bytesIf(threadId), bytesIf(userId)];
}

/** A row of a database; `bytes` reads a column of bytes. */
export function readRun(
  row: Readonly<Record<string, unknown>>,
  bytes: (value: unknown) => Uint8Array,
): RunRow | undefined {
  const status = runStatuses.find((known) => known === row.status);
  if (status === undefined) return undefined; // of a newer version of this package
  const text = (value: unknown): string => idFromBytes(bytes(value));
  return {
    id: text(row.id),
    status,
    graph: text(row.graph),
    since: Number(row.since),
    ...(row.owner !== null && { owner: text(row.owner) }),
    ...(row.due !== null && { due: Number(row.due) }),
    ...(row.thread_id !== null && { threadId: text(row.thread_id) }),
    ...(row.user_id !== null && { userId: text(row.user_id) }),
  };
}

/** How a database writes statements. */
export interface Dialect {
  readonly table: string;
  /** What is selected, for `readRun`. */
  readonly columns: string;
  /** Adds a value, and returns what stands for it in the statement. Values are added in the order of the text. */
  bind(value: string | number | Uint8Array): string;
}

/**
 * A statement that lists runs. Each status is searched in the index that begins with status and since, which is in the order of the list; the
 * parts are then merged. Deadlines are searched in the index of `due`: those that have passed are few.
 */
export function runsStatement(query: CheckedRunQuery, dialect: Dialect): string {
  const { table, columns } = dialect;
  const { status = runStatuses, dueBefore, limit } = query;
  // the columns of the last SELECT may be expressions of these names
  const [ordered, orderedRuns] = ["", "run."].map((of) => `ORDER BY ${of}since, ${of}id LIMIT ${limit}`);
  const select = (only: string): string =>
    `SELECT * FROM ${table} WHERE ${[only, ...conditions(query, dialect)].join(" AND ")} ${ordered}`;
  const statuses = [...new Set(status)];
  if (dueBefore !== undefined || statuses.length === 0) {
    // an expression, for which the index of the status is not used
    const due = dueBefore === undefined ? "" : `due < ${dialect.bind(dueBefore)} AND `;
    return `SELECT ${columns} FROM (${select(`${due}${among("status || ''", statuses, dialect.bind)}`)}) AS run ${orderedRuns}`;
  }
  const parts = statuses.map((one) => `SELECT * FROM (${select(`status = ${dialect.bind(one)}`)}) AS one`);
  return `SELECT ${columns} FROM (${parts.join(" UNION ALL ")}) AS run ${orderedRuns}`;
}

function conditions(query: CheckedRunQuery, { bind }: Dialect): string[] {
  const { graph, owner, userId, prefix, after } = query;
  const all: string[] = [];
  if (graph !== undefined) all.push(among("graph", graph.map(idToBytes), bind));
  if (owner !== undefined) all.push(among("owner", owner.map(idToBytes), bind));
  if (userId !== undefined) all.push(among("user_id", userId.map(idToBytes), bind));
  if (prefix !== "") {
    const named = "coalesce(thread_id, id)";
    const ranges = rangesOfPrefix(prefix).map(
      ({ from, before }) => `(${named} >= ${bind(from)} AND ${named} < ${bind(before)})`,
    );
    all.push(joinInHalves(ranges, "OR"));
  }
  if (after !== undefined) {
    const { since, id } = after;
    all.push(`since >= ${bind(since)} AND (since > ${bind(since)} OR id > ${bind(idToBytes(id))})`);
  }
  return all;
}

function among(
  column: string,
  values: readonly (string | Uint8Array)[],
  bind: (value: string | Uint8Array) => string,
): string {
  return values.length === 0 ? "FALSE" : `${column} IN (${values.map(bind).join(", ")})`;
}

const bytesIf = (text: string | undefined): Uint8Array | null => (text === undefined ? null : idToBytes(text));
