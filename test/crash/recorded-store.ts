import { type CheckpointStore, KumikoError } from "kumiko";
import type { ClosableStore, StoredCheckpoint } from "kumiko/compose";
import type { EffectsLog } from "./effects-log.js";

/** The store, which notes before and after each write what became of it. */
export function recordedStore(store: CheckpointStore, log: EffectsLog): CheckpointStore {
  const noted = async <T>(write: () => Promise<T>): Promise<T> => {
    log.write("put");
    try {
      const written = await write();
      log.write("kept");
      return written;
    } catch (error) {
      if (KumikoError.is(error) && error.code === "CHECKPOINT_CONFLICT") log.write("refused");
      throw error;
    }
  };
  return {
    get: (id) => store.get(id),
    put: (id, data, ifVersion) => noted(() => store.put(id, data, ifVersion)),
    delete: (id, ifVersion) => noted(() => store.delete(id, ifVersion)),
    list: (prefix) => store.list(prefix),
    isOwnerAlive: async (owner) => (await store.isOwnerAlive?.(owner)) ?? true,
  };
}

/** A store that acknowledges before it has written: the last put of a process that is killed is lost. For one id. */
export class ForgetfulStore implements ClosableStore {
  readonly #store: ClosableStore;
  readonly #written = new Map<number | undefined, number>();
  #late: { readonly version: number; readonly write: () => Promise<number> } | undefined = undefined;
  #promised = 0;

  constructor(store: ClosableStore) {
    this.#store = store;
  }

  async get(id: string): Promise<StoredCheckpoint | undefined> {
    await this.#flush();
    return this.#store.get(id);
  }

  async put(id: string, data: Uint8Array, ifVersion: number | undefined): Promise<number> {
    await this.#flush();
    const version = --this.#promised;
    const found = this.#written.get(ifVersion) ?? ifVersion;
    this.#late = { version, write: () => this.#store.put(id, data, found) };
    return version;
  }

  async delete(id: string, ifVersion?: number): Promise<void> {
    await this.#flush();
    await this.#store.delete(id, this.#written.get(ifVersion) ?? ifVersion);
  }

  list(prefix: string): AsyncIterable<string> {
    return this.#store.list(prefix);
  }

  async isOwnerAlive(owner: string): Promise<boolean> {
    return (await this.#store.isOwnerAlive?.(owner)) ?? true;
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#store.close();
  }

  async #flush(): Promise<void> {
    const late = this.#late;
    this.#late = undefined;
    if (late !== undefined) this.#written.set(late.version, await late.write());
  }
}
