import { checkOptions } from "../../check-options.js";
import type { ClosableStore, StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import { checkpointConflict } from "../../checkpoint/errors.js";
import { checkCheckpointId } from "../../checkpoint/journal/checkpoint-id.js";
import type { RunIndex, RunQuery, RunRow } from "../../checkpoint/runs/run-index.js";
import { isNews, type RunListener } from "../../checkpoint/runs/run-listeners.js";
import { checkRunQuery, runRow } from "../../checkpoint/runs/run-query.js";
import { KnownIndexes } from "../known-indexes.js";
import { isProcessOwnerAlive } from "../owner-alive.js";
import type { SqliteConnection } from "./connection.js";
import { DataVersion } from "./data-version.js";
import { SqliteDatabase } from "./database.js";
import { invalidSynchronous } from "./errors.js";
import { locationOf } from "./location.js";
import {
  appendEntry,
  createRow,
  findVersion,
  listIds,
  readCheckpointRow,
  removeRow,
  removeVersion,
  replaceRow,
} from "./rows.js";
import { queryRuns, writeIndex } from "./run-rows.js";
import { prepareCheckpoints } from "./schema.js";

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /**
   * How durable a resolved `put` or `append` is. With `"full"` it is on the disk and survives a power cut. With `"normal"` it
   * survives a crash of the process; a power cut or a crash of the system may undo the last writes, but never a part of one.
   * @default "full"
   */
  readonly synchronous?: "full" | "normal" | undefined;
}

/**
 * Keeps checkpoints in an SQLite file, for any number of processes on one machine.
 *
 * - Uses `node:sqlite` where Node.js has it without a flag (22.13 or newer), otherwise the package `libsql`. Some versions of
 *   Node.js print a warning at first use; `node --disable-warning=ExperimentalWarning` turns it off.
 * - The first call opens or creates the file, and rejects with `STORE_FAILED` when it cannot. The folder must exist.
 * - Reads and writes are synchronous and block the thread for as long as the disk takes. While another process writes, a call
 *   waits for up to 30 seconds without blocking the thread.
 * - Do not put the file on a network drive: file locks are not reliable there.
 * - The file may hold other tables; those of the store begin with `kumiko_`.
 *
 * @example
 * const store = sqliteStore("runs.db");
 * const version = await store.put("order-7", new TextEncoder().encode("{}"), undefined);
 * await store.close();
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): ClosableStore {
  checkOptions("sqliteStore", options, ["synchronous"]);
  const { synchronous = "full" } = options;
  if (synchronous !== "full" && synchronous !== "normal") throw invalidSynchronous(synchronous);
  return new SqliteStore(
    new SqliteDatabase({
      store: "sqliteStore",
      file: path,
      location: locationOf("sqliteStore", path),
      synchronous,
      patienceSeconds: 30,
      prepare: prepareCheckpoints,
    }),
  );
}

class SqliteStore implements ClosableStore {
  readonly #database: SqliteDatabase;
  readonly #changes: DataVersion;
  readonly #known = new KnownIndexes();

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#changes = new DataVersion(database);
  }

  async get(id: string): Promise<StoredCheckpoint | undefined> {
    this.#check(id);
    return this.#database.use((connection) => readCheckpointRow(connection, id));
  }

  async put(id: string, data: Uint8Array, ifVersion: number | undefined, index?: RunIndex): Promise<number> {
    this.#check(id);
    const copy = new Uint8Array(data);
    const listed = index !== undefined;
    return this.#write({ id, ifVersion, index }, (connection) =>
      ifVersion === undefined
        ? createRow(connection, id, copy, listed)
        : replaceRow(connection, id, copy, listed, ifVersion),
    );
  }

  async append(id: string, data: Uint8Array, ifVersion: number, index?: RunIndex): Promise<number> {
    this.#check(id);
    const copy = new Uint8Array(data);
    return this.#write({ id, ifVersion, index }, (connection) => appendEntry(connection, id, copy, ifVersion));
  }

  async delete(id: string, ifVersion?: number): Promise<void> {
    this.#check(id);
    return this.#database.use((connection) => {
      if (ifVersion === undefined) removeRow(connection, id);
      else if (!removeVersion(connection, id, ifVersion)) {
        throw checkpointConflict(id, ifVersion, findVersion(connection, id));
      }
    });
  }

  list(prefix: string): AsyncIterable<string> {
    return listIds(prefix, (work) => this.#database.use(work));
  }

  async runs(query: RunQuery): Promise<RunRow[]> {
    const checked = checkRunQuery(query);
    return this.#database.use((connection) => queryRuns(connection, checked));
  }

  changes(listener: RunListener): () => void {
    this.#database.checkOpen();
    return this.#changes.add(listener);
  }

  async isOwnerAlive(owner: string): Promise<boolean> {
    this.#database.checkOpen();
    return isProcessOwnerAlive(owner);
  }

  close(): Promise<void> {
    this.#changes.close();
    return this.#database.close();
  }

  /** Writes the bytes, and in the same transaction the index, unless the row is known to have it. */
  async #write(target: WriteTarget, write: WriteRow): Promise<number> {
    const { id, ifVersion, index } = target;
    return this.#database.use((connection) => {
      const save = (): number => {
        const version = write(connection);
        if (version === undefined) throw checkpointConflict(id, ifVersion, findVersion(connection, id));
        return version;
      };
      if (index === undefined) return save();
      const { version, former } = this.#known.has(index, id, ifVersion)
        ? { version: save(), former: index.status }
        : connection.transaction("write", () => {
            const before = writeIndex(connection, id, index);
            return { version: save(), former: before };
          });
      this.#known.set(index, id, version);
      if (isNews(former, index)) this.#changes.call(runRow(id, index));
      return version;
    });
  }

  #check(id: string): void {
    this.#database.checkOpen();
    checkCheckpointId(id);
  }
}

interface WriteTarget {
  readonly id: string;
  readonly ifVersion: number | undefined;
  readonly index: RunIndex | undefined;
}

/** Returns the new version; `undefined` when the row does not have the expected one. */
type WriteRow = (connection: SqliteConnection) => number | undefined;
