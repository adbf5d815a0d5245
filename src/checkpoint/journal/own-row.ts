import type { KumikoError } from "../../errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";
import { readTree } from "../document/read-document.js";
import { isConflict } from "../errors.js";
import type { HistoryLog } from "../history/history-log.js";
import { mergedWrite, type Write } from "./own-document.js";
import { isSame, readRow, storeError, versionOf } from "./store-calls.js";

/** What stands in a row. */
interface RowDocument {
  readonly history: HistoryLog | undefined;
  /** The name of the claim of this run. */
  readonly claim: string | undefined;
}

/** The row of one run in its store. Every write is fenced: it succeeds only at the version that this run wrote last. */
export class OwnRow {
  readonly store: CheckpointStore;
  readonly id: string;
  /** The version of the last write; `undefined` until the row is claimed. */
  version: number | undefined = undefined;
  /** Failed writes since the last one that succeeded: one of them may have reached the store all the same. */
  #attempted: readonly Write[] = [];
  readonly #document: RowDocument | undefined;
  readonly #lose: (conflict: unknown) => KumikoError;

  /** `lose` is called as soon as another writer of the row is found, and returns the error for it. */
  constructor(store: CheckpointStore, id: string, lose: (conflict: unknown) => KumikoError, document?: RowDocument) {
    this.store = store;
    this.#document = document;
    this.id = id;
    this.#lose = lose;
  }

  /** The history of what stands in the row, if one is kept. */
  get history(): HistoryLog | undefined {
    return this.#document?.history;
  }

  /** Whether the store can append entries. */
  get appends(): boolean {
    return this.store.append !== undefined;
  }

  /** {@link write}, where there is something to write. */
  async writeOnce(write: Write | undefined): Promise<void> {
    if (write !== undefined) await this.write(write);
  }

  async write(write: Write): Promise<void> {
    try {
      this.confirm(await this.call(write, this.version));
    } catch (error) {
      await this.writeAgain(write, error);
    }
  }

  /** Notes the version that the store has given to a write. */
  confirm(version: unknown): void {
    this.version = versionOf(version, this.id);
    if (this.#attempted.length > 0) this.#attempted = [];
  }

  /** Makes one call of the store. */
  call({ data, isEntry, index, closes }: Write, ifVersion: number | undefined): Promise<number> {
    const { store, id, history } = this;
    if (closes !== undefined && history !== undefined) {
      return history.close(store, id, closes.held, ifVersion).then(() => store.put(id, data, ifVersion, index));
    }
    if (isEntry && store.append !== undefined && ifVersion !== undefined)
      return store.append(id, data, ifVersion, index);
    return store.put(id, data, ifVersion, index);
  }

  /**
   * Handles a failed write. On a conflict it looks whether the row holds an attempt of this run whose confirmation was lost: that
   * may be this write, or it writes once more. Otherwise the row is lost at once, so that nothing else of this turn begins.
   */
  async writeAgain(write: Write, error: unknown): Promise<void> {
    if (!isConflict(error)) throw this.#unconfirmed(write, error);
    const own = await this.#findOwn(this.#attempted);
    if (own === undefined) throw this.#lose(error);
    this.#attempted = [];
    // an entry that was appended twice could not be read
    if (isSameWrite(own, write)) return;
    try {
      this.confirm(await this.call(write, this.version));
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

  /** Restores what was in the row before it was claimed. */
  async restore(former: StoredCheckpoint | undefined): Promise<void> {
    try {
      if (former === undefined) await this.store.delete(this.id, this.version);
      else await this.call(mergedWrite(former), this.version);
    } catch (error) {
      throw storeError(former === undefined ? "remove" : "write", this.id, error);
    }
  }

  /** Restores the row after a failed claim, if the claim was written all the same and the store answers. */
  async undo(claim: Write, former: StoredCheckpoint | undefined): Promise<void> {
    try {
      if ((await this.#findOwn([claim])) !== undefined) await this.restore(former);
    } catch {
      // the store does not work: a later claim will find that this one has ended
    }
    this.version = undefined;
  }

  /** The error of a failed call: a conflict means that the run was taken over. */
  fenced(error: unknown, what: string): KumikoError {
    return isConflict(error) ? this.#lose(error) : storeError(what, this.id, error);
  }

  #unconfirmed(write: Write, error: unknown): KumikoError {
    if (!this.#attempted.some((known) => isSameWrite(known, write))) this.#attempted = [...this.#attempted, write];
    return storeError("write", this.id, error);
  }

  /** The one of these writes that is the last one in the row. If there is one, takes over its version. */
  async #findOwn(writes: readonly Write[]): Promise<Write | undefined> {
    const row = writes.length === 0 ? undefined : await readRow(this.store, this.id);
    if (row === undefined) return undefined;
    const last = row.appended?.at(-1);
    const found = { isEntry: last !== undefined, data: last ?? row.data };
    const own = writes.find((write) => isSameWrite(write, found));
    // who has taken the run over may have done the same task, and written the same
    if (own === undefined || this.#isTaken(row)) return undefined;
    this.version = versionOf(row.version, this.id);
    return own;
  }

  #isTaken(row: StoredCheckpoint): boolean {
    const claim = this.#document?.claim;
    const { claim: now = claim } = readTree(row).finish();
    return claim !== undefined && now !== claim;
  }
}

type WrittenData = Pick<Write, "data" | "isEntry">;

const isSameWrite = (one: WrittenData, other: WrittenData): boolean =>
  one.isEntry === other.isEntry && isSame(one.data, other.data);
