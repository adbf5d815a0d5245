import { indexSettingsDiffer, unknownIndex } from "../../../rag/vectors/errors.js";
import { hasStems, hasVectors, type IndexSettings, type VectorSettings } from "../../../rag/vectors/requests.js";
import type { VectorMetric, WordStems } from "../../../rag/vectors/vector-store.js";
import type { SqliteConnection, SqliteRow } from "../connection.js";
import { foreignTables } from "../errors.js";
import { prepareTables, type TableLayout } from "../schema.js";

const indexes: TableLayout = {
  part: "vectors",
  layout: 1,
  tables: /^kumiko_vector(_indexes|s_\d+_(rows|vectors|terms))$/,
  script: `CREATE TABLE kumiko_vector_indexes (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
     dimension INTEGER NOT NULL, metric TEXT NOT NULL, has_text INTEGER NOT NULL);`,
};

export const prepareVectors = (connection: SqliteConnection, file: string): void =>
  prepareTables(connection, file, indexes);

/** An index and the names of its tables, which contain its number. Numbers are never reused. */
export interface SqliteIndexTables {
  readonly name: string;
  readonly settings: IndexSettings;
  /** The table of ids, documents and metadata, by row number. */
  readonly rows: string;
  /** The table of vectors, by the same numbers; there is none if the index holds words only. */
  readonly vectors: string;
  /** The full-text table of document terms, by the same numbers. */
  readonly terms: string;
}

export function createTables(connection: SqliteConnection, name: string, settings: IndexSettings): void {
  const found = findTables(connection, name);
  if (found !== undefined) {
    if (JSON.stringify(found.settings) === JSON.stringify(settings)) return;
    throw indexSettingsDiffer(name, found.settings, settings);
  }
  const { dimension, metric, text } = settings;
  const [row] = connection.query(
    "INSERT INTO kumiko_vector_indexes (name, dimension, metric, has_text) VALUES (?, ?, ?, ?) RETURNING number",
    ...[name, BigInt(dimension ?? 0), metric ?? wordsOnly, BigInt(textCodeOf(settings))],
  );
  const { rows, vectors, terms } = namesOf(Number(row?.number));
  connection.run(`CREATE TABLE ${rows} (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL,
    metadata TEXT NOT NULL)`);
  if (hasVectors(settings)) {
    connection.run(
      isSearchedByVec(settings)
        ? `CREATE VIRTUAL TABLE ${vectors} USING vec0(n INTEGER PRIMARY KEY,
          embedding FLOAT[${dimension}] distance_metric=${metric === "cosine" ? "cosine" : "l2"})`
        : `CREATE TABLE ${vectors} (n INTEGER PRIMARY KEY, embedding BLOB NOT NULL)`,
    );
  }
  // among ASCII characters, terms contain only letters and digits, so this tokenizer splits only at the spaces between terms
  if (text) {
    const tokenizer = hasStems(settings) ? "porter ascii" : "ascii";
    connection.run(
      `CREATE VIRTUAL TABLE ${terms} USING fts5(terms, content='', contentless_delete=1, tokenize='${tokenizer}')`,
    );
  }
}

/** Whether sqlite-vec can search the index: it does not support dot products, and limits dimensions. */
export function isSearchedByVec({ metric, dimension }: VectorSettings): boolean {
  return metric !== "dotproduct" && dimension <= 8_192;
}

export function dropTables(
  connection: SqliteConnection,
  { name, settings, rows, vectors, terms }: SqliteIndexTables,
): void {
  connection.query("DELETE FROM kumiko_vector_indexes WHERE name = ?", name);
  const tables = [rows, ...(hasVectors(settings) ? [vectors] : []), ...(settings.text ? [terms] : [])];
  for (const table of tables) connection.run(`DROP TABLE ${table}`);
}

export function listNames(connection: SqliteConnection): string[] {
  return connection.query("SELECT name FROM kumiko_vector_indexes ORDER BY name").map(({ name }) => String(name));
}

export function getTables(connection: SqliteConnection, name: string): SqliteIndexTables {
  const found = findTables(connection, name);
  if (found === undefined) throw unknownIndex(name, listNames(connection));
  return found;
}

function findTables(connection: SqliteConnection, name: string): SqliteIndexTables | undefined {
  const [row] = connection.query("SELECT * FROM kumiko_vector_indexes WHERE name = ?", name);
  if (row === undefined) return undefined;
  return { name, settings: readSettings(row), ...namesOf(Number(row.number)) };
}

/** Stored as the metric of an index without vectors. */
const wordsOnly = "";

function readSettings({ dimension, metric, has_text }: SqliteRow): IndexSettings {
  const text = readText(Number(has_text));
  if (metric === wordsOnly) return { text: text === false ? true : text };
  return { dimension: Number(dimension), metric: readMetric(metric), text };
}

/** The column `has_text`: 0 without text search, 1 with words as they are written, 2 with English stems. */
function textCodeOf(settings: IndexSettings): number {
  if (hasStems(settings)) return 2;
  return settings.text === false ? 0 : 1;
}

const readText = (code: number): boolean | WordStems => (code === 2 ? { stems: "en" } : code === 1);

function readMetric(metric: unknown): VectorMetric {
  if (metric === "cosine" || metric === "euclidean" || metric === "dotproduct") return metric;
  throw foreignTables(undefined, `kumiko_vector_indexes has the metric ${JSON.stringify(metric)}`);
}

function namesOf(number: number): Pick<SqliteIndexTables, "rows" | "vectors" | "terms"> {
  const start = `kumiko_vectors_${number}`;
  return { rows: `${start}_rows`, vectors: `${start}_vectors`, terms: `${start}_terms` };
}
