import { createHash } from "node:crypto";
import { KumikoError } from "../../errors.js";
import type { Database } from "./database.js";
import { codeOf, invalidTable, newerTable, tableNotChanged, tableNotMade } from "./errors.js";
import { lockKey } from "./lock-key.js";
import type { PostgresResult } from "./pool.js";

/** The two tables of a store; they are made when they are first used. */
export class Table {
  /** Of the checkpoints. Quoted, for statements. */
  readonly name: string;
  /** Of the entries that were appended to them. Quoted, for statements. */
  readonly entries: string;
  readonly #database: Database;
  #ready: Promise<void> | undefined;

  constructor(database: Database, name: unknown) {
    const parts = partsOf(name);
    this.name = quote(parts);
    this.entries = quote(parts.with(-1, entriesOf(parts.at(-1) ?? "")));
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

  /** Who may not make tables can use those that are there: so it looks first. */
  async #make(): Promise<void> {
    const found = await this.#database.query(`opening the table ${this.name}`, look(this.name));
    const [row] = found.rows;
    if (row === undefined) return this.#run(`making the table ${this.name}`, makeOnce(this), tableNotMade);
    this.#checkLayout(row.comment);
    if (row.old === "true") await this.#run(`changing the table ${this.name}`, changeOnce(this), tableNotChanged);
  }

  async #run(doing: string, script: Script, notAllowed: typeof tableNotMade): Promise<void> {
    try {
      await this.#database.query(doing, script.run);
    } catch (error) {
      if (!KumikoError.is(error) || sqlStateOf(error) !== mayNot) throw error;
      throw notAllowed(this.name, this.entries, script.show, error);
    }
  }

  #checkLayout(comment: unknown): void {
    const [, layout = "0"] = /^Checkpoints of kumiko, layout (\d+)/.exec(String(comment)) ?? [];
    if (Number(layout) > knownLayout) throw newerTable(this.name, Number(layout), knownLayout);
  }
}

const undefinedTable = "42P01";
const mayNot = "42501";
const knownLayout = 2;

/** A statement to run, and what to show a user who may run it. */
interface Script {
  readonly run: string;
  readonly show: string;
}

function sqlStateOf(error: unknown): string | undefined {
  return KumikoError.is(error) ? codeOf(error.cause) : undefined;
}

/** Of layout 1 is what has the column that layout 2 renamed: a copy of a database may have lost its comments. */
const look = (table: string): string =>
  `SELECT obj_description(oid, 'pg_class') AS comment,
EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'data' AND NOT attisdropped)::text AS old
FROM pg_class WHERE oid = to_regclass('${table}')`;

/**
 * Versions come from the sequence of an identity column: no two rows ever get the same one, also after a delete. `entries`
 * says under which number the entries of a checkpoint stand, which is drawn by lot. So entries that were left behind, as when
 * somebody drops or empties the first table, never belong to another checkpoint.
 */
function statements({ name, entries }: Table): string {
  return `CREATE TABLE ${name} (
  id bytea PRIMARY KEY,
  version bigint GENERATED ALWAYS AS IDENTITY,
  base bytea NOT NULL,
  session_lock bigint,
  entries bigint
);
CREATE INDEX ON ${name} (session_lock) WHERE session_lock IS NOT NULL;
${makeEntries(entries)}
${comment(name)}`;
}

const makeEntries = (entries: string): string => `CREATE TABLE IF NOT EXISTS ${entries} (
  list bigint,
  version bigint,
  data bytea NOT NULL,
  PRIMARY KEY (list, version)
);`;

const comment = (table: string): string =>
  `COMMENT ON TABLE ${table} IS 'Checkpoints of kumiko, layout ${knownLayout}';`;

/**
 * One statement, and one process at a time: whoever comes second finds the table there. It cannot just look after it waited:
 * what a session knows of tables may be older.
 */
function makeOnce(table: Table): Script {
  const run = `DO $kumiko$ BEGIN
PERFORM pg_advisory_xact_lock(${lockKey("make a table")});
${statements(table)}
EXCEPTION WHEN duplicate_table OR unique_violation THEN NULL;
END $kumiko$`;
  return { run, show: statements(table) };
}

/**
 * Makes layout 2 of layout 1. `base` was called `data`: a process of an older kumiko that has looked at the table already
 * fails, and does not take it for all there is. Who comes second finds no `data` any more. Who was allowed to use the table
 * may use its entries.
 */
function changeOnce({ name, entries }: Table): Script {
  const run = `DO $kumiko$ DECLARE allowed record; BEGIN
PERFORM pg_advisory_xact_lock(${lockKey("make a table")});
ALTER TABLE ${name} RENAME COLUMN data TO base;
ALTER TABLE ${name} ADD COLUMN entries bigint;
${makeEntries(entries)}
FOR allowed IN SELECT DISTINCT privilege_type AS privilege,
    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS who
  FROM pg_class, aclexplode(relacl)
  WHERE pg_class.oid = '${name}'::regclass AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
LOOP
  EXECUTE 'GRANT ' || allowed.privilege || ' ON ${entries} TO ' || allowed.who;
END LOOP;
${comment(name)}
EXCEPTION WHEN undefined_column THEN NULL;
END $kumiko$`;
  return { run, show: run };
}

/** Longer names are cut off by PostgreSQL, and then name another table. */
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

/** Names that are too long for the ending end in their hash. */
function entriesOf(table: string): string {
  if (Buffer.byteLength(table) <= longestName - ending.length) return table + ending;
  const hash = createHash("sha256").update(table).digest("hex").slice(0, 8);
  let start = table;
  while (Buffer.byteLength(start) > longestName - ending.length - hash.length - 1)
    start = [...start].slice(0, -1).join("");
  return `${start}_${hash}${ending}`;
}

const ending = "_entries";
