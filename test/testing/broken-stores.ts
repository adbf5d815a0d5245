import { type CheckpointStore, KumikoError, memoryStore } from "kumiko";
import type { ClosableStore, StoredCheckpoint } from "kumiko/compose";

export type Broken = () => CheckpointStore | Promise<CheckpointStore>;

/** A right store with some methods of another kind; both handles are one object. */
export function broken(change: (right: CheckpointStore) => Partial<CheckpointStore>): Broken {
  const right = memoryStore();
  const store: CheckpointStore = {
    get: (id) => right.get(id),
    put: (id, data, ifVersion) => right.put(id, data, ifVersion),
    append: (id, data, ifVersion) => appendTo(right, id, data, ifVersion),
    delete: (id, ifVersion) => right.delete(id, ifVersion),
    list: (prefix) => right.list(prefix),
    ...change(right),
  };
  return () => store;
}

export const appendTo = async (right: CheckpointStore, id: string, data: Uint8Array, ifVersion: number) => {
  const version = await right.append?.(id, data, ifVersion);
  if (version === undefined) throw new Error("It does not append.");
  return version;
};
export const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
const decode = ({ data }: StoredCheckpoint) => new TextDecoder().decode(data);
export const anyVersion = async (right: CheckpointStore, id: string) => (await right.get(id))?.version;
const list = (ids: (prefix: string, right: CheckpointStore) => Promise<string[]>): Broken =>
  broken((right) => ({
    list: async function* (prefix) {
      yield* await ids(prefix, right);
    },
  }));
const collect = async (right: CheckpointStore, prefix: string) => {
  const ids: string[] = [];
  for await (const id of right.list(prefix)) ids.push(id);
  return ids;
};
/** Renames every id on the way in: what different ids become the same one of. */
const renamed = (rename: (id: string) => string): Broken =>
  broken((right) => ({
    get: (id) => right.get(rename(id)),
    put: async (id, data) => right.put(rename(id), data, await anyVersion(right, rename(id))),
    delete: (id) => right.delete(rename(id)),
  }));
const keptAs = (change: (data: Uint8Array) => Uint8Array): Broken =>
  broken((right) => ({ put: (id, data, ifVersion) => right.put(id, change(data), ifVersion) }));
/** Reads, lets others do the same, and writes: no compare-and-swap. */
const readThenWrite = (right: CheckpointStore, id: string, data: Uint8Array, ifVersion: number | undefined) =>
  anyVersion(right, id).then(async (found) => {
    if (found !== ifVersion) throw new KumikoError("CHECKPOINT_CONFLICT", "read before");
    await turn();
    return right.put(id, data, await anyVersion(right, id));
  });
const readThenDelete = async (right: CheckpointStore, id: string, ifVersion: number | undefined) => {
  const found = await anyVersion(right, id);
  if (ifVersion !== undefined && found !== ifVersion) throw new KumikoError("CHECKPOINT_CONFLICT", "read before");
  await turn();
  await right.delete(id);
};

