import type { ClosableStore, StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import { checkpointConflict, storeClosed } from "../../checkpoint/errors.js";
import { checkCheckpointId } from "../../checkpoint/journal/checkpoint-id.js";
import { processOwner } from "../../checkpoint/journal/process-owner.js";
import type { KumikoError } from "../../errors.js";
import { idFromBytes, idToBytes, rangesOfPrefix } from "../id-bytes.js";
import { Database, type PostgresConnection } from "./database.js";
import { ownerLockKey } from "./lock-key.js";
import { OwnerCheck } from "./owner-check.js";
import { SessionLock } from "./session-lock.js";
import { checkStoreOptions, type PostgresStoreOptions } from "./store-options.js";
import { Table } from "./table.js";

/**
 * Keeps checkpoints in a table of PostgreSQL 12 or newer, for processes on any number of hosts. Connects at the first call,
 * and makes the table when it is not there.
 *
 * - A `connectionString` needs the package `pg`; a `pool` is yours, and `close` does not end it.
 * - With its first write it opens one more connection, beside the pool: while that one lives, others see that this
 *   process does, and its runs are its own. When it breaks, another one is opened as soon as that is possible. A process
 *   that stays without one for three seconds, while others reach the server, may lose a run to another host, and then its
 *   next write fails. On one host the number and the start of a process say more, and are asked first. Behind a pooler
 *   (PgBouncer) there is no such connection: a run that a process on another host left in the middle then needs
 *   `takeover: true`.
 * - What `put` has promised is as durable as the server's `synchronous_commit` makes it.
 *
 * @example
 * const store = postgresStore({ connectionString: "postgres://app@localhost/app" }, { table: "app.checkpoints" });
 * for await (const id of store.list("order-")) console.log(id);
 * await store.close();
 */
export function postgresStore(connection: PostgresConnection, options: PostgresStoreOptions = {}): ClosableStore {
  checkStoreOptions("postgresStore", connection, options, ["table"]);
  return new PostgresStore(connection, options.table ?? "kumiko_checkpoints");
}

class PostgresStore implements ClosableStore {
  readonly #database: Database;
  readonly #table: Table;
  readonly #owners: OwnerCheck;
  #lock: SessionLock | undefined;

  constructor(connection: PostgresConnection, table: string) {
    this.#database = new Database(connection, "postgresStore");
    this.#table = new Table(this.#database, table);
    this.#owners = new OwnerCheck(this.#table);
  }

  async get(id: string): Promise<StoredCheckpoint | undefined> {
    this.#check(id);
    const text = `SELECT version::text, encode(data, 'base64') AS base64 FROM ${this.#table.name} WHERE id = $1`;
    const { rows } = await this.#table.query("get", text, [idToBytes(id)]);
    return rows[0] && { data: new Uint8Array(bytesOf(rows[0].base64)), version: Number(rows[0].version) };
  }

  async put(id: string, data: Uint8Array, ifVersion: number | undefined): Promise<number> {
    this.#check(id);
    const copy = Buffer.from(data);
    const lock = await this.#takeLock();
    const values = [idToBytes(id), copy, lock];
    const { rows } = await (ifVersion === undefined
      ? this.#table.query("put", this.#create, values)
      : this.#table.query("put", this.#replace, [...values, versionParameter(ifVersion)]));
    if (rows[0] === undefined) throw await this.#conflict(id, ifVersion);
    return Number(rows[0].version);
  }

  async delete(id: string, ifVersion?: number): Promise<void> {
    this.#check(id);
    const text = `DELETE FROM ${this.#table.name} WHERE id = $1 AND version = coalesce($2::bigint, version)`;
    const version = ifVersion === undefined ? null : versionParameter(ifVersion);
    const { rowCount } = await this.#table.query("delete", text, [idToBytes(id), version]);
    if (ifVersion !== undefined && rowCount === 0) throw await this.#conflict(id, ifVersion);
  }

  async *list(prefix: string): AsyncGenerator<string, void, undefined> {
    const page = `SELECT encode(id, 'base64') AS base64 FROM ${this.#table.name}
WHERE id >= $1 AND id < $2 ORDER BY id LIMIT ${pageSize}`;
    for (const { from, before } of rangesOfPrefix(prefix)) {
      for (let start: Uint8Array | undefined = from; start !== undefined; ) {
        const { rows } = await this.#table.query("list", page, [start, before]);
        const ids = rows.map((row) => bytesOf(row.base64));
        yield* ids.map(idFromBytes);
        const last = ids.length < pageSize ? undefined : ids.at(-1);
        start = last && justAfter(last);
      }
    }
  }

  async isOwnerAlive(owner: string): Promise<boolean> {
    this.#checkOpen();
    return this.#owners.isAlive(owner);
  }

  async close(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    await Promise.all([this.#database.close(), lock?.close()]);
  }

  get #create(): string {
    return `INSERT INTO ${this.#table.name} (id, data, session_lock) VALUES ($1, $2, $3::bigint)
ON CONFLICT (id) DO NOTHING RETURNING version::text`;
  }

  get #replace(): string {
    return `UPDATE ${this.#table.name} SET data = $2, session_lock = $3::bigint, version = DEFAULT
WHERE id = $1 AND version = $4::bigint RETURNING version::text`;
  }

  /** The key of the lock, when this process holds it. */
  async #takeLock(): Promise<string | null> {
    const key = ownerLockKey(processOwner());
    const pool = await this.#database.pool();
    this.#checkOpen();
    this.#lock ??= SessionLock.open(pool, key);
    return (await this.#lock.take()) ? key : null;
  }

  async #conflict(id: string, expected: number | undefined): Promise<KumikoError> {
    const text = `SELECT version::text FROM ${this.#table.name} WHERE id = $1`;
    // what stands there now only makes the message better
    const found = await this.#table.query("get", text, [idToBytes(id)]).catch(() => undefined);
    const version = found?.rows[0]?.version;
    return checkpointConflict(id, expected, version === undefined ? undefined : Number(version));
  }

  #check(id: string): void {
    this.#checkOpen();
    checkCheckpointId(id);
  }

  #checkOpen(): void {
    if (this.#database.closed) throw storeClosed("postgresStore");
  }
}

const pageSize = 500;

const bytesOf = (base64: unknown): Buffer => Buffer.from(String(base64), "base64");

/** What no integer names was never a version; the first one is 1. */
const versionParameter = (version: number): string => String(Number.isSafeInteger(version) ? version : 0);

/** The least bytes that are greater. */
function justAfter(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(...bytes, 0);
}
