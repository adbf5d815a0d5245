import { createHash } from "node:crypto";
import { KumikoError } from "../../errors.js";
import type { Database, Statement } from "./database.js";
import { codeOf, invalidTable, otherLayout, tableNotMade } from "./errors.js";
import { lockKey } from "./lock-key.js";
import type { PostgresResult } from "./pool.js";
import { columnTypes } from "./run-statements.js";

/** The two tables of a store, which are created at first use. */
export class Table {
  /** The table of checkpoints, quoted for statements. */
  readonly name: string;
  /** The table of appended entries, quoted for statements. */
  readonly entries: string;
  readonly #database: Database;
  #ready: Promise<void> | undefined;
  #channel: Promise<string> | undefined;

  constructor(database: Database, name: unknown) {
    const parts = partsOf(name);
    this.name = quote(parts);
    this.entries = quote(parts.with(-1, entriesOf(parts.at(-1) ?? "")));
    this.#database = database;
  }

  /** Runs a statement when the table exists. If the table is dropped meanwhile, the next call creates it again. */
  async query(doing: string, statement: string | Statement, values: unknown[]): Promise<PostgresResult> {
    await this.#beReady();
    try {
      return await this.#database.query(doing, statement, values);
    } catch (error) {
      if (sqlStateOf(error) === undefinedTable) this.#ready = undefined;
      throw error;
    }
  }

  /**
   * The channel of notifications of changes. Its name, which needs no quotes, comes from the names of schema and table, however
   * they were given.
   */
  async channel(): Promise<string> {
    this.#channel ??= this.#findChannel();
    try {
      return await this.#channel;
    } catch (error) {
      this.#channel = undefined;
      throw error;
    }
  }

  async #findChannel(): Promise<string> {
    const { rows } = await this.query("opening a channel", channelOf(this.name), []);
    return String(rows[0]?.channel);
  }

  async #beReady(): Promise<void> {
    this.#ready ??= this.#make();
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  /** Checks first whether the tables exist, so that a user without the right to create tables can use existing ones. */
  async #make(): Promise<void> {
    const found = await this.#database.query(`opening the table ${this.name}`, look(this.name));
    const [row] = found.rows;
    if (row !== undefined) return this.#checkLayout(row);
    try {
      await this.#database.query(`creating the table ${this.name}`, makeOnce(this));
    } catch (error) {
      if (!KumikoError.is(error) || sqlStateOf(error) !== insufficientPrivilege) throw error;
      throw tableNotMade(this.name, this.entries, statements(this), error);
    }
  }

  #checkLayout({ comment, isKnown }: PostgresResult["rows"][number]): void {
    const [, layout] = /^Checkpoints of kumiko, layout (\d+)/.exec(String(comment)) ?? [];
    const found = layout === undefined ? undefined : Number(layout);
    if (found === knownLayout || (found === undefined && isKnown === "true")) return;
    throw otherLayout([this.name, this.entries], found, knownLayout);
  }
}

const undefinedTable = "42P01";
const insufficientPrivilege = "42501";
const knownLayout = 3;

function sqlStateOf(error: unknown): string | undefined {
  return KumikoError.is(error) ? codeOf(error.cause) : undefined;
}

/** Without a comment, which a copy of a database may have lost, the layout is recognized by a column. */
const look = (table: string): string =>
  `SELECT obj_description(oid, 'pg_class') AS comment,
EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'since' AND NOT attisdropped)::text AS "isKnown"
FROM pg_class WHERE oid = to_regclass('${table}')`;

const channelOf = (table: string): string => `SELECT 'kumiko_runs_' || md5(format('%I.%I', nspname, relname)) AS channel
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = '${table}'::regclass`;

/**
 * Versions come from the sequence of an identity column, so that no two rows ever get the same one, even after a delete. `entries`
 * is the number of a checkpoint's entry list, which is random: entries left behind, as when the first table is dropped or
 * emptied, never belong to another checkpoint. The last columns are the index of a run, and without values in other rows. Saves
 * of tasks do not change them, so that PostgreSQL updates no index of the table (a "heap-only tuple").
 */
function statements({ name, entries }: Table): string {
  return `CREATE TABLE ${name} (
  id bytea PRIMARY KEY,
  version bigint GENERATED ALWAYS AS IDENTITY,
  base bytea NOT NULL,
  session_lock bigint,
  entries bigint,
  ${Object.entries(columnTypes)
    .map(([column, type]) => `${column} ${type}`)
    .join(",\n  ")}
);
CREATE INDEX ON ${name} (session_lock) WHERE session_lock IS NOT NULL;
CREATE INDEX ON ${name} (status, since, id) WHERE status IS NOT NULL;
CREATE INDEX ON ${name} (due) WHERE due IS NOT NULL;
CREATE TABLE IF NOT EXISTS ${entries} (
  list bigint,
  version bigint,
  data bytea NOT NULL,
  PRIMARY KEY (list, version)
);
COMMENT ON TABLE ${name} IS 'Checkpoints of kumiko, layout ${knownLayout}';`;
}

/**
 * Creates the tables in one statement, by one process at a time. A second process gets a duplicate error, which is ignored. (It
 * cannot check for the table after waiting for the lock, because its session may still have an old catalog.)
 */
function makeOnce(table: Table): string {
  return `DO $kumiko$ BEGIN
PERFORM pg_advisory_xact_lock(${lockKey("make a table")});
${statements(table)}
EXCEPTION WHEN duplicate_table OR unique_violation THEN NULL;
END $kumiko$`;
}

/** PostgreSQL truncates longer names, which could then name another table. */
const longestName = 63;

function partsOf(name: unknown): string[] {
  const parts = typeof name === "string" ? name.split(".") : [];
  if (parts.length < 1 || parts.length > 2 || !parts.every(isName)) throw invalidTable(name);
  return parts;
}

const quote = (parts: readonly string[]): string => parts.map((part) => `"${part}"`).join(".");

function isName(part: string): boolean {
  return /^[\p{L}_][\p{L}\p{M}\p{Nd}_]*$/u.test(part) && Buffer.byteLength(part) <= longestName;
}

/** The name of the table of entries. Names that leave no room for the ending are shortened and get a hash. */
function entriesOf(table: string): string {
  if (Buffer.byteLength(table) <= longestName - ending.length) return table + ending;
  const hash = createHash("sha256").update(table).digest("hex").slice(0, 8);
  let start = table;
  while (Buffer.byteLength(start) > longestName - ending.length - hash.length - 1)
    start = [...start].slice(0, -1).join("");
  return `${start}_${hash}${ending}`;
}

const ending = "_entries";
