import { KumikoError } from "../../errors.js";
import type { Database } from "./database.js";
import { codeOf, invalidTable, newerTable, tableNotMade } from "./errors.js";
import { lockKey } from "./lock-key.js";
import type { PostgresResult } from "./pool.js";

/** The table of a store; it is made when it is first used. */
export class Table {
  /** Quoted, for statements. */
  readonly name: string;
  readonly #database: Database;
  #ready: Promise<void> | undefined;

  constructor(database: Database, name: unknown) {
    this.name = quote(name);
    this.#database = database;
  }

  /** Runs a statement on the table, when it is there. One that somebody drops is made again by the next call. */
  async query(doing: string, text: string, values: unknown[]): Promise<PostgresResult> {
    await this.#beReady();
    try {
      return await this.#database.query(doing, text, values);
    } catch (error) {
      if (sqlStateOf(error) === undefinedTable) this.#ready = undefined;
      throw error;
    }
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

  /** Who may not make tables can use one that is there: so it looks first. */
  async #make(): Promise<void> {
    const found = await this.#database.query(`opening the table ${this.name}`, look(this.name));
    const [row] = found.rows;
    if (row !== undefined) return this.#checkLayout(row.comment);
    try {
      await this.#database.query(`making the table ${this.name}`, makeOnce(this.name));
    } catch (error) {
      if (!KumikoError.is(error) || sqlStateOf(error) !== mayNot) throw error;
      throw tableNotMade(this.name, statements(this.name), error);
    }
  }

  #checkLayout(comment: unknown): void {
    const [, layout = "0"] = /^Checkpoints of kumiko, layout (\d+)/.exec(String(comment)) ?? [];
    if (Number(layout) > knownLayout) throw newerTable(this.name, Number(layout), knownLayout);
  }
}

const undefinedTable = "42P01";
const mayNot = "42501";
const knownLayout = 1;

function sqlStateOf(error: unknown): string | undefined {
  return KumikoError.is(error) ? codeOf(error.cause) : undefined;
}

const look = (table: string): string =>
  `SELECT obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE oid = to_regclass('${table}')`;

/** Versions come from the sequence of an identity column: no two rows ever get the same one, also after a delete. */
function statements(table: string): string {
  return `CREATE TABLE ${table} (
  id bytea PRIMARY KEY,
  version bigint GENERATED ALWAYS AS IDENTITY,
  data bytea NOT NULL,
  session_lock bigint
);
CREATE INDEX ON ${table} (session_lock) WHERE session_lock IS NOT NULL;
COMMENT ON TABLE ${table} IS 'Checkpoints of kumiko, layout ${knownLayout}';`;
}

/**
 * One statement, and one process at a time: whoever comes second finds the table there. It cannot just look after it waited:
 * what a session knows of tables may be older.
 */
function makeOnce(table: string): string {
  return `DO $kumiko$ BEGIN
PERFORM pg_advisory_xact_lock(${lockKey("make a table")});
${statements(table)}
EXCEPTION WHEN duplicate_table OR unique_violation THEN NULL;
END $kumiko$`;
}

/** Longer names are cut off by PostgreSQL, and then name another table. */
const longestName = 63;

function quote(name: unknown): string {
  const parts = typeof name === "string" ? name.split(".") : [];
  if (parts.length < 1 || parts.length > 2 || !parts.every(isName)) throw invalidTable(name);
  return parts.map((part) => `"${part}"`).join(".");
}

function isName(part: string): boolean {
  return /^[\p{L}_][\p{L}\p{M}\p{Nd}_]*$/u.test(part) && Buffer.byteLength(part) <= longestName;
}