/** For each check, a store that breaks what it checks and else does as it should. */
export const brokenStores: Record<string, Broken> = {
  "finds nothing under an id that was never used": broken((right) => ({
    get: async (id) => (await right.get(id)) ?? { data: new Uint8Array(), version: 0 },
  })),
  "keeps what was put, under the version that put returned": broken((right) => ({
    put: async (id, data, ifVersion) => (await right.put(id, data, ifVersion)) + 1,
  })),
  "returns the same rows to every handle": () => memoryStore(),
  "creates a row only if none exists": broken((right) => ({
    put: async (id, data, ifVersion) => right.put(id, data, ifVersion ?? (await anyVersion(right, id))),
  })),
  "replaces the given version": broken((right) => ({
    put: async (id, data, ifVersion) => {
      if (ifVersion !== undefined) throw new KumikoError("CHECKPOINT_CONFLICT", "always");
      return right.put(id, data, undefined);
    },
  })),
  "rejects the replacement of another version": broken((right) => ({
    put: async (id, data, ifVersion) => right.put(id, data, ifVersion && (await anyVersion(right, id))),
  })),
  "rejects a replacement if nothing is stored": broken((right) => ({
    put: async (id, data, ifVersion) => right.put(id, data, (await right.get(id)) && ifVersion),
  })),
  "deletes only the given id": broken((right) => ({
    delete: async (id, ifVersion) => {
      await right.delete(id, ifVersion);
      for (const other of await collect(right, id)) await right.delete(other);
    },
  })),
  "deletes an unknown id without an error": broken((right) => ({
    delete: async (id, ifVersion) => right.delete(id, ifVersion ?? (await anyVersion(right, id)) ?? 1),
  })),
  "deletes the given version": broken((right) => ({
    delete: (id, ifVersion) =>
      ifVersion === undefined ? right.delete(id) : Promise.reject(new KumikoError("CHECKPOINT_CONFLICT", "always")),
  })),
  "rejects the deletion of another version": broken((right) => ({ delete: (id) => right.delete(id) })),
  "rejects the deletion of a version if nothing is stored": broken((right) => ({
    delete: async (id, ifVersion) => right.delete(id, (await right.get(id)) && ifVersion),
  })),
  "never uses a version twice for one id, also after a delete": countedPerRow(),
  "rejects a version from before a delete": countedPerRow(),
  "reports an owner as gone only if it is certain": broken(() => ({ isOwnerAlive: async () => false })),
  "keeps every byte as it is": keptAs((data) => new TextEncoder().encode(new TextDecoder().decode(data))),
  "keeps values of 1 MB": keptAs((data) => data.subarray(0, 1_048_575)),
  "keeps an empty value": broken((right) => ({
    get: async (id) => {
      const found = await right.get(id);
      return found?.data.length === 0 ? undefined : found;
    },
  })),
  "stores the bytes of a view, not those around it": keptAs((data) => new Uint8Array(data.buffer)),
  "copies what is put before put returns": broken((right) => ({
    put: async (id, data, ifVersion) => {
      await turn();
      return right.put(id, data, ifVersion);
    },
  })),
  "returns a copy to each caller": sharing(),
  "accepts ids of up to 512 characters": broken((right) => ({
    put: async (id, data, ifVersion) => {
      if (id.length > 255) throw new Error("value too long for type character varying(255)");
      return right.put(id, data, ifVersion);
    },
  })),
  "distinguishes long ids by their last character": renamed((id) => id.slice(0, 511)),
  "distinguishes ids that only look alike": renamed((id) => id.normalize().toLowerCase()),
  "accepts ids that have a special meaning elsewhere": renamed((id) => id.replaceAll("\\", "/")),
  "distinguishes ids by characters that databases often reject": renamed((id) =>
    new TextDecoder().decode(Buffer.from(id)),
  ),
  "lists nothing if nothing is stored": list(async () => ["somebody/else"]),
  "lists ids in ascending order of their code points": list(async (prefix, right) =>
    (await collect(right, prefix)).sort((a, b) => (a < b ? -1 : 1)),
  ),
  "lists ids that start with the prefix, including the prefix itself": list(async (prefix, right) =>
    (await collect(right, prefix)).filter((id) => id !== prefix),
  ),
  "takes a prefix literally": list(async (prefix, right) => {
    const pattern = new RegExp(`^${prefix.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`.replaceAll("%", ".*"), "u");
    return (await collect(right, "")).filter((id) => pattern.test(id));
  }),
  "lists every id for the empty prefix": list(async (prefix, right) => (prefix === "" ? [] : collect(right, prefix))),
  "lists ids that begin with ~ only for a prefix that does": list(async (prefix, right) =>
    prefix === "" ? [...(await collect(right, "")), ...(await collect(right, "~"))] : collect(right, prefix),
  ),
  "does not list deleted ids": forgetful(),
  "lists many ids, each once": list(async (prefix, right) => (await collect(right, prefix)).slice(0, 1_000)),
  "can be changed while ids are listed, and listing can stop early": broken((right) => ({
    list: async function* (prefix) {
      for (let at = 0; ; at++) {
        const id = (await collect(right, prefix))[at];
        if (id === undefined) return;
        yield id;
      }
    },
  })),
  "lets one of many writers create": broken((right) => ({
    put: (id, data, ifVersion) =>
      ifVersion === undefined ? readThenWrite(right, id, data, undefined) : right.put(id, data, ifVersion),
  })),
  "lets one of many writers replace a version": broken((right) => ({
    put: (id, data, ifVersion) =>
      ifVersion === undefined ? right.put(id, data, undefined) : readThenWrite(right, id, data, ifVersion),
  })),
  "lets one of many delete a version": broken((right) => ({
    delete: (id, ifVersion) => readThenDelete(right, id, ifVersion),
  })),
  "lets either a replacement or a deletion of one version through": broken((right) => ({
    delete: (id, ifVersion) => readThenDelete(right, id, ifVersion),
  })),
  "loses no update when all writers retry": broken((right) => ({
    put: (id, data, ifVersion) => readThenWrite(right, id, data, ifVersion),
  })),
  "never shows two contents under one version": torn(),
  "keeps every acknowledged put when the handle is closed during others": closable((right, isClosed) => ({
    // says that it is written, and writes it later
    put: async (id, data, ifVersion) => {
      const version = await right.put(id, data, ifVersion);
      await right.delete(id);
      setTimeout(() => isClosed() || right.put(id, data, undefined), 0);
      return version;
    },
  })),
  "writes a put entirely or not at all when the handle is closed during it": closable((right, isClosed) => ({
    put: async (id, data, ifVersion) => {
      const half = await right.put(id, data.slice(0, 5), ifVersion);
      await turn();
      if (isClosed()) throw new Error("Closed.");
      return right.put(id, data, half);
    },
  })),
};

