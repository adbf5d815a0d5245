import { checkOptions, type OptionCheck } from "../../check-options.js";
import { isFields } from "../../is.js";
import { byCodePoint } from "../journal/checkpoint-id.js";
import type { RunIndex, RunQuery, RunRow, RunStatus } from "./run-index.js";

/** A query as stores evaluate it: checked, with lists for values and the default of `limit`. `undefined` matches everything. */
export interface CheckedRunQuery {
  readonly status: readonly RunStatus[] | undefined;
  readonly graph: readonly string[] | undefined;
  readonly owner: readonly string[] | undefined;
  readonly userId: readonly string[] | undefined;
  readonly prefix: string;
  readonly dueBefore: number | undefined;
  readonly limit: number;
  readonly after: RunRow | undefined;
}

/** Throws `INVALID_OPTION` for an invalid query. */
export function checkRunQuery(query: RunQuery): CheckedRunQuery {
  checkOptions("runs", query, spec);
  const { status, graph, owner, userId, prefix = "", dueBefore, limit = 100, after } = query;
  return {
    status: listOf(status),
    graph: listOf(graph),
    owner: listOf(owner),
    userId: listOf(userId),
    prefix,
    dueBefore,
    limit,
    after,
  };
}

/** The rows that match a query, in its order. */
export function findRuns(rows: Iterable<readonly [id: string, index: RunIndex]>, query: RunQuery): RunRow[] {
  const checked = checkRunQuery(query);
  const found: RunRow[] = [];
  for (const [id, index] of rows) if (matches(id, index, checked)) found.push(runRow(id, index));
  return found.sort(compareRuns).slice(0, checked.limit);
}

/** A row with the known fields that have a value, as every store returns it. */
export function runRow(id: string, index: RunIndex): RunRow {
  const { status, graph, owner, since, due, threadId, userId } = index;
  return {
    id,
    status,
    graph,
    since,
    ...(owner !== undefined && { owner }),
    ...(due !== undefined && { due }),
    ...(threadId !== undefined && { threadId }),
    ...(userId !== undefined && { userId }),
  };
}

/** Every status. */
export const runStatuses: readonly RunStatus[] = [
  "ready",
  "running",
  "waiting",
  "stopped",
  "failed",
  "cancelled",
  "finished",
];

function matches(id: string, index: RunIndex, query: CheckedRunQuery): boolean {
  const { status, graph, owner, userId, prefix, dueBefore, after } = query;
  return (
    hasOne(status, index.status) &&
    hasOne(graph, index.graph) &&
    hasOne(owner, index.owner) &&
    hasOne(userId, index.userId) &&
    (index.threadId ?? id).startsWith(prefix) &&
    (dueBefore === undefined || (index.due !== undefined && index.due < dueBefore)) &&
    (after === undefined || compareRuns(after, { id, since: index.since }) < 0)
  );
}

function hasOne<T>(values: readonly T[] | undefined, value: T | undefined): boolean {
  return values === undefined || (value !== undefined && values.includes(value));
}

function compareRuns(a: Pick<RunRow, "id" | "since">, b: Pick<RunRow, "id" | "since">): number {
  return a.since - b.since || byCodePoint(a.id, b.id);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number" && !Number.isNaN(value);
const isStatus = (value: unknown): boolean => runStatuses.some((status) => status === value);
const isOneOrList = (isValid: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) ? value.every(isValid) : isValid(value);
const text: OptionCheck = [isOneOrList(isText), "a string or a list of strings"];

const spec = {
  status: [isOneOrList(isStatus), `${runStatuses.map((status) => `"${status}"`).join(", ")}, or a list of these`],
  graph: text,
  owner: text,
  userId: text,
  prefix: [isText, "a string"],
  dueBefore: [isNumber, "a number of milliseconds since 1970"],
  limit: [(value) => Number.isSafeInteger(value) && Number(value) > 0, "a positive integer"],
  after: [(value) => isFields(value) && isText(value.id) && isNumber(value.since), "a row that runs has returned"],
} satisfies Record<keyof RunQuery, OptionCheck>;

function listOf<T extends string>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return typeof value === "string" ? [value] : value;
}
