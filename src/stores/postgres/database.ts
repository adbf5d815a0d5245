import { createHash } from "node:crypto";
import { storeClosed } from "../../checkpoint/errors.js";
import { codeOf, postgresFailed } from "./errors.js";
import { connectionStringOf, makePool, type OwnPool, type PostgresPool, type PostgresResult } from "./pool.js";
import { secretHider } from "./secrets.js";

/** How to reach the database: a connection string, or your own pool. */
export type PostgresConnection =
  | {
      /** The address of the database: `postgres://user:password@host:5432/name`. */
      readonly connectionString: string;
      /** A `Pool` of the package `pg`. It stays open when the store is closed. */
      readonly pool?: undefined;
    }
  | { readonly pool: PostgresPool; readonly connectionString?: undefined };

/** The function that made a store, for error messages. */
export type StoreName = "postgresStore" | "postgresVectors";

/** A statement that each connection parses once, and finds by its name afterwards. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
}

/** A statement that is run often. */
export function prepared(text: string): Statement {
  return { text, name: `kumiko_${createHash("sha256").update(text).digest("hex").slice(0, 24)}` };
}

/** Runs statements on a pool, and wraps its errors as `STORE_FAILED`. Connects on the first statement. */
export class Database {
  readonly hide: (text: string) => string;
  readonly #connection: PostgresConnection;
  readonly #store: StoreName;
  #own: Promise<OwnPool> | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;
  /** Whether a connection still has what it has prepared. Not so behind poolers that give each transaction another one. */
  #canPrepare = true;

  constructor(connection: PostgresConnection, store: StoreName) {
    this.#connection = connection;
    this.#store = store;
    this.hide = secretHider(connection.connectionString ?? connectionStringOf(connection.pool));
  }

  get closed(): boolean {
    return this.#closed;
  }

  async query(doing: string, statement: string | Statement, values: unknown[] = []): Promise<PostgresResult> {
    const pool = await this.pool();
    const { text, name }: Statement = typeof statement === "string" ? { text: statement } : statement;
    for (let left = attempts; ; left--) {
      if (this.#closed) throw storeClosed(this.#store);
      const isPrepared = name !== undefined && this.#canPrepare;
      try {
        return await this.#track(pool.query(isPrepared ? { name, text, values } : { text, values }));
      } catch (cause) {
        if (left > 1 && isSerializationFailure(cause)) continue;
        if (isPrepared && isNotPrepared(cause)) {
          this.#canPrepare = false;
          continue;
        }
        throw postgresFailed(doing, cause, this.hide);
      }
    }
  }

  async pool(): Promise<PostgresPool> {
    if (this.#closed) throw storeClosed(this.#store);
    const { pool, connectionString } = this.#connection;
    if (pool !== undefined) return pool;
    this.#own ??= makePool(connectionString, this.#store);
    try {
      return await this.#own;
    } catch (error) {
      this.#own = undefined;
      throw error;
    }
  }

  /** Waits for running statements first: a pool that ends drops those that wait for a connection. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#running);
    const own = await this.#own?.catch(() => undefined);
    await own?.end();
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }
}

/** How often a statement is tried that fails because of concurrent transactions. */
const attempts = 20;

/** Whether a statement failed because of concurrent ones and can be retried, as happens at the isolation level `serializable`. */
function isSerializationFailure(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40001" || code === "40P01";
}

/** Whether the statement was not run because the connection does not have it, has another one, or has it for a former table. */
function isNotPrepared(error: unknown): boolean {
  const code = codeOf(error);
  return code === "26000" || code === "42P05" || code === "0A000";
}
