import { dot } from "../../../rag/vector-math.js";
import { unknownVectorEntry } from "../../../rag/vectors/errors.js";
import {
  type DeleteRequest,
  type EntryChange,
  type EntryRow,
  hasVectors,
  type IndexSettings,
} from "../../../rag/vectors/requests.js";
import { termsOf } from "../../../words/terms.js";
import type { SqliteConnection } from "../connection.js";
import { lengthOutOfRange } from "../errors.js";
import { sqliteConditionSql } from "./condition-sql.js";
import { isSearchedByVec, type SqliteIndexTables } from "./index-tables.js";

/** Throws for vectors whose cosines sqlite-vec cannot calculate, because their squares are out of range in single precision. */
export function checkLength(vector: Float32Array | undefined, settings: IndexSettings, what: string): void {
  if (vector === undefined || settings.metric !== "cosine" || !isSearchedByVec(settings)) return;
  const square = dot(vector, vector);
  if (square < 1e-30 || square > 1e30) throw lengthOutOfRange(what);
}

export function writeEntry(connection: SqliteConnection, tables: SqliteIndexTables, row: EntryRow): void {
  const { rows } = tables;
  const [written] = connection.query(
    `INSERT INTO ${rows} (id, document, metadata) VALUES (?, ?, ?) ON CONFLICT (id)
      DO UPDATE SET document = excluded.document, metadata = excluded.metadata RETURNING n`,
    ...[row.id, row.document, row.metadata],
  );
  const n = BigInt(Number(written?.n));
  if (row.vector !== undefined) writeVector(connection, tables, n, row.vector);
  writeTerms(connection, tables, n, row.document);
}

export function changeSqliteEntry(connection: SqliteConnection, tables: SqliteIndexTables, change: EntryChange): void {
  const { name, rows } = tables;
  const { id, vector, document, metadata } = change;
  const n = findNumber(connection, tables, id);
  if (n === undefined) throw unknownVectorEntry(name, id);
  if (vector !== undefined) writeVector(connection, tables, n, vector);
  if (document !== undefined) {
    connection.query(`UPDATE ${rows} SET document = ? WHERE n = ?`, document, n);
    writeTerms(connection, tables, n, document);
  }
  if (metadata !== undefined) connection.query(`UPDATE ${rows} SET metadata = ? WHERE n = ?`, metadata, n);
}

/** Deletes entries and returns how many there were. */
export function deleteSqliteEntries(
  connection: SqliteConnection,
  tables: SqliteIndexTables,
  request: DeleteRequest,
): number {
  const numbers = findNumbers(connection, tables, request);
  for (const n of numbers) {
    connection.query(`DELETE FROM ${tables.rows} WHERE n = ?`, n);
    if (hasVectors(tables.settings)) connection.query(`DELETE FROM ${tables.vectors} WHERE n = ?`, n);
    removeTerms(connection, tables, n);
  }
  return numbers.length;
}

function findNumbers(
  connection: SqliteConnection,
  tables: SqliteIndexTables,
  { ids, condition }: DeleteRequest,
): bigint[] {
  if (ids !== undefined) return ids.flatMap((id) => findNumber(connection, tables, id) ?? []);
  const { sql, values } = sqliteConditionSql(condition);
  return connection.queryOnce(`SELECT n FROM ${tables.rows} WHERE ${sql}`, values).map(({ n }) => BigInt(Number(n)));
}

function findNumber(connection: SqliteConnection, { rows }: SqliteIndexTables, id: string): bigint | undefined {
  const [row] = connection.query(`SELECT n FROM ${rows} WHERE id = ?`, id);
  return row && BigInt(Number(row.n));
}

function writeVector(
  connection: SqliteConnection,
  { vectors }: SqliteIndexTables,
  n: bigint,
  vector: Float32Array,
): void {
  connection.query(`DELETE FROM ${vectors} WHERE n = ?`, n);
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  connection.query(`INSERT INTO ${vectors} (n, embedding) VALUES (?, ?)`, n, bytes);
}

function writeTerms(connection: SqliteConnection, tables: SqliteIndexTables, n: bigint, document: string): void {
  if (!tables.settings.text) return;
  removeTerms(connection, tables, n);
  const terms = termsOf(document).join(" ");
  connection.query(`INSERT INTO ${tables.terms} (rowid, terms) VALUES (?, ?)`, n, terms);
}

function removeTerms(connection: SqliteConnection, { settings, terms }: SqliteIndexTables, n: bigint): void {
  if (settings.text) connection.query(`DELETE FROM ${terms} WHERE rowid = ?`, n);
}
