import { type CheckpointStore, KumikoError, memoryStore } from "kumiko";
import { anyVersion, appendTo, type Broken, broken, closable, turn } from "./broken-stores.js";

const conflict = () => new KumikoError("CHECKPOINT_CONFLICT", "another version");
/** Entries as get gives them, changed. */
const given = (change: (entries: readonly Uint8Array[]) => readonly Uint8Array[]): Broken =>
  broken((right) => ({
    get: async (id) => {
      const found = await right.get(id);
      return found && { ...found, appended: change(found.appended ?? []) };
    },
  }));
/** Looks at the version, lets others do the same, and appends: no compare-and-swap. */
const readThenAppend = broken((right) => ({
  append: async (id, data, ifVersion) => {
    if ((await anyVersion(right, id)) !== ifVersion) throw conflict();
    await turn();
    return appendTo(right, id, data, (await anyVersion(right, id)) ?? 0);
  },
}));

/** For each check of `append`, a store that breaks what it checks and else does as it should. */
export const brokenAppendStores: Record<string, Broken> = {
  "returns entries separately from the data that was put, in the order of the appends": given((entries) =>
    entries.toReversed(),
  ),
  "keeps every byte of an entry, entries without any, and entries of 1 MB": given((entries) =>
    entries.filter(({ length }) => length > 0),
  ),
  "keeps the order of many entries": given((entries) => entries.toSorted(Buffer.compare)),
  "appends the bytes of a view, as they are when append is called": broken((right) => ({
    append: async (id, data, ifVersion) => {
      await turn();
      return appendTo(right, id, data, ifVersion);
    },
  })),
  "returns a copy of entries to each caller": beside({ shares: true }),
  "appends only to the given id": beside({ keyOf: (id) => id.toLowerCase() }),
  "returns a new version with each append, as does get": broken((right) => ({
    append: async (id, data, ifVersion) => (await appendTo(right, id, data, ifVersion)) + 1,
  })),
  "rejects an append to another version": broken((right) => ({
    append: async (id, data, ifVersion) => appendTo(right, id, data, (await anyVersion(right, id)) ?? ifVersion),
  })),
  "rejects an append if nothing is stored": broken((right) => ({
    append: async (id, data, ifVersion) =>
      (await right.get(id)) ? appendTo(right, id, data, ifVersion) : right.put(id, data, undefined),
  })),
  "replaces and deletes only the version of the last append": forgetsAppends(),
  "never uses a version twice for one id, across put and append": countsApart(),
  "removes the entries when the base is replaced": beside({ keepsOnPut: true }),
  "removes the entries of a deleted id, and keeps those of others": beside({ keepsOnDelete: true }),
  "lists an id once, regardless of its entries": broken((right) => ({
    list: async function* (prefix) {
      for await (const id of right.list(prefix)) {
        yield id;
        yield* ((await right.get(id))?.appended ?? []).map(() => id);
      }
    },
  })),
  "lets either an append or a replacement of one version through": readThenAppend,
  "lets either an append or a deletion of one version through": beside({ pauses: true }),
  "leaves nothing of an append that races with an unconditional delete": beside({ pauses: true }),
  "lets one of many writers append to a version": readThenAppend,
  "loses no entry when all writers retry": beside({ pauses: true }),
  "returns consistent data, entries and version during concurrent writes": broken((right) => ({
    get: async (id) => {
      const [{ data, version }, later] = [(await right.get(id)) ?? never(), turn()];
      await later;
      return { data, version, appended: (await right.get(id))?.appended };
    },
  })),
  "keeps every acknowledged append when the handle is closed during others": closable((right, isClosed) => ({
    // says that it is written, and writes it later
    append: async (id, data, ifVersion) => {
      setTimeout(() => isClosed() || appendTo(right, id, data, ifVersion), 0);
      return ifVersion + 1;
    },
  })),
  "appends an entry entirely or not at all when the handle is closed during the append": closable(
    (right, isClosed) => ({
      append: async (id, data, ifVersion) => {
        const half = await appendTo(right, id, data.slice(0, 5), ifVersion);
        if (!id.endsWith("/0")) await turn();
        if (isClosed()) throw new Error("Closed.");
        return half;
      },
    }),
  ),
};

interface Defects {
  readonly keyOf?: (id: string) => string;
  readonly keepsOnPut?: boolean;
  readonly keepsOnDelete?: boolean;
  readonly shares?: boolean;
  /** Between what it reads and what it writes. */
  readonly pauses?: boolean;
}

/** Keeps entries beside the rows, in lists of its own. */
function beside({ keyOf = (id) => id, keepsOnPut, keepsOnDelete, shares, pauses }: Defects): Broken {
  const lists = new Map<string, readonly Uint8Array[]>();
  const listOf = (id: string) => lists.get(keyOf(id)) ?? [];
  return broken((right) => ({
    get: async (id) => {
      const found = await right.get(id);
      return found && { ...found, appended: shares ? listOf(id) : listOf(id).map((entry) => entry.slice()) };
    },
    put: async (id, data, ifVersion) => {
      const version = await right.put(id, data, ifVersion);
      if (!keepsOnPut && ifVersion !== undefined) lists.delete(keyOf(id));
      return version;
    },
    append: async (id, data, ifVersion) => {
      const found = await right.get(id);
      if (found?.version !== ifVersion) throw conflict();
      const list = [...listOf(id), data.slice()];
      if (pauses) await turn();
      lists.set(keyOf(id), list);
      return right.put(id, found.data, pauses ? await anyVersion(right, id) : ifVersion);
    },
    delete: async (id, ifVersion) => {
      await right.delete(id, ifVersion);
      if (!keepsOnDelete) lists.delete(keyOf(id));
    },
  }));
}

/** Takes the version of the base for the present one in `put` and `delete`. */
function forgetsAppends(): Broken {
  const bases = new Map<number, string>();
  return broken((right) => {
    const present = async (id: string, version: number | undefined) =>
      version !== undefined && bases.get(version) === id ? await anyVersion(right, id) : version;
    return {
      put: async (id, data, ifVersion) => {
        const version = await right.put(id, data, await present(id, ifVersion));
        bases.set(version, id);
        return version;
      },
      delete: async (id, ifVersion) => right.delete(id, await present(id, ifVersion)),
    };
  });
}

/** Versions of entries count from that of their base, and those of bases do not know of them. */
function countsApart(): Broken {
  const right = memoryStore();
  const lists = new Map<string, Uint8Array[]>();
  const find = async (id: string) => {
    const found = await right.get(id);
    const appended = lists.get(id) ?? [];
    return found && { ...found, appended, base: found.version, version: found.version + appended.length };
  };
  const baseOf = async (id: string, ifVersion: number) => {
    const found = await find(id);
    if (found?.version !== ifVersion) throw conflict();
    return found.base;
  };
  const store: CheckpointStore = {
    get: find,
    put: async (id, data, ifVersion) => {
      const version = await right.put(id, data, ifVersion === undefined ? undefined : await baseOf(id, ifVersion));
      lists.delete(id);
      return version;
    },
    append: async (id, data, ifVersion) => {
      await baseOf(id, ifVersion);
      lists.set(id, [...(lists.get(id) ?? []), data.slice()]);
      return ifVersion + 1;
    },
    delete: async (id, ifVersion) => {
      await right.delete(id, ifVersion === undefined ? undefined : await baseOf(id, ifVersion));
      lists.delete(id);
    },
    list: (prefix) => right.list(prefix),
  };
  return () => store;
}

function never(): never {
  throw new Error("Nothing is stored there.");
}
