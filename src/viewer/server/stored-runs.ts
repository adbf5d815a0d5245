import { inCheckpoint, unreadableCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import { indexIn, readDocument, readTree } from "../../checkpoint/document/read-document.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { RunQuery, RunRow as StoredRow } from "../../checkpoint/runs/run-index.js";
import { systemClock } from "../../components/clock.js";
import { findRows } from "../../durable/find-rows.js";
import { lenientCodec } from "../../durable/lenient-codec.js";
import { Owners } from "../../durable/owners.js";
import { KumikoError, messageOf } from "../../errors.js";
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

/** A run in a store that cannot be read. */
export interface UnreadableRun {
  readonly run: StoredRun;
  readonly error: KumikoError;
}

/** The newest runs of all stores. */
export interface Newest {
  readonly runs: readonly StoredRun[];
  /** All runs since then are in it. */
  readonly since: number;
}

const second = 1_000;
/** How far back is looked, until enough is found. */
const windows = [10, 120, 1_800, 14_400, 86_400, 864_000, 8_640_000].map((seconds) => seconds * second);
const pageSize = 1_000;
/** So many runs that cannot be read are looked at again for each list. */
const mostUnreadable = 50;

/** Reads the stores of the apps, and those beside them. */
export class StoredRuns {
  readonly #shown: Shown;
  readonly #owners = new Map<CheckpointStore, Owners>();
  /** What the last read found. */
  readonly #unreadable = new Map<string, { readonly storeName: string; readonly id: string }>();

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** The runs of all stores that match: at least `count` of each store, if there are so many, all from before a time. */
  async newest(query: Pick<RunQuery, "status" | "graph">, count: number, before: number): Promise<Newest> {
    const found = await Promise.all(
      [...this.#shown.stores].map(async ([name, store]) => {
        const { rows, since } = await newestRows(store, query, count, before);
        return { runs: (await this.#withOwners(store, rows)).map((row) => this.#run(name, store, row)), since };
      }),
    );
    // where one store has more, the others are told from there on with it
    const since = Math.max(0, ...found.map((one) => one.since));
    const runs = found.flatMap((one) => one.runs).filter(({ row }) => row.since >= since);
    return { runs: once(runs), since };
  }

  /** Runs that wait, the oldest first. */
  async waiting(limit: number): Promise<StoredRun[]> {
    const found = await Promise.all(
      [...this.#shown.stores].map(async ([name, store]) => {
        const rows = await findRows(store, { status: "waiting", limit });
        return rows.map((row) => this.#run(name, store, row));
      }),
    );
    return once(found.flat())
      .sort((a, b) => a.row.since - b.row.since)
      .slice(0, limit);
  }

  /** Runs that could not be read when they were read last, and cannot be now: a list has only what the store's index says. */
  async unreadable(): Promise<UnreadableRun[]> {
    const found = await Promise.all(
      [...this.#unreadable.values()].map(async ({ storeName, id }) => {
        const error = await this.read(storeName, id).catch((thrown: unknown) => thrown);
        const run = isUnreadable(error) ? await this.rowOf(storeName, id).catch(() => undefined) : undefined;
        return run !== undefined && isUnreadable(error) ? [{ run, error }] : [];
      }),
    );
    return found.flat();
  }

  /** A run with its document; `undefined` if there is none. */
  async read(storeName: string, id: string): Promise<ReadRun | undefined> {
    const key = `${storeName}.${id}`;
    try {
      const run = await this.#read(storeName, id);
      this.#unreadable.delete(key);
      return run;
    } catch (error) {
      if (isUnreadable(error) && this.#unreadable.size < mostUnreadable) this.#unreadable.set(key, { storeName, id });
      throw error;
    }
  }

  async #read(storeName: string, id: string): Promise<ReadRun | undefined> {
    const store = this.#shown.stores.get(storeName);
    const stored = await store?.get(id);
    if (store === undefined || stored === undefined || stored === null) return undefined;
    try {
      const found = indexIn(readTree(stored).finish());
      const run = this.#run(storeName, store, { id, ...found });
      const document = readDocument(stored, lenientCodec(run.app?.plan?.runtime.codecs ?? []));
      const [row = run.row] = await this.#withOwners(store, [{ id, ...document.index }]);
      return { ...run, row, document, questions: openQuestions(document) };
    } catch (error) {
      throw inCheckpoint(id, KumikoError.is(error) ? error : unreadableCheckpoint(messageOf(error), error));
    }
  }

  /** What the store says of a run that cannot be read. */
  async rowOf(storeName: string, id: string): Promise<StoredRun | undefined> {
    const store = this.#shown.stores.get(storeName);
    const stored = await store?.get(id);
    if (store === undefined || stored === undefined || stored === null) return undefined;
    const rows = await findRows(store, { prefix: id, limit: 100 }).catch(() => []);
    const row = rows.find((one) => one.id === id) ?? { id, status: "failed", graph: "", since: 0 };
    return this.#run(storeName, store, row);
  }

  /** The store of an app, by name. */
  nameOf(store: CheckpointStore | undefined): string | undefined {
    return [...this.#shown.stores].find(([, one]) => one === store)?.[0];
  }

  #run(storeName: string, store: CheckpointStore, row: StoredRow): StoredRun {
    const app = this.#shown.apps.find((one) => one.row.name === row.graph && one.store === store);
    return { storeName, store, row, app };
  }

  /** A run whose process is certainly gone does not run: it is ready to go on. */
  async #withOwners(store: CheckpointStore, rows: readonly StoredRow[]): Promise<readonly StoredRow[]> {
    const owners = new Set(rows.flatMap(({ status, owner }) => (status === "running" && owner ? [owner] : [])));
    if (owners.size === 0) return rows;
    const known = this.#owners.get(store) ?? new Owners(store, systemClock);
    this.#owners.set(store, known);
    const dead = await known.dead(owners).catch(() => new Set<string>());
    return rows.map((row) =>
      dead.has(row.owner ?? "") && row.status === "running" ? { ...row, status: "ready" } : row,
    );
  }
}

