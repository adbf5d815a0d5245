import type { RunRow } from "../../checkpoint/runs/run-index.js";
import { type RunListener, RunListeners } from "../../checkpoint/runs/run-listeners.js";
import type { SqliteDatabase } from "./database.js";

/**
 * Tells listeners of writes of other connections. SQLite only tells that there were any, in `data_version`, and only when it is
 * asked.
 */
export class DataVersion {
  readonly #database: SqliteDatabase;
  readonly #listeners = new RunListeners();
  #timer: NodeJS.Timeout | undefined;
  #last: unknown;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  add(listener: RunListener): () => void {
    const end = this.#listeners.add(listener);
    if (this.#timer === undefined) this.#start();
    return () => {
      end();
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Tells of a write of this connection. */
  call(row: RunRow): void {
    this.#listeners.call(row);
  }

  close(): void {
    this.#listeners.clear();
    this.#stop();
  }

  #start(): void {
    this.#last = undefined;
    const timer = setInterval(() => void this.#look(timer), pollMs).unref();
    this.#timer = timer;
    void this.#look(timer);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(timer: NodeJS.Timeout): Promise<void> {
    try {
      const [row] = await this.#database.use((connection) => connection.query("PRAGMA data_version"));
      if (timer !== this.#timer) return;
      const former = this.#last;
      this.#last = row?.data_version;
      if (former !== undefined && former !== this.#last) this.#listeners.call();
    } catch {
      // the file cannot be opened or read now: the next look may succeed
    }
  }
}

const pollMs = 100;
