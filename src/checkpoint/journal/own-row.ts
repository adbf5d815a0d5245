import type { KumikoError } from "../../errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";
import type { HistoryLog } from "../history/history-log.js";
import { mergedBytes, type Write } from "./own-document.js";
import { isConflict, isSame, readRow, storeError, versionOf } from "./store-calls.js";

/** The row of one run in its store. Every write is fenced: it goes through only at the version that this run wrote last. */
export class OwnRow {
  readonly store: CheckpointStore;
  readonly id: string;
  /** What the run wrote last; `undefined` as long as it has not claimed the row. */
  version: number | undefined = undefined;
  /** What a write that failed may have written all the same. */
  attempted: Write | undefined = undefined;
  readonly history: HistoryLog | undefined;
  readonly #lose: (conflict: unknown) => KumikoError;

  /** `lose` hears at once when somebody else has written the row, and gives the error for it. */
  constructor(store: CheckpointStore, id: string, lose: (conflict: unknown) => KumikoError, history?: HistoryLog) {
    this.store = store;
    this.history = history;
    this.id = id;
    this.#lose = lose;
  }

  /** Whether the store takes entries. */
  get appends(): boolean {
    return this.store.append !== undefined;
  }

  async write(write: Write): Promise<void> {
    try {
      this.version = versionOf(await this.call(write, this.version), this.id);
      this.attempted = undefined;
    } catch (error) {
      await this.writeAgain(write, error);
    }
  }

  /** One call of the store. */
  call({ data, isEntry, closesSegment }: Write, ifVersion: number | undefined): Promise<number> {
    const { store, id, history } = this;
    if (closesSegment === true && history !== undefined) {
      return history.close(store, id).then(() => store.put(id, data, ifVersion));
    }
    if (isEntry && store.append !== undefined && ifVersion !== undefined) return store.append(id, data, ifVersion);
    return store.put(id, data, ifVersion);
  }

  /**
   * What follows a write that failed. On a conflict it writes once more if what stands there is this run's own: the confirmation
   * of a former write was lost. Else the row is lost at once: whatever else is ready in this turn must not begin.
   */
  async writeAgain(write: Write, error: unknown): Promise<void> {
    if (!isConflict(error)) throw this.#unconfirmed(write, error);
    if (this.attempted === undefined || !(await this.#findOwn(this.attempted))) throw this.#lose(error);
    try {
      this.version = versionOf(await this.call(write, this.version), this.id);
      this.attempted = undefined;
    } catch (again) {
      throw isConflict(again) ? this.#lose(again) : this.#unconfirmed(write, again);
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
      else await this.store.put(this.id, mergedBytes(former), this.version);
    } catch (error) {
      throw storeError(former === undefined ? "remove" : "write", this.id, error);
    }
  }

  /** Restores the row after a claim that failed, if the claim was written all the same and the store answers. */
  async undo(claim: Write, former: StoredCheckpoint | undefined): Promise<void> {
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

  #unconfirmed(write: Write, error: unknown): KumikoError {
    this.attempted = write;
    return storeError("write", this.id, error);
  }

  /** Whether these bytes stand there, and nothing behind them. */
  async #findOwn({ data, isEntry }: Write): Promise<boolean> {
    const row = await readRow(this.store, this.id);
    if (row === undefined) return false;
    const last = row.appended?.at(-1);
    const found = isEntry ? last : last === undefined ? row.data : undefined;
    if (found === undefined || !isSame(found, data)) return false;
    this.version = versionOf(row.version, this.id);
    return true;
  }
}
