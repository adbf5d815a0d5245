import { storeClosed } from "../../checkpoint/errors.js";
import { KumikoError } from "../../errors.js";
import type { SqliteConnection, SqliteDriver } from "./connection.js";
import { noDriver, sqliteFailed, stayedLocked } from "./errors.js";
import { loadLibsql } from "./libsql.js";
import { findNodeSqlite } from "./node-sqlite.js";
import { prepareSchema } from "./schema.js";

/** SQLite's numbers for "somebody else is at work there". */
const busy = 5;
const locked = 6;
/** How long SQLite itself waits for somebody else. The whole thread waits with it, so it is short. */
const busyTimeoutMs = 10;

export interface DatabaseSettings {
  /** What the user calls it. */
  readonly file: string;
  /** What a driver takes for it. */
  readonly location: string;
  readonly synchronous: "full" | "normal";
  /** How long a call tries again, without keeping the thread, while somebody else is at work there. */
  readonly patienceSeconds: number;
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
    if (this.#closed) throw storeClosed("sqliteStore");
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
    const driver = await loadDriver();
    const connection = await this.#patiently(driver, () => driver.open(this.#settings.location));
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
    prepareSchema(connection, file);
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

async function loadDriver(): Promise<SqliteDriver> {
  const own = findNodeSqlite();
  if (own !== undefined) return own;
  try {
    return await loadLibsql();
  } catch (cause) {
    throw noDriver(cause);
  }
}

/** Up to 32 ms, and not the same for everybody. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** Math.min(attempt, 5)));
}
