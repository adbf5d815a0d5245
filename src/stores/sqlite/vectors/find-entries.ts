import { mostResults, type VectorSettings } from "../../../rag/vectors/requests.js";
import { type Hit, TopResults } from "../../../rag/vectors/top-results.js";
import { vectorScore } from "../../../rag/vectors/vector-score.js";
import { queryTermsOf } from "../../../words/terms.js";
import { asBytes, type SqliteConnection, type SqliteRow, type SqliteValue } from "../connection.js";
import type { ConditionSql } from "./condition-sql.js";
import { isSearchedByVec, type SqliteIndexTables } from "./index-tables.js";

/** A found entry, with its row number, which is the same in all tables. */
export interface FoundRow extends Hit {
  readonly n: bigint;
}

/** The tables of an index with vectors. */
export type VectorTables = SqliteIndexTables & { readonly settings: VectorSettings };

/**
 * Finds the nearest entries exactly, with their scores. sqlite-vec calculates in single precision and picks arbitrarily among equal
 * distances, so a few more candidates than needed are scored again here. If those may not be enough, because all are about
 * equally far away, every entry is scored.
 */
export function findNearestInSqlite(
  connection: SqliteConnection,
  tables: VectorTables,
  vector: Float32Array,
  count: number,
  condition: ConditionSql | undefined,
): FoundRow[] {
  const best = new TopResults<FoundRow>(count);
  const candidates = findCandidates(connection, tables, vector, count, condition);
  for (const row of candidates ?? allEntries(connection, tables, condition)) {
    const score = vectorScore(tables.settings.metric, vectorFromBytes(row.embedding), vector);
    if (score >= best.least) best.add({ id: String(row.id), n: BigInt(Number(row.n)), score });
  }
  return best.hits;
}

/** How many extra candidates are scored, and the tolerance for errors of single precision. */
const extra = 16;
const precision = 2e-6;

function findCandidates(
  connection: SqliteConnection,
  tables: VectorTables,
  vector: Float32Array,
  count: number,
  condition: ConditionSql | undefined,
): SqliteRow[] | undefined {
  const { settings, rows, vectors } = tables;
  if (!isSearchedByVec(settings) || count + extra > mostResults) return undefined;
  const found = select(
    connection,
    `SELECT n, distance FROM ${vectors} WHERE embedding MATCH ? AND k = ?
      ${condition === undefined ? "" : `AND n IN (SELECT n FROM ${rows} WHERE ${condition.sql})`}`,
    [bytesOf(vector), BigInt(count + extra), ...(condition?.values ?? [])],
    condition,
  );
  const last = Number(found.at(-1)?.distance);
  const needed = Number(found[count - 1]?.distance);
  const tolerance = settings.metric === "cosine" ? precision : precision * needed;
  if (found.length === count + extra && last - needed <= tolerance) return undefined;
  return connection.query(
    `SELECT r.n, r.id, v.embedding FROM json_each(?) AS one CROSS JOIN ${rows} AS r ON r.n = one.value
      CROSS JOIN ${vectors} AS v ON v.n = r.n`,
    JSON.stringify(found.map(({ n }) => n)),
  );
}

const pageSize = 1_000;

/** Reads all entries that match the filter, page by page. */
function* allEntries(
  connection: SqliteConnection,
  { rows, vectors }: SqliteIndexTables,
  condition: ConditionSql | undefined,
): Generator<SqliteRow, void, undefined> {
  for (let last = 0n; ; ) {
    const page = select(
      connection,
      `SELECT r.n, r.id, v.embedding FROM (SELECT n, id FROM ${rows} WHERE n > ? AND ${condition?.sql ?? "TRUE"}
        ORDER BY n LIMIT ?) AS r CROSS JOIN ${vectors} AS v ON v.n = r.n`,
      [last, ...(condition?.values ?? []), BigInt(pageSize)],
      condition,
    );
    yield* page;
    if (page.length < pageSize) return;
    last = BigInt(Number(page.at(-1)?.n));
  }
}

/** Finds entries with at least one of the words, ranked by BM25. */
export function findWithWordsInSqlite(
  connection: SqliteConnection,
  { rows, terms }: SqliteIndexTables,
  text: string,
  count: number,
  condition: ConditionSql | undefined,
): FoundRow[] {
  const words = queryTermsOf(text).slice(0, mostWords);
  if (words.length === 0) return [];
  const query = words.map((word) => `"${word}"`).join(" OR ");
  const found = select(
    connection,
    `SELECT r.n, r.id, -bm25(${terms}) AS score FROM ${terms} CROSS JOIN ${rows} AS r ON r.n = ${terms}.rowid
      WHERE ${terms} MATCH ? AND ${condition?.sql ?? "TRUE"} ORDER BY score DESC, r.id LIMIT ?`,
    [query, ...(condition?.values ?? []), BigInt(count)],
    condition,
  );
  return found.map(({ n, id, score }) => ({ id: String(id), n: BigInt(Number(n)), score: Number(score) }));
}

/** Finds entries by a filter alone, in the order of their ids. */
export function findMatchingInSqlite(
  connection: SqliteConnection,
  { rows }: SqliteIndexTables,
  count: number,
  condition: ConditionSql | undefined,
): FoundRow[] {
  const found = select(
    connection,
    `SELECT n, id FROM ${rows} WHERE ${condition?.sql ?? "TRUE"} ORDER BY id LIMIT ?`,
    [...(condition?.values ?? []), BigInt(count)],
    condition,
  );
  return found.map(({ n, id }) => ({ id: String(id), n: BigInt(Number(n)), score: 0 }));
}

/** Statements with a user's filter are not cached, because there is no limit to their number. */
function select(
  connection: SqliteConnection,
  sql: string,
  values: readonly SqliteValue[],
  condition: ConditionSql | undefined,
): SqliteRow[] {
  return condition === undefined ? connection.query(sql, ...values) : connection.queryOnce(sql, values);
}

/** The number of words of a query that are searched for. */
const mostWords = 1_000;

export function vectorFromBytes(embedding: unknown): Float32Array {
  // copied, because the bytes may be at an unaligned offset of a larger buffer
  return new Float32Array(new Uint8Array(asBytes(embedding)).buffer);
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
