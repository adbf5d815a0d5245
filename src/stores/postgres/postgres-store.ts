import { randomBytes } from "node:crypto";
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
import { ChangeListeners } from "./change-listeners.js";
import { ChangeNotifier } from "./change-notifier.js";
import { Database, type PostgresConnection } from "./database.js";
import { ownerLockKey } from "./lock-key.js";
import { OwnerCheck } from "./owner-check.js";
import type { PostgresResult } from "./pool.js";
import { assignments, type IndexPart, keepIndex, listRuns, readRuns, removeIndex, setIndex } from "./run-statements.js";
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
  readonly #owners: OwnerCheck;
  readonly #known = new KnownIndexes();
  readonly #notifier: ChangeNotifier;
  readonly #listeners: ChangeListeners;
  #lock: SessionLock | undefined;

  constructor(connection: PostgresConnection, table: string) {
    this.#database = new Database(connection, "postgresStore");
    this.#table = new Table(this.#database, table);
    this.#owners = new OwnerCheck(this.#table);
    this.#notifier = new ChangeNotifier(this.#database, this.#table);
    this.#listeners = new ChangeListeners(this.#table, () => this.#openLock());
  }

  async get(id: string): Promise<StoredCheckpoint | undefined> {
    this.#check(id);
    const { rows } = await this.#table.query("get", this.#read, [idToBytes(id)]);
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
    const values: unknown[] = [idToBytes(id), Buffer.from(data)];
    if (ifVersion === undefined) {
      const part = index === undefined ? keepIndex : setIndex(index, 3);
      values.push(await this.#takeLock(), ...part.values);
      return this.#written(write, await this.#table.query("put", this.#create(part), values));
    }
    const part = this.#partOf(write, removeIndex, 4);
    values.push(await this.#takeLock(), versionParameter(ifVersion), ...part.values);
    return this.#written(write, await this.#table.query("put", this.#replace(part), values));
  }

  async append(id: string, data: Uint8Array, ifVersion: number, index?: RunIndex): Promise<number> {
    this.#check(id);
    const write = { id, ifVersion, index };
    const part = this.#partOf(write, keepIndex, 5);
    const values: unknown[] = [idToBytes(id), Buffer.from(data)];
    values.push(await this.#takeLock(), versionParameter(ifVersion), randomListNumber(), ...part.values);
    return this.#written(write, await this.#table.query("append", this.#append(part), values));
  }

  async delete(id: string, ifVersion?: number): Promise<void> {
    this.#check(id);
    const version = ifVersion === undefined ? null : versionParameter(ifVersion);
    const { rows } = await this.#table.query("delete", this.#remove, [idToBytes(id), version]);
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

  /** One statement, so that base and entries are read at the same moment. */
  get #read(): string {
    const { name, entries } = this.#table;
    return `SELECT version::text, encode(base, 'base64') AS base64, NULL::text AS place FROM ${name} WHERE id = $1
UNION ALL SELECT NULL, encode(entry.data, 'base64'), entry.version::text
FROM ${name} AS checkpoint JOIN ${entries} AS entry ON entry.list = checkpoint.entries WHERE checkpoint.id = $1`;
  }

  #create({ columns, expressions }: IndexPart): string {
    return `INSERT INTO ${this.#table.name} (${["id", "base", "session_lock", ...columns].join(", ")})
VALUES (${["$1", "$2", "$3::bigint", ...expressions].join(", ")}) ON CONFLICT (id) DO NOTHING RETURNING version::text`;
  }

  /**
   * All parts of the statement see the rows as they were before it, including the former number of the entry list and the former
   * status.
   */
  #replace(part: IndexPart): string {
    const { name, entries } = this.#table;
    return `WITH replaced AS (
UPDATE ${name} SET base = $2, session_lock = $3::bigint, version = DEFAULT, entries = NULL${assignments(part)}
WHERE id = $1 AND version = $4::bigint RETURNING version
), dropped AS (
DELETE FROM ${entries} WHERE list = (SELECT entries FROM ${name} WHERE id = $1) AND EXISTS (SELECT FROM replaced)
) SELECT version::text${this.#former(part)} FROM replaced`;
  }

  /** A concurrent writer waits for the row lock, and then meets another version. */
  #append(part: IndexPart): string {
    const { name, entries } = this.#table;
    return `WITH head AS (
UPDATE ${name} SET session_lock = $3::bigint, version = DEFAULT, entries = coalesce(entries, $5::bigint)${assignments(part)}
WHERE id = $1 AND version = $4::bigint RETURNING version, entries
) INSERT INTO ${entries} (list, version, data) SELECT entries, version, $2::bytea FROM head
RETURNING version::text${this.#former(part)}`;
  }

  #former({ values }: IndexPart): string {
    return values.length === 0 ? "" : `, (SELECT status FROM ${this.#table.name} WHERE id = $1) AS former`;
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

  /** `rest` is the number of the entry list if an entry was appended after this statement began, which it cannot see. */
  get #remove(): string {
    const { name, entries } = this.#table;
    return `WITH removed AS (
DELETE FROM ${name} WHERE id = $1 AND version = coalesce($2::bigint, version) RETURNING version, entries
), dropped AS (
DELETE FROM ${entries} WHERE list IN (SELECT entries FROM removed) RETURNING version
) SELECT CASE WHEN version IS DISTINCT FROM (SELECT max(version) FROM dropped) THEN entries END::text AS rest FROM removed`;
  }

  /** What to write of the index: nothing if the row is known to have it. */
  #partOf({ id, ifVersion, index }: Write, without: IndexPart, used: number): IndexPart {
    if (index === undefined) return without;
    return this.#known.has(index, id, ifVersion) ? keepIndex : setIndex(index, used);
  }

  /** The key of the session lock if this process holds it, otherwise `null`. */
  async #takeLock(): Promise<string | null> {
    const lock = await this.#openLock();
    return (await lock.take()) ? ownerLockKey(processOwner()) : null;
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
const randomListNumber = (): string => randomBytes(8).readBigInt64BE().toString();

/** The smallest bytes that are greater than these. */
function justAfter(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(...bytes, 0);
}
