import { randomUUID } from "node:crypto";
import type { ClosableStore, StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import { checkpointConflict, storeClosed } from "../../checkpoint/errors.js";
import { checkCheckpointId } from "../../checkpoint/journal/checkpoint-id.js";
import { processOwner } from "../../checkpoint/journal/process-owner.js";
import type { RunIndex, RunQuery, RunRow } from "../../checkpoint/runs/run-index.js";
import { isNews, type RunListener } from "../../checkpoint/runs/run-listeners.js";
import { checkRunQuery } from "../../checkpoint/runs/run-query.js";
import type { KumikoError } from "../../errors.js";
import { textIf } from "../../is.js";
import { idFromBytes, idToBytes, rangesOfPrefix } from "../id-bytes.js";
import { KnownIndexes } from "../known-indexes.js";
import { columnValues } from "../runs-query.js";
import { ChangeListeners } from "./change-listeners.js";
import { ChangeNotifier } from "./change-notifier.js";
import { CheckpointStatements } from "./checkpoint-statements.js";
import { Database, type PostgresConnection } from "./database.js";
import { ownerLockKey } from "./lock-key.js";
import { OwnerCheck } from "./owner-check.js";
import type { PostgresResult } from "./pool.js";
import { listRuns, readRuns } from "./run-statements.js";
import { SessionLock } from "./session-lock.js";
import { checkStoreOptions, type PostgresStoreOptions } from "./store-options.js";
import { Table } from "./table.js";

/**
 * Keeps checkpoints in a table of PostgreSQL 12 or newer, for processes on any number of hosts. Connects at the first call, and
 * creates the table if it does not exist.
 *
 * - A `connectionString` needs the package `pg`. A `pool` stays open on `close`.
 * - With its first write it opens one more connection, outside the pool. As long as that connection lives, other processes know
 *   that this one is alive, and leave its runs alone. When it breaks, it is reopened as soon as possible. A process that is
 *   without it for three seconds, while others reach the server, may lose a run to another host; its next write then fails.
 *   Processes on the same host are checked by pid and start time instead. Behind a pooler (PgBouncer) there is no such
 *   connection: taking over a run from a crashed process on another host then needs `takeover: true`.
 * - Statements are prepared by name, once a connection. Where a pooler loses them, they run unprepared from then on.
 * - A resolved `put` or `append` is as durable as the server's `synchronous_commit` makes it.
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
  readonly #statements: CheckpointStatements;
  readonly #owners: OwnerCheck;
  readonly #known = new KnownIndexes();
  readonly #notifier: ChangeNotifier;
  readonly #listeners: ChangeListeners;
  #lock: SessionLock | undefined;

  constructor(connection: PostgresConnection, table: string) {
    this.#database = new Database(connection, "postgresStore");
    this.#table = new Table(this.#database, table);
    this.#statements = new CheckpointStatements(this.#table);
    this.#owners = new OwnerCheck(this.#table);
    this.#notifier = new ChangeNotifier(this.#database, this.#table);
    this.#listeners = new ChangeListeners(this.#table, () => this.#openLock());
  }

  async get(id: string): Promise<StoredCheckpoint | undefined> {
    this.#check(id);
    const { rows } = await this.#table.query("get", this.#statements.read, [idToBytes(id)]);
    const base = rows.find(({ version }) => version !== null);
    if (base === undefined) return undefined;
    const data = new Uint8Array(bytesOf(base.base64));
    const version = Number(base.version);
    if (rows.length === 1) return { data, version };
    const entries = rows.filter((row) => row !== base).sort((a, b) => Number(a.place) - Number(b.place));
    return { data, appended: entries.map(({ base64 }) => new Uint8Array(bytesOf(base64))), version };
  }

  async put(id: string, data: Uint8Array, ifVersion: number | undefined, index?: RunIndex): Promise<number> {
    this.#check(id);
    const write = { id, ifVersion, index };
    const values: unknown[] = [idToBytes(id), Buffer.from(data), await this.#takeLock()];
    const { create, replace } = this.#statements;
    if (ifVersion === undefined) {
      if (index !== undefined) values.push(...columnValues(index));
      return this.#written(write, await this.#table.query("put", create[index ? "set" : "keep"], values));
    }
    const indexed = index === undefined ? "remove" : this.#indexWrite(write);
    values.push(versionParameter(ifVersion));
    if (index !== undefined && indexed === "set") values.push(...columnValues(index));
    return this.#written(write, await this.#table.query("put", replace[indexed], values));
  }

  async append(id: string, data: Uint8Array, ifVersion: number, index?: RunIndex): Promise<number> {
    this.#check(id);
    const write = { id, ifVersion, index };
    const indexed = this.#indexWrite(write);
    const values: unknown[] = [idToBytes(id), Buffer.from(data), await this.#takeLock()];
    values.push(versionParameter(ifVersion), randomListNumber());
    if (index !== undefined && indexed === "set") values.push(...columnValues(index));
    return this.#written(write, await this.#table.query("append", this.#statements.append[indexed], values));
  }

  async delete(id: string, ifVersion?: number): Promise<void> {
    this.#check(id);
    const version = ifVersion === undefined ? null : versionParameter(ifVersion);
    const { rows } = await this.#table.query("delete", this.#statements.remove, [idToBytes(id), version]);
    if (rows[0] === undefined && ifVersion !== undefined) throw await this.#conflict(id, ifVersion);
    const rest = rows[0]?.rest ?? null;
    if (rest === null) return;
    await this.#table.query("delete", `DELETE FROM ${this.#table.entries} WHERE list = $1::bigint`, [rest]);
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

  async runs(query: RunQuery): Promise<RunRow[]> {
    this.#checkOpen();
    const { text, values } = listRuns(this.#table.name, checkRunQuery(query));
    return readRuns(await this.#table.query("runs", text, values));
  }

  changes(listener: RunListener): () => void {
    this.#checkOpen();
    return this.#listeners.add(listener);
  }

  async isOwnerAlive(owner: string): Promise<boolean> {
    this.#checkOpen();
    return this.#owners.isAlive(owner);
  }

  async close(): Promise<void> {
    this.#listeners.close();
    await this.#notifier.settled();
    const lock = this.#lock;
    this.#lock = undefined;
    await Promise.all([this.#database.close(), lock?.close()]);
  }

  /** Remembers the index, and tells others if the status has changed. */
  async #written({ id, ifVersion, index }: Write, { rows }: PostgresResult): Promise<number> {
    const [row] = rows;
    if (row === undefined) throw await this.#conflict(id, ifVersion);
    const version = Number(row.version);
    if (index === undefined) return version;
    const former = this.#known.has(index, id, ifVersion) ? index.status : textIf(row.former);
    this.#known.set(index, id, version);
    if (isNews(former, index)) this.#notifier.notify(id, index);
    return version;
  }

  /** What to write of the index: nothing if the row is known to have it. */
  #indexWrite({ id, ifVersion, index }: Write): "keep" | "set" {
    return index === undefined || this.#known.has(index, id, ifVersion) ? "keep" : "set";
  }

  /** The key of the session lock if this process holds it, otherwise `null`. */
  async #takeLock(): Promise<string | null> {
    const lock = await this.#openLock();
    return (await lock.take()) ? lock.key : null;
  }

  async #openLock(): Promise<SessionLock> {
    const pool = await this.#database.pool();
    this.#checkOpen();
    this.#lock ??= SessionLock.open(pool, ownerLockKey(processOwner()));
    return this.#lock;
  }

  async #conflict(id: string, expected: number | undefined): Promise<KumikoError> {
    const text = `SELECT version::text FROM ${this.#table.name} WHERE id = $1`;
    // the version found is only for the message
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

interface Write {
  readonly id: string;
  readonly ifVersion: number | undefined;
  readonly index: RunIndex | undefined;
}

const pageSize = 500;

const bytesOf = (base64: unknown): Buffer => Buffer.from(String(base64), "base64");

/** Versions are positive integers. Any other number becomes 0, which never matches. */
const versionParameter = (version: number): string => String(Number.isSafeInteger(version) ? version : 0);

/** A random number for the entry list of a checkpoint. */
function randomListNumber(): string {
  const uuid = randomUUID(); // cheaper than 8 bytes of the system each time
  return BigInt.asIntN(64, BigInt(`0x${uuid.slice(0, 8)}${uuid.slice(-8)}`)).toString();
}

/** The smallest bytes that are greater than these. */
function justAfter(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(...bytes, 0);
}
