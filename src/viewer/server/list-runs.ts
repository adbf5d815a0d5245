import type { RunList, RunRow, RunStatus } from "../api.js";
import type { LiveRun } from "./live-span.js";
import { type RunViews, storedRef } from "./run-views.js";
import type { Shown } from "./shown-apps.js";
import type { StoredRuns } from "./stored-runs.js";

/** How many runs are looked at for one page of a search. */
const mostScanned = 20_000;

export interface ListParts {
  readonly shown: Shown;
  readonly stored: StoredRuns;
  readonly views: RunViews;
  /** Runs of which spans are known, by reference. */
  readonly lives: ReadonlyMap<string, LiveRun>;
  /** The rows of runs that may not be in a store: of those, and of files. */
  readonly rows: Map<string, RunRow>;
  /** Rows of stores that were found to be unreadable, whatever their index says. They are among `rows`, too. */
  readonly unreadable: ReadonlyMap<string, RunRow>;
}

/** `GET runs`: a page of the runs of all stores and of those that passed the handler, the newest first. */
export async function listRuns(search: URLSearchParams, parts: ListParts): Promise<RunList> {
  const { stored, views, lives, rows: others, unreadable } = parts;
  const limit = Math.min(200, Math.max(1, Number(search.get("limit")) || 50));
  const [, since = "", cursor = ""] = /^(\d{1,15})\.(.*)$/s.exec(search.get("after") ?? "") ?? [];
  const { query, isWanted: matchesQuery } = wanted(search, parts.shown);
  const isWanted = (row: RunRow): boolean => matchesQuery(row) && (since === "" || isAfter(row, Number(since), cursor));
  let before = since === "" ? Number.POSITIVE_INFINITY : Number(since) + 1;
  const found: RunRow[] = [];
  let scanned = 0;
  // what a search looks for may be far back
  while (before > 0 && found.length <= limit && scanned < mostScanned) {
    const newest = await stored.newest(query, Math.max(limit, scanned), before);
    const rows = newest.runs.map((run) => {
      const ref = storedRef(run.storeName, run.row.id);
      others.delete(ref);
      return unreadable.get(ref) ?? views.storedRow(run, lives.get(ref));
    });
    found.push(...rows.filter(isWanted));
    scanned += Math.max(1, rows.length);
    before = newest.since;
  }
  // what was not read from a store yet is on a later page
  found.push(...[...others.values()].filter((row) => row.since >= before && isWanted(row)));
  found.sort((a, b) => Math.floor(b.since) - Math.floor(a.since) || (a.ref < b.ref ? -1 : 1));
  const runs = found.slice(0, limit);
  const last = runs.at(-1);
  if (found.length > limit && last !== undefined) return { runs, next: `${Math.floor(last.since)}.${last.ref}` };
  return before > 0 ? { runs, next: `${before}.\uffff` } : { runs };
}

function wanted(search: URLSearchParams, { apps }: Shown) {
  const app = search.get("app");
  const graph = app === null ? undefined : apps.find(({ row }) => row.key === app)?.row.name;
  const status = isStatus(search.get("status"));
  const text = (search.get("search") ?? "").toLowerCase();
  const isWanted = (row: RunRow): boolean =>
    (status === undefined || row.status === status) &&
    (app === null || row.app === app) &&
    (text === "" || matches(row, text));
  const query = { ...(status !== undefined && { status }), ...(graph !== undefined && { graph }) };
  return { query, isWanted };
}

/** Whether it comes after the last row of the page before. */
function isAfter(row: RunRow, since: number, ref: string): boolean {
  return row.since < since || (row.since < since + 1 && row.ref > ref);
}

/** `text` is in lower case. */
function matches({ ref, graph, app = "", threadId = "", userId = "" }: RunRow, text: string): boolean {
  return [ref, graph, app, threadId, userId].some((field) => field.toLowerCase().includes(text));
}

function isStatus(given: string | null): RunStatus | undefined {
  return given === null || given === "" ? undefined : (given as RunStatus);
}
