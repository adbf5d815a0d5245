import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { indexToPut, readTree } from "../checkpoint/document/read-document.js";
import { storeFailed } from "../checkpoint/errors.js";
import { readRow } from "../checkpoint/journal/store-calls.js";
import type { RunIndex, RunQuery, RunRow } from "../checkpoint/runs/run-index.js";
import { findRuns } from "../checkpoint/runs/run-query.js";
import { KumikoError, messageOf } from "../errors.js";
import { isRunId } from "./run-ids.js";

const pageSize = 100;

/** Every run that matches a query, or as many as its limit. */
export async function* allRows(store: CheckpointStore, query: RunQuery): AsyncGenerator<RunRow, void> {
  let { limit: left = Number.MAX_SAFE_INTEGER, after } = query;
  if (store.runs === undefined) {
    yield* await findRows(store, { ...query, limit: left });
    return;
  }
  while (left > 0) {
    const limit = Math.min(pageSize, left);
    const page = await findRows(store, { ...query, limit, after });
    yield* page;
    if (page.length < limit) return;
    left -= page.length;
    after = page.at(-1);
  }
}

/** The first runs that match a query. */
export async function findRows(store: CheckpointStore, query: RunQuery): Promise<readonly RunRow[]> {
  try {
    return store.runs === undefined ? findRuns(await readAll(store), query) : await store.runs(query);
  } catch (error) {
    throw KumikoError.is(error) ? error : storeFailed(`The store could not list its runs: ${messageOf(error)}`, error);
  }
}

const warned = new WeakSet<CheckpointStore>();

/** How many rows are read at once. */
const batchSize = 16;

/** What a store would find its runs by if it could. */
async function readAll(store: CheckpointStore): Promise<readonly [id: string, index: RunIndex][]> {
  if (!warned.has(store)) {
    warned.add(store);
    console.warn(
      "This checkpoint store has no method runs, so every row is read whenever runs are listed. Give it one that answers a RunQuery.",
    );
  }
  const ids: string[] = [];
  for await (const id of store.list("")) ids.push(id);
  for await (const id of store.list("~thread/")) if (isRunId(id)) ids.push(id);
  const found: [string, RunIndex][] = [];
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = ids.slice(start, start + batchSize);
    const indexes = await Promise.all(batch.map((id) => indexOf(store, id)));
    for (const [n, index] of indexes.entries()) if (index !== undefined) found.push([batch[n] ?? "", index]);
  }
  return found;
}

async function indexOf(store: CheckpointStore, id: string): Promise<RunIndex | undefined> {
  const row = await readRow(store, id);
  if (row === undefined) return undefined;
  try {
    return indexToPut(readTree(row).finish());
  } catch {
    return { status: "failed", graph: "", since: 0 };
  }
}
