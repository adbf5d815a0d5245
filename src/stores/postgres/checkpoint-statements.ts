import { runColumns } from "../runs-query.js";
import { prepared, type Statement } from "./database.js";
import { columnTypes } from "./run-statements.js";

/** What a write does with the index of a run: the row keeps what it has, gets another one, or has none afterwards. */
type IndexWrite = "keep" | "set" | "remove";

/** The statements of a table. They are made once, so that each connection prepares each of them once. */
export class CheckpointStatements {
  /** One statement, so that base and entries are read at the same moment. */
  readonly read: Statement;
  readonly create: Readonly<Record<"keep" | "set", Statement>>;
  /**
   * All parts of the statement see the rows as they were before it, including the former number of the entry list and the former
   * status.
   */
  readonly replace: Readonly<Record<IndexWrite, Statement>>;
  /** A concurrent writer waits for the row lock, and then meets another version. */
  readonly append: Readonly<Record<"keep" | "set", Statement>>;
  /** `rest` is the number of the entry list if an entry was appended after this statement began, which it cannot see. */
  readonly remove: Statement;

  constructor({ name, entries }: { readonly name: string; readonly entries: string }) {
    this.read =
      prepared(`SELECT version::text, encode(base, 'base64') AS base64, NULL::text AS place FROM ${name} WHERE id = $1
UNION ALL SELECT NULL, encode(entry.data, 'base64'), entry.version::text
FROM ${name} AS checkpoint JOIN ${entries} AS entry ON entry.list = checkpoint.entries WHERE checkpoint.id = $1`);

    const create = (index: IndexWrite): Statement => {
      const columns = ["id", "base", "session_lock", ...(index === "set" ? runColumns : [])];
      const values = ["$1", "$2", "$3::bigint", ...(index === "set" ? indexParameters(4) : [])];
      return prepared(`INSERT INTO ${name} (${columns.join(", ")})
VALUES (${values.join(", ")}) ON CONFLICT (id) DO NOTHING RETURNING version::text`);
    };
    this.create = { keep: create("keep"), set: create("set") };

    const former = (index: IndexWrite): string =>
      index === "set" ? `, (SELECT status FROM ${name} WHERE id = $1) AS former` : "";
    const replace = (index: IndexWrite): Statement =>
      prepared(`WITH replaced AS (
UPDATE ${name} SET base = $2, session_lock = $3::bigint, version = DEFAULT, entries = NULL${assignments(index, 5)}
WHERE id = $1 AND version = $4::bigint RETURNING version
), dropped AS (
DELETE FROM ${entries} WHERE list = (SELECT entries FROM ${name} WHERE id = $1) AND EXISTS (SELECT FROM replaced)
) SELECT version::text${former(index)} FROM replaced`);
    this.replace = { keep: replace("keep"), set: replace("set"), remove: replace("remove") };

    const append = (index: IndexWrite): Statement =>
      prepared(`WITH head AS (
UPDATE ${name} SET session_lock = $3::bigint, version = DEFAULT, entries = coalesce(entries, $5::bigint)${assignments(index, 6)}
WHERE id = $1 AND version = $4::bigint RETURNING version, entries
) INSERT INTO ${entries} (list, version, data) SELECT entries, version, $2::bytea FROM head
RETURNING version::text${former(index)}`);
    this.append = { keep: append("keep"), set: append("set") };

    this.remove = prepared(`WITH removed AS (
DELETE FROM ${name} WHERE id = $1 AND version = coalesce($2::bigint, version) RETURNING version, entries
), dropped AS (
DELETE FROM ${entries} WHERE list IN (SELECT entries FROM removed) RETURNING version
) SELECT CASE WHEN version IS DISTINCT FROM (SELECT max(version) FROM dropped) THEN entries END::text AS rest FROM removed`);
  }
}

/** The assignments of an UPDATE, each after a comma. */
function assignments(index: IndexWrite, from: number): string {
  if (index === "keep") return "";
  const values = index === "set" ? indexParameters(from) : runColumns.map(() => "NULL");
  return runColumns.map((column, at) => `, ${column} = ${values[at]}`).join("");
}

/** The parameters of an index, in the order of `columnValues`. */
function indexParameters(from: number): string[] {
  return runColumns.map((column, at) => `$${from + at}::${columnTypes[column]}`);
}