/** Whether an error is about what a row holds, not about the store. */
export function isUnreadable(error: unknown): error is KumikoError {
  return KumikoError.is(error) && error.code !== "STORE_FAILED";
}

/** A database that an app has opened and `--store` names too tells of each run twice: the app's is kept. */
function once(runs: readonly StoredRun[]): StoredRun[] {
  const keyOf = ({ row }: StoredRun): string => `${row.since} ${row.id}`;
  const known = new Set(runs.filter(({ app }) => app !== undefined).map(keyOf));
  return runs.filter((run) => run.app !== undefined || !known.has(keyOf(run)));
}

/** Stores list the oldest first, so the newest are looked for in windows of time that grow; each row is read once. */
async function newestRows(
  store: CheckpointStore,
  query: Pick<RunQuery, "status" | "graph">,
  count: number,
  before: number,
): Promise<{ readonly rows: readonly StoredRow[]; readonly since: number }> {
  let rows: StoredRow[] = [];
  let end = before;
  const from = Math.min(before, Date.now());
  for (const window of [...windows, Number.POSITIVE_INFINITY]) {
    const start = Math.max(0, from - window);
    const older = await rowsBetween(store, query, { start, end, count });
    rows = [...older, ...rows];
    end = start;
    if (rows.length >= count || start === 0) break;
  }
  // all of the same millisecond belong together, because the next page begins before it
  const since = rows.length < count ? 0 : (rows[rows.length - count]?.since ?? 0);
  return { rows: rows.filter((row) => row.since >= since), since };
}

/** The rows of a time, of which only the newest are kept. */
async function rowsBetween(
  store: CheckpointStore,
  query: Pick<RunQuery, "status" | "graph">,
  { start, end, count }: { readonly start: number; readonly end: number; readonly count: number },
): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  let after: StoredRow | undefined = { id: "", status: "ready", graph: "", since: start };
  while (after !== undefined) {
    const page: readonly StoredRow[] = await findRows(store, { ...query, limit: pageSize, after });
    for (const row of page) if (row.since < end) rows.push(row);
    if (rows.length > count + pageSize) {
      const oldest = rows[rows.length - count]?.since ?? 0;
      const from = rows.findIndex(({ since }) => since >= oldest);
      rows.splice(0, from);
    }
    const last: StoredRow | undefined = page.at(-1);
    after = page.length < pageSize || last === undefined || last.since >= end ? undefined : last;
  }
  return rows;
}
