import type { Condition } from "../../../rag/vectors/filter.js";
import { hasStems } from "../../../rag/vectors/requests.js";
import type { Hit } from "../../../rag/vectors/top-results.js";
import type { VectorMetric } from "../../../rag/vectors/vector-store.js";
import type { Database } from "../database.js";
import { Parameters, postgresConditionSql } from "./condition-sql.js";
import { type IndexTable, isHalved, operators, type VectorTable } from "./index-tables.js";
import { english, termQueries } from "./term-vector.js";
import { vectorText } from "./write-entries.js";

/** How many entries a search returns, and which ones qualify. */
export interface EntrySearch {
  readonly count: number;
  readonly condition: Condition | undefined;
}

/** Finds the nearest entries exactly, by comparing all that match the filter. */
export async function findNearestInPostgres(
  database: Database,
  index: VectorTable,
  vector: Float32Array,
  { count, condition }: EntrySearch,
): Promise<Hit[]> {
  const parameters = new Parameters();
  const distance = distanceSql(index, parameters.add(vectorText(vector)));
  const where = condition === undefined ? "TRUE" : postgresConditionSql(condition, parameters);
  // `+ 0.0` keeps PostgreSQL from using an HNSW index, where there is one
  const text = `SELECT id, distance::text FROM (
      SELECT id, ${distance} + 0.0 AS distance FROM ${index.table} WHERE ${where}) AS entries
    ORDER BY entries.distance, id LIMIT ${parameters.add(count)}::int`;
  return readHits(index, (await database.query(`searching the index ${index.name}`, text, parameters.values)).rows);
}

/** When fewer entries match the filter, all of them are compared. */
const fewEntries = 5_000;

export async function matchesFewEntries(
  database: Database,
  index: IndexTable,
  condition: Condition | undefined,
): Promise<boolean> {
  const parameters = new Parameters();
  const where = condition === undefined ? "TRUE" : postgresConditionSql(condition, parameters);
  const text = `SELECT count(*)::text AS count FROM (SELECT FROM ${index.table} WHERE ${where} LIMIT ${fewEntries}) AS few`;
  const { rows } = await database.query(`searching the index ${index.name}`, text, parameters.values);
  return Number(rows[0]?.count) < fewEntries;
}

/**
 * Finds near entries with the HNSW index, which may miss some. The scan continues until enough entries match the filter. More than
 * needed are found and ordered again, because the index may hold vectors in half precision. Settings apply to this statement
 * only; the search refers to a column of the row that sets them, so that they are set first.
 */
export async function findNearestWithHnsw(
  database: Database,
  index: VectorTable,
  vector: Float32Array,
  { count, condition }: EntrySearch,
): Promise<Hit[]> {
  const parameters = new Parameters();
  const query = parameters.add(vectorText(vector));
  const where = condition === undefined ? "TRUE" : postgresConditionSql(condition, parameters);
  const breadth = parameters.add(String(Math.min(1_000, Math.max(200, 4 * count))));
  const halved = (value: string) => `${value}::halfvec(${index.settings.dimension})`;
  const order = isHalved(index.settings)
    ? `${halved("embedding")} ${operators[index.settings.metric].sign} ${halved(`${query}::text`)}`
    : distanceSql(index, query);
  const text = `WITH settings AS MATERIALIZED (
      SELECT set_config('hnsw.ef_search', ${breadth}::text, TRUE) AS breadth,
        set_config('hnsw.iterative_scan', 'strict_order', TRUE) AS scan)
    SELECT id, distance::text FROM (
      SELECT id, ${distanceSql(index, query)} AS distance FROM settings CROSS JOIN LATERAL (
        SELECT id, embedding FROM ${index.table} WHERE settings.scan IS NOT NULL AND ${where}
        ORDER BY ${order} LIMIT ${parameters.add(2 * count)}::int) AS nearest) AS entries
    ORDER BY entries.distance, id LIMIT ${parameters.add(count)}::int`;
  const { rows } = await database.query(`searching the index ${index.name}`, text, parameters.values);
  return readHits(index, rows);
}

function distanceSql({ settings }: VectorTable, query: string): string {
  return `(embedding ${operators[settings.metric].sign} ${query}::text::vector)`;
}

function readHits({ settings }: VectorTable, rows: readonly Record<string, unknown>[]): Hit[] {
  return rows.map(({ id, distance }) => ({ id: String(id), score: scoreFor(settings.metric, Number(distance)) }));
}

function scoreFor(metric: VectorMetric, distance: number): number {
  switch (metric) {
    case "cosine":
      return Math.max(-1, Math.min(1, 1 - distance));
    case "dotproduct":
      return 0 - distance; // avoids -0
    case "euclidean":
      return 1 / (1 + distance);
    default:
      return metric satisfies never;
  }
}

/** Finds entries with at least one of the words. Rare words and frequent occurrences weigh more. */
export async function findWithWordsInPostgres(
  database: Database,
  index: IndexTable,
  text: string,
  { count, condition }: EntrySearch,
): Promise<Hit[]> {
  const queries = termQueries(text);
  if (queries.length === 0) return [];
  const parameters = new Parameters();
  const isStemmed = hasStems(index.settings);
  // each word of the query as a tsquery; a stem stands in quotes, as in the literals of `termQueries`
  const words = isStemmed
    ? `(SELECT quote_literal(lexeme) AS word FROM unnest(to_tsvector(${english}, ${parameters.add(queries.join(" "))}::text))) AS stems`
    : `unnest(${parameters.add(queries)}::text[]) AS word`;
  const any = isStemmed ? "(SELECT string_agg(word::text, ' | ') FROM words)" : parameters.add(queries.join(" | "));
  const where = condition === undefined ? "TRUE" : postgresConditionSql(condition, parameters);
  const statement = `WITH words AS MATERIALIZED (
      SELECT word::tsquery AS word, (SELECT count(*) FROM ${index.table} WHERE terms @@ word::tsquery) AS found
      FROM ${words}),
    weighted AS MATERIALIZED (
      SELECT word, ln(1 + ((SELECT count(*) FROM ${index.table}) - found + 0.5) / (found + 0.5)) AS weight FROM words
      WHERE found > 0)
    SELECT id, score::text FROM (
      SELECT id, (SELECT sum(weight * ts_rank(terms, word, 1)) FROM weighted WHERE terms @@ word) AS score
      FROM ${index.table} WHERE terms @@ ${any}::text::tsquery AND ${where}) AS entries
    ORDER BY entries.score DESC, id LIMIT ${parameters.add(count)}::int`;
  const { rows } = await database.query(`searching the index ${index.name}`, statement, parameters.values);
  return rows.map(({ id, score }) => ({ id: String(id), score: Number(score) }));
}

/** Finds entries by a filter alone, in the order of their ids. */
export async function findMatchingInPostgres(
  database: Database,
  index: IndexTable,
  { count, condition }: EntrySearch,
): Promise<Hit[]> {
  const parameters = new Parameters();
  const where = condition === undefined ? "TRUE" : postgresConditionSql(condition, parameters);
  const text = `SELECT id FROM ${index.table} WHERE ${where} ORDER BY id LIMIT ${parameters.add(count)}::int`;
  const { rows } = await database.query(`searching the index ${index.name}`, text, parameters.values);
  return rows.map(({ id }) => ({ id: String(id), score: 0 }));
}
