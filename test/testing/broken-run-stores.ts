import { type CheckpointStore, memoryStore } from "kumiko";
import type { ClosableStore, RunIndex, RunQuery, RunRow } from "kumiko/compose";
import type { Broken } from "./broken-stores.js";

/** A right store with some methods of another kind; both handles are one object. */
function broken(change: (right: ClosableStore) => Partial<CheckpointStore>): Broken {
  const right = memoryStore();
  const store = { ...forwarding(right), ...change(right) };
  return () => store;
}

function forwarding(right: CheckpointStore): CheckpointStore {
  return {
    get: (id) => right.get(id),
    put: (id, data, ifVersion, index) => right.put(id, data, ifVersion, index),
    append: (id, data, ifVersion, index) => appendTo(right, id, data, ifVersion, index),
    delete: (id, ifVersion) => right.delete(id, ifVersion),
    list: (prefix) => right.list(prefix),
    runs: (query) => find(right, query),
    changes: (listener) => right.changes?.(listener) ?? (() => undefined),
  };
}

const appendTo = async (
  right: CheckpointStore,
  id: string,
  data: Uint8Array,
  ifVersion: number,
  index: RunIndex | undefined,
) => (await right.append?.(id, data, ifVersion, index)) ?? -1;

const find = async (right: CheckpointStore, query: RunQuery): Promise<RunRow[]> => (await right.runs?.(query)) ?? [];

/** Changes what queries ask for, or the rows that they find. */
const asking = (change: (query: RunQuery) => RunQuery): Broken =>
  broken((right) => ({ runs: (query) => find(right, change(query)) }));
const finding = (change: (rows: RunRow[], query: RunQuery) => RunRow[]): Broken =>
  broken((right) => ({ runs: async (query) => change(await find(right, query), query) }));
/** Changes the index of puts. */
const putting = (change: (index: RunIndex | undefined, id: string) => RunIndex | undefined): Broken =>
  broken((right) => ({ put: (id, data, ifVersion, index) => right.put(id, data, ifVersion, change(index, id)) }));

/** Remembers the index of every id beside the rows, with these defects. */
function beside({ keepsDeleted, keepsConflicts }: { keepsDeleted?: boolean; keepsConflicts?: boolean }): Broken {
  const indexes = new Map<string, RunIndex>();
  return broken((right) => ({
    put: async (id, data, ifVersion, index) => {
      const put = () => right.put(id, data, ifVersion, index ?? (keepsDeleted ? indexes.get(id) : undefined));
      if (keepsConflicts && index !== undefined) indexes.set(id, index);
      const version = await put();
      if (index !== undefined) indexes.set(id, index);
      return version;
    },
    runs: async (query) => {
      const rows = await find(right, query);
      return keepsConflicts ? rows.map((row) => ({ ...row, ...indexes.get(row.id) })) : rows;
    },
  }));
}

/** For each check of `runs` and `changes`, a store that breaks what it checks and else does as it should. */
export const brokenRunStores: Record<string, Broken> = {
  "finds a run by the index of its put, with every field": finding((rows) => rows.map(({ due: _due, ...row }) => row)),
  "keeps the texts of an index, whatever their characters": putting(
    (index) => index && { ...index, graph: new TextDecoder().decode(new TextEncoder().encode(index.graph)) },
  ),
  "lists no row that was put without an index": putting((index) => index ?? { status: "ready", graph: "", since: 0 }),
  "lists no run that was deleted, also after its id is used again": beside({ keepsDeleted: true }),
  "leaves the index as it is when an entry is appended without one": broken((right) => ({
    append: async (id, data, ifVersion, index) => {
      const version = await appendTo(right, id, data, ifVersion, index);
      return index === undefined ? right.put(id, data, version) : version;
    },
  })),
  "replaces the index with that of a later save, field by field": broken((right) => ({
    append: async (id, data, ifVersion, index) => {
      const [former] = (await find(right, { limit: 10_000 })).filter((row) => row.id === id);
      return appendTo(right, id, data, ifVersion, index && { ...former, ...index });
    },
  })),
  "lists a row that gets its index with an appended entry": broken((right) => ({
    append: (id, data, ifVersion) => appendTo(right, id, data, ifVersion, undefined),
  })),
  "writes an index that was passed before, after another handle has changed it": broken((right) => {
    const written = new WeakMap<RunIndex, string>();
    return {
      append: (id, data, ifVersion, index) => {
        const isKnown = index !== undefined && written.get(index) === id;
        if (index !== undefined) written.set(index, id);
        return appendTo(right, id, data, ifVersion, isKnown ? undefined : index);
      },
    };
  }),
  "writes neither bytes nor index in a conflict": beside({ keepsConflicts: true }),
  "finds runs by a value, or by any of a list of values": asking(({ status, ...query }) => ({
    ...query,
    status: typeof status === "object" && status.length === 0 ? undefined : status,
  })),
  "finds runs by the start of their id, or of their thread if they have one": broken((right) => ({
    runs: async ({ prefix = "", ...query }) =>
      (await find(right, { ...query, limit: 10_000 })).filter(({ id }) => id.startsWith(prefix)),
  })),
  "finds runs whose deadline is before a time": asking(({ dueBefore, ...query }) => ({
    ...query,
    dueBefore: dueBefore && dueBefore + 1,
  })),
  "lists runs in ascending order of since, then of the code points of their ids": finding((rows) =>
    rows.toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1)),
  ),
  "lists the runs after another one, so that each is on one page": finding((rows, { after }) =>
    rows.filter(({ since }) => since > (after?.since ?? -1)),
  ),
  "lists 100 runs unless the query has another limit": asking(({ limit = 1_000, ...query }) => ({ ...query, limit })),
  "rejects an invalid query with INVALID_OPTION": broken((right) => ({
    runs: (query) => find(right, query).catch(() => []),
  })),
  "calls the listeners of every handle after changes of runs": broken(() => ({ changes: () => () => undefined })),
  "calls no listener that has ended": broken((right) => ({
    changes: (listener) => {
      right.changes?.(listener);
      return () => undefined;
    },
  })),
  "calls no listener of a closed handle": handles(),
};

/** Handles that can be closed, and whose listeners stay. */
function handles(): Broken {
  const right = memoryStore();
  return () => {
    const store: ClosableStore = { ...forwarding(right), close: async () => undefined };
    return store;
  };
}
