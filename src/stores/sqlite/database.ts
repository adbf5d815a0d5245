import { setImmediate } from "node:timers";
import { storeClosed } from "../../checkpoint/errors.js";
import { KumikoError } from "../../errors.js";
import { chooseDriver } from "./choose-driver.js";
import type { DriverName, SqliteConnection, SqliteDriver } from "./connection.js";
import { sqliteFailed, stayedLocked } from "./errors.js";

/** SQLite's result codes for a database in use by another connection. */
const busy = 5;
const locked = 6;
/** How long SQLite itself waits for a lock. It is short, because it blocks the thread. */
const busyTimeoutMs = 10;

export interface DatabaseSettings {
  /** The function that made the store, for error messages. */
  readonly store: "sqliteStore" | "sqliteVectors";
  /** The path that the user gave, for error messages. */
  readonly file: string;
  /** The path or URI that is given to the driver. */
  readonly location: string;
  readonly synchronous: "full" | "normal";
  /** How long a call is retried, without blocking the thread, while another connection holds a lock. */
  readonly patienceSeconds: number;
  /** @default the one that the process already uses, else the first available one */
  readonly driver?: DriverName | undefined;
  /** Finds an SQLite extension to load into the connection. */
  readonly findExtension?: () => Promise<string>;
  /** Creates the tables if there are none. */
  prepare(connection: SqliteConnection, file: string): void;
}

/** A database that is opened at first use. */
export class SqliteDatabase {
  readonly #settings: DatabaseSettings;
  #opening: Promise<OpenDatabase> | undefined;
  #open: OpenDatabase | undefined;
  readonly #turn = new LoopTurn();
  #closed = false;

  constructor(settings: DatabaseSettings) {
    this.#settings = settings;
  }

  /** Runs `work`, and tries again while another connection holds a lock. */
  async use<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    this.checkOpen();
    const { driver, connection } = this.#open ?? (await this.#whenOpen());
    const turn = this.#turn.endIfLong();
    if (turn !== undefined) await turn;
    return this.#patiently(driver, () => work(connection));
  }

  checkOpen(): void {
    if (this.#closed) throw storeClosed(this.#settings.store);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#opening?.catch(() => undefined); // the call that opened it gets the error
    this.#open?.connection.close();
  }

  /** If opening fails, the next call tries again. */
  #whenOpen(): Promise<OpenDatabase> {
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openNow(): Promise<OpenDatabase> {
    const { location, driver: wanted, findExtension } = this.#settings;
    const driver = await chooseDriver(wanted);
    const extension = await findExtension?.();
    const connection = await this.#patiently(driver, () => driver.open(location, extension));
    try {
      await this.#patiently(driver, () => this.#configure(connection));
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#open = { driver, connection };
    return this.#open;
  }

  #configure(connection: SqliteConnection): void {
    const { file, synchronous } = this.#settings;
    connection.query(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    connection.query("PRAGMA journal_mode = WAL");
    connection.query(`PRAGMA synchronous = ${synchronous}`);
    // on macOS, a plain fsync does not guarantee that the bytes are on the disk
    connection.query(`PRAGMA fullfsync = ${synchronous === "full" ? 1 : 0}`);
    this.#settings.prepare(connection, file);
  }

  async #patiently<T>(driver: SqliteDriver, work: () => T): Promise<T> {
    const { file, patienceSeconds } = this.#settings;
    const start = performance.now();
    for (let attempt = 0; ; attempt++) {
      this.checkOpen();
      try {
        return work();
      } catch (error) {
        if (KumikoError.is(error)) throw error;
        const code = driver.resultCode(error);
        if (code !== busy && code !== locked) throw sqliteFailed(file, code, error);
        if (performance.now() - start > patienceSeconds * 1_000) throw stayedLocked(file, patienceSeconds, error);
      }
      await pause(attempt);
    }
  }
}

/**
 * The turn of the event loop in which calls are made. They are synchronous: a loop of calls that waits for nothing else would
 * keep timers, sockets and signals waiting to its end.
 */
class LoopTurn {
  #end: Promise<void> | undefined;
  #start = 0;

  /** The end of the turn, if it has taken too long: the next call waits for it. */
  endIfLong(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#end !== undefined) return now - this.#start < longestTurnMs ? undefined : this.#end;
    this.#start = now;
    this.#end = new Promise((resolve) => {
      setImmediate(() => {
        this.#end = undefined;
        resolve();
      });
    });
    return undefined;
  }
}

const longestTurnMs = 10;

interface OpenDatabase {
  readonly driver: SqliteDriver;
  readonly connection: SqliteConnection;
}

/** Waits for a random time of up to 32 ms. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** Math.min(attempt, 5)));
}
