import type { KumikoError } from "../../errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";
import { isConflict, isSame, readRow, storeError, versionOf } from "./store-calls.js";

/** The row of one run in its store. Every write is fenced: it goes through only at the version that this run wrote last. */
export class OwnRow {
  readonly store: CheckpointStore;
  readonly id: string;
  /** What the run wrote last; `undefined` as long as it has not claimed the row. */
  version: number | undefined = undefined;
  /** What a put that failed may have written all the same. */
  attempted: Uint8Array | undefined = undefined;
  readonly #lose: (conflict: unknown) => KumikoError;

  /** `lose` hears at once when somebody else has written the row, and gives the error for it. */
  constructor(store: CheckpointStore, id: string, lose: (conflict: unknown) => KumikoError) {
    this.store = store;
    this.id = id;
    this.#lose = lose;
  }

  async put(data: Uint8Array): Promise<void> {
    try {
      this.version = versionOf(await this.store.put(this.id, data, this.version), this.id);
      this.attempted = undefined;
    } catch (error) {
      await this.putAgain(data, error);
    }
  }

  /**
   * What follows a put that failed. On a conflict it puts once more if what stands there is this run's own: the confirmation of
   * a former put was lost. Else the row is lost at once: whatever else is ready in this turn must not begin.
   */
  async putAgain(data: Uint8Array, error: unknown): Promise<void> {
    if (!isConflict(error)) throw this.#unconfirmed(data, error);
    if (this.attempted === undefined || !(await this.#findOwn(this.attempted))) throw this.#lose(error);
    try {
      this.version = versionOf(await this.store.put(this.id, data, this.version), this.id);
      this.attempted = undefined;
    } catch (again) {
      throw isConflict(again) ? this.#lose(again) : this.#unconfirmed(data, again);
    }
  }

  async remove(): Promise<void> {
    try {
      await this.store.delete(this.id, this.version);
    } catch (error) {
      throw this.fenced(error, "remove");
    }
  }

  /** Brings back what was there before the row was claimed. */
  async restore(former: StoredCheckpoint | undefined): Promise<void> {
    try {
      if (former === undefined) await this.store.delete(this.id, this.version);
      else await this.store.put(this.id, former.data, this.version);
    } catch (error) {
      throw storeError(former === undefined ? "remove" : "write", this.id, error);
    }
  }

  /** Restores the row after a claim that failed, if the claim was written all the same and the store answers. */
  async undo(claim: Uint8Array, former: StoredCheckpoint | undefined): Promise<void> {
    try {
      if (await this.#findOwn(claim)) await this.restore(former);
    } catch {
      // the store is out of order: the claim will be found to have ended
    }
    this.version = undefined;
  }

  /** A write that meets another version: the run was taken over. */
  fenced(error: unknown, what: string): KumikoError {
    return isConflict(error) ? this.#lose(error) : storeError(what, this.id, error);
  }

  #unconfirmed(data: Uint8Array, error: unknown): KumikoError {
    this.attempted = data;
    return storeError("write", this.id, error);
  }

  /** Whether these bytes stand there. */
  async #findOwn(data: Uint8Array): Promise<boolean> {
    const row = await readRow(this.store, this.id);
    if (row === undefined || !isSame(row.data, data)) return false;
    this.version = versionOf(row.version, this.id);
    return true;
  }
}
