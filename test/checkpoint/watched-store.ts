import { type CheckpointStore, memoryStore } from "kumiko";
import type { StoredCheckpoint } from "kumiko/compose";
import { readTree } from "../../src/checkpoint/document/read-document.js";

export interface StoreCall {
  /** An append is a put of another size. */
  readonly kind: "get" | "put" | "delete";
  readonly id: string;
  /** What is put or appended. */
  readonly text?: string;
}

/** What befalls a call: it waits for what these give, and fails with what they throw. */
export interface StoreHooks {
  readonly before?: (call: StoreCall) => unknown;
  /** It is done, but the caller does not know it yet. */
  readonly after?: (call: StoreCall) => unknown;
  readonly isOwnerAlive?: (owner: string) => boolean;
}

export interface WatchedStore extends CheckpointStore {
  readonly calls: readonly StoreCall[];
  /** How many puts were begun. */
  readonly puts: number;
  ids(): Promise<string[]>;
  /** What stands under an id, as text. */
  text(id: string): Promise<string>;
  /** Puts something else under an id. */
  replace(id: string, data: string | Uint8Array): Promise<void>;
  /** A store of its own with the same rows. */
  copy(): Promise<WatchedStore>;
}

/** Whether watched stores append: the tests of checkpoints run once with it and once without. */
export const appends = process.env.KUMIKO_APPENDS === "true";

/** A store that notes its calls, on rows that outlive it. */
export function watchedStore(hooks: StoreHooks = {}, rows: CheckpointStore = memoryStore()): WatchedStore {
  const calls: StoreCall[] = [];
  const around = async <T>(call: StoreCall, work: () => Promise<T>): Promise<T> => {
    calls.push(call);
    await hooks.before?.(call);
    const value = await work();
    await hooks.after?.(call);
    return value;
  };
  const row = async (id: string): Promise<StoredCheckpoint> => {
    const found = await rows.get(id);
    if (found === undefined) throw new Error(`Nothing is stored under "${id}".`);
    return found;
  };
  const ids = async (): Promise<string[]> => {
    const all: string[] = [];
    for await (const id of rows.list("")) all.push(id);
    return all;
  };
  const { isOwnerAlive } = hooks;
  return {
    calls,
    get puts() {
      return calls.filter(({ kind }) => kind === "put").length;
    },
    ids,
    text: async (id) => {
      const found = await row(id);
      return found.appended === undefined ? textOf(found.data) : JSON.stringify(readTree(found).finish());
    },
    replace: async (id, data) => {
      await rows.put(id, typeof data === "string" ? new TextEncoder().encode(data) : data, (await row(id)).version);
    },
    copy: async () => {
      const other = memoryStore();
      for (const id of await ids()) {
        const { data, appended = [] } = await row(id);
        let version = await other.put(id, data, undefined);
        for (const entry of appended) version = (await other.append?.(id, entry, version)) ?? version;
      }
      return watchedStore(hooks, other);
    },
    get: (id) => around({ kind: "get", id }, () => rows.get(id)),
    put: (id, data, ifVersion) => {
      const own = data.slice();
      return around({ kind: "put", id, text: textOf(own) }, () => rows.put(id, own, ifVersion));
    },
    ...(appends &&
      rows.append && {
        append: (id: string, data: Uint8Array, ifVersion: number) => {
          const own = data.slice();
          return around({ kind: "put", id, text: textOf(own) }, async () => {
            const version = await rows.append?.(id, own, ifVersion);
            if (version === undefined) throw new Error("The rows take no entries.");
            return version;
          });
        },
      }),
    delete: (id, ifVersion) => around({ kind: "delete", id }, () => rows.delete(id, ifVersion)),
    list: (prefix) => rows.list(prefix),
    ...(isOwnerAlive && { isOwnerAlive: async (owner: string) => isOwnerAlive(owner) }),
  };
}

const textOf = (data: Uint8Array): string => new TextDecoder().decode(data);
