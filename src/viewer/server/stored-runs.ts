import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import { indexIn, readDocument, readTree } from "../../checkpoint/document/read-document.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { RunQuery, RunStatus, RunRow as StoredRow } from "../../checkpoint/runs/run-index.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import { openQuestions } from "../../run/saved/saved-run.js";
import type { Shown, ShownApp } from "./shown-apps.js";

/** A run in a store. */
export interface StoredRun {
  readonly storeName: string;
  readonly store: CheckpointStore;
  readonly row: StoredRow;
  readonly app: ShownApp | undefined;
}

/** A run in a store, with its document. */
export interface ReadRun extends StoredRun {
  readonly document: CheckpointDocument;
  readonly questions: readonly Interrupt[];
}

const hour = 3_600_000;
const pageSize = 1_000;
/** How many ids of a store that cannot search are read. */
const mostIds = 1_000;

/** Reads the stores of the apps, and those beside them. */
export class StoredRuns {
  readonly #shown: Shown;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** The runs of all stores that match, the newest first: at least `limit` of them, if there are so many. */
  async newest(query: Pick<RunQuery, "status" | "graph">, limit: number, before: number): Promise<StoredRun[]> {
    const found = await Promise.all(
      [...this.#shown.stores].map(async ([name, store]) => {
        const rows = await newestRows(store, query, limit, before);
        return rows.map((row) => this.#run(name, store, row));
      }),
    );
    return found.flat().sort((a, b) => b.row.since - a.row.since || (a.row.id < b.row.id ? 1 : -1));
  }

  /** Runs that wait, the oldest first. */
  async waiting(limit: number): Promise<StoredRun[]> {
    const found = await Promise.all(
      [...this.#shown.stores].map(async ([name, store]) => {
        const rows = await rowsOf(store, { status: "waiting", limit });
        return rows.map((row) => this.#run(name, store, row));
      }),
    );
    return found.flat().sort((a, b) => a.row.since - b.row.since);
  }

  /** A run with its document; `undefined` if there is none. */
  async read(storeName: string, id: string): Promise<ReadRun | undefined> {
    const store = this.#shown.stores.get(storeName);
    const stored = await store?.get(id);
    if (store === undefined || stored === undefined || stored === null) return undefined;
    const found = indexIn(readTree(stored).finish());
    const run = this.#run(storeName, store, { id, ...found });
    const document = readDocument(stored, codecOf(run.app?.plan?.runtime.codecs ?? []));
    return { ...run, row: { id, ...document.index }, document, questions: openQuestions(document) };
  }

  /** The store of an app, by name. */
  nameOf(store: CheckpointStore | undefined): string | undefined {
    return [...this.#shown.stores].find(([, one]) => one === store)?.[0];
  }

  #run(storeName: string, store: CheckpointStore, row: StoredRow): StoredRun {
    const app = this.#shown.apps.find((one) => one.row.name === row.graph && one.store === store);
    return { storeName, store, row, app };
  }
}

/** Stores list the oldest first, so the newest are looked for in windows of time that grow. */
async function newestRows(
  store: CheckpointStore,
  query: Pick<RunQuery, "status" | "graph">,
  limit: number,
  before: number,
): Promise<StoredRow[]> {
  for (const window of [hour, 24 * hour, 30 * 24 * hour, Number.POSITIVE_INFINITY]) {
    const from = Math.max(0, before - window);
    const rows: StoredRow[] = [];
    let after: StoredRow | undefined = { id: "", status: "ready", graph: "", since: from - 1 };
    while (after !== undefined) {
      const page: StoredRow[] = await rowsOf(store, { ...query, limit: pageSize, after });
      rows.push(...page.filter(({ since }) => since < before));
      const last: StoredRow | undefined = page.at(-1);
      after = page.length < pageSize || (last?.since ?? 0) >= before ? undefined : last;
    }
    if (rows.length >= limit || from === 0) return rows.reverse();
  }
  return [];
}

async function rowsOf(store: CheckpointStore, query: RunQuery): Promise<StoredRow[]> {
  if (store.runs !== undefined) return store.runs(query);
  const rows: StoredRow[] = [];
  for await (const id of store.list("")) {
    if (rows.length >= mostIds) break;
    const stored = await store.get(id);
    if (stored === undefined || stored === null) continue;
    try {
      rows.push({ id, ...indexIn(readTree(stored).finish()) });
    } catch {
      // said where the run is opened
    }
  }
  const { status, limit = pageSize, after } = query;
  const statuses: readonly (RunStatus | undefined)[] = [status ?? []].flat();
  return rows
    .filter((row) => statuses.length === 0 || statuses.includes(row.status))
    .filter(({ since }) => after === undefined || since > after.since)
    .sort((a, b) => a.since - b.since)
    .slice(0, limit);
}
