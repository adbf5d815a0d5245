import { storeClosed } from "../../checkpoint/errors.js";
import { KumikoError } from "../../errors.js";
import { chooseDriver } from "./choose-driver.js";
import type { DriverName, SqliteConnection, SqliteDriver } from "./connection.js";
import { sqliteFailed, stayedLocked } from "./errors.js";

/** SQLite's numbers for "somebody else is at work there". */
const busy = 5;
const locked = 6;
/** How long SQLite itself waits for somebody else. The whole thread waits with it, so it is short. */
const busyTimeoutMs = 10;

export interface DatabaseSettings {
  /** Which function made the store, for messages. */
  readonly store: "sqliteStore" | "sqliteVectors";
  /** What the user calls it. */
  readonly file: string;
  /** What a driver takes for it. */
  readonly location: string;
  readonly synchronous: "full" | "normal";
  /** How long a call tries again, without keeping the thread, while somebody else is at work there. */
  readonly patienceSeconds: number;
  /** @default the one that the process uses already, else the first that there is */
  readonly driver?: DriverName | undefined;
  /** Finds an extension of SQLite, which is loaded into the connection. */
  readonly findExtension?: () => Promise<string>;
  /** Makes the tables. */
  prepare(connection: SqliteConnection, file: string): void;
}

/** One database, which is opened when it is first used. */
export class SqliteDatabase {
  readonly #settings: DatabaseSettings;
  #opening: Promise<OpenDatabase> | undefined;
  #open: OpenDatabase | undefined;
  #closed = false;

  constructor(settings: DatabaseSettings) {
    this.#settings = settings;
  }

  /** Does `work`, a statement, when nobody else keeps it from being done. */
  async use<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    this.checkOpen();
    const { driver, connection } = this.#open ?? (await this.#whenOpen());
    return this.#patiently(driver, () => work(connection));
  }

  checkOpen(): void {
    if (this.#closed) throw storeClosed(this.#settings.store);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#opening?.catch(() => undefined); // whoever waits for it hears of it
    this.#open?.connection.close();
  }

  /** What fails to open is opened again by the next call. */
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
    // macOS needs to be asked for more before the bytes are on the disk
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

interface OpenDatabase {
  readonly driver: SqliteDriver;
  readonly connection: SqliteConnection;
}

/** Up to 32 ms, and not the same for everybody. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** Math.min(attempt, 5)));
}