/** Handles that can be closed, on the same rows. */
export function closable(
  change: (right: CheckpointStore, isClosed: () => boolean) => Partial<CheckpointStore>,
): Broken {
  const right = memoryStore();
  return () => {
    let closed = false;
    const store: ClosableStore = {
      get: (id) => right.get(id),
      put: (id, data, ifVersion) => right.put(id, data, ifVersion),
      append: (id, data, ifVersion) => appendTo(right, id, data, ifVersion),
      delete: (id, ifVersion) => right.delete(id, ifVersion),
      list: (prefix) => right.list(prefix),
      ...change(right, () => closed),
      close: async () => {
        closed = true;
      },
    };
    return store;
  };
}

/** Versions that begin at 1 again when a row is created again. */
function countedPerRow(): Broken {
  const rows = new Map<string, StoredCheckpoint>();
  const check = (id: string, ifVersion: number | undefined) => {
    if (rows.get(id)?.version !== ifVersion) throw new KumikoError("CHECKPOINT_CONFLICT", "another version");
  };
  return broken(() => ({
    get: async (id) => rows.get(id),
    put: async (id, data, ifVersion) => {
      check(id, ifVersion);
      const version = (ifVersion ?? 0) + 1;
      rows.set(id, { data: data.slice(), version });
      return version;
    },
    delete: async (id, ifVersion) => {
      if (ifVersion !== undefined) check(id, ifVersion);
      rows.delete(id);
    },
  }));
}

/** Gives everybody the array that it keeps. */
function sharing(): Broken {
  const shared = new Map<string, StoredCheckpoint>();
  return broken((right) => ({
    get: async (id) => {
      const found = await right.get(id);
      if (found !== undefined && shared.get(id)?.version !== found.version) shared.set(id, found);
      return found && shared.get(id);
    },
  }));
}

/** Lists what it ever had. */
function forgetful(): Broken {
  const ever = new Set<string>();
  return broken((right) => ({
    put: (id, data, ifVersion) => {
      ever.add(id);
      return right.put(id, data, ifVersion);
    },
    list: async function* (prefix) {
      yield* [...ever].filter((id) => id.startsWith(prefix)).sort();
    },
  }));
}

/** Shows the new content under the old version for a moment. */
function torn(): Broken {
  const early = new Map<string, Uint8Array>();
  return broken((right) => ({
    get: async (id) => {
      const found = await right.get(id);
      const data = early.get(id);
      return found && data ? { data: data.slice(), version: found.version } : found;
    },
    put: async (id, data, ifVersion) => {
      const copy = data.slice();
      if (ifVersion !== undefined && decode({ data: copy, version: 0 }) !== "") early.set(id, copy);
      await turn();
      early.delete(id);
      return right.put(id, copy, ifVersion);
    },
  }));
}
