import { storeClosed } from "../../../checkpoint/errors.js";
import {
  checkIndexName,
  hasVectors,
  type QueryRequest,
  readDelete,
  readEntryRows,
  readIndexSettings,
  readQuery,
  readUpdate,
} from "../../../rag/vectors/requests.js";
import { hitsNeeded, isFilterAlone, joinHits } from "../../../rag/vectors/search-index.js";
import type { Hit } from "../../../rag/vectors/top-results.js";
import type {
  CreateIndexOptions,
  DeleteOptions,
  IndexDescription,
  QueryOptions,
  QueryResult,
  UpdateOptions,
  UpsertOptions,
  VectorStore,
} from "../../../rag/vectors/vector-store.js";
import { Database, type PostgresConnection } from "../database.js";
import { invalidAnn, invalidSchema } from "../errors.js";
import { checkStoreOptions } from "../store-options.js";
import {
  type EntrySearch,
  findMatchingInPostgres,
  findNearestInPostgres,
  findNearestWithHnsw,
  findWithWordsInPostgres,
  matchesFewEntries,
} from "./find-entries.js";
import { type IndexTable, PostgresIndexTables } from "./index-tables.js";
import { changePostgresEntry, deletePostgresEntries, writeEntries } from "./write-entries.js";

/** Options of `postgresVectors`. */
export interface PostgresVectorsOptions {
  /** The schema of the tables, without quotes. @default the first schema of the connection's search path */
  readonly schema?: string | undefined;
  /**
   * `"hnsw"` creates an approximate HNSW index with each new index, for up to 4,000 dimensions. Queries are then faster on many
   * entries, but may miss some. A query with `exact: true`, or one whose filter matches fewer than 5,000 entries, still compares
   * all entries.
   * @default none: queries compare all entries
   */
  readonly ann?: "hnsw" | undefined;
}

/**
 * Keeps vectors, documents and metadata in PostgreSQL 12 or newer. Indexes with vectors need the extension pgvector 0.8 or newer,
 * which the store creates if it has the right to. Each index is a table, `kumiko_vectors_<index>`.
 *
 * - A `connectionString` needs the package `pg`. A `pool` stays open on `close`.
 * - An `upsert` is one statement, so all entries are written or none. Pass up to some thousands of entries at once.
 * - Distances are calculated in single precision.
 *
 * @example
 * const store = postgresVectors({ connectionString: "postgres://app@localhost/app" }, { ann: "hnsw" });
 * await store.createIndex({ indexName: "docs", dimension: 1_536 });
 * await store.close();
 */
export function postgresVectors(connection: PostgresConnection, options: PostgresVectorsOptions = {}): VectorStore {
  checkStoreOptions("postgresVectors", connection, options, ["schema", "ann"]);
  const { schema, ann } = options;
  if (ann !== undefined && ann !== "hnsw") throw invalidAnn(ann);
  if (schema !== undefined && !isSchema(schema)) throw invalidSchema(schema);
  return new PostgresVectors(new Database(connection, "postgresVectors"), schema, ann !== undefined);
}

const isSchema = (schema: unknown): boolean =>
  typeof schema === "string" && /^[\p{L}_][\p{L}\p{M}\p{Nd}_]*$/u.test(schema) && Buffer.byteLength(schema) <= 63;

class PostgresVectors implements VectorStore {
  readonly #database: Database;
  readonly #tables: PostgresIndexTables;
  readonly #hasGraphs: boolean;

  constructor(database: Database, schema: string | undefined, hasGraphs: boolean) {
    this.#database = database;
    this.#tables = new PostgresIndexTables(database, schema);
    this.#hasGraphs = hasGraphs;
  }

  async createIndex(options: CreateIndexOptions): Promise<void> {
    this.#checkOpen();
    await this.#tables.create(checkIndexName(options.indexName), readIndexSettings(options), this.#hasGraphs);
  }

  async listIndexes(): Promise<string[]> {
    this.#checkOpen();
    return this.#tables.list();
  }

  async describeIndex(indexName: string): Promise<IndexDescription> {
    const { name, table, settings } = await this.#get(indexName);
    const text = `SELECT count(*)::text AS count FROM ${table}`;
    const { rows } = await this.#database.query(`counting the index ${name}`, text);
    return { ...settings, count: Number(rows[0]?.count) };
  }

  async deleteIndex(indexName: string): Promise<void> {
    await this.#tables.drop(await this.#get(indexName));
  }

  async upsert(options: UpsertOptions): Promise<string[]> {
    const index = await this.#get(options.indexName);
    const { ids, rows } = readEntryRows(options, index.settings);
    await writeEntries(this.#database, index, rows);
    return ids;
  }

  async query(options: QueryOptions): Promise<QueryResult[]> {
    const index = await this.#get(options.indexName);
    const request = readQuery(options, index.settings);
    const count = hitsNeeded(index.name, index.settings, request);
    const search = { count, condition: request.condition };
    if (isFilterAlone(request))
      return this.#readResults(index, await findMatchingInPostgres(this.#database, index, search), request);
    const [nearest, withWords] = await Promise.all([
      request.vector && this.#nearest(index, request.vector, search, request.exact),
      request.text === undefined ? undefined : findWithWordsInPostgres(this.#database, index, request.text, search),
    ]);
    return this.#readResults(index, joinHits(request, nearest, withWords), request);
  }

  async update(options: UpdateOptions): Promise<void> {
    const index = await this.#get(options.indexName);
    await changePostgresEntry(this.#database, index, readUpdate(options, index.settings));
  }

  async delete(options: DeleteOptions): Promise<number> {
    const index = await this.#get(options.indexName);
    return deletePostgresEntries(this.#database, index, readDelete(options));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #nearest(index: IndexTable, vector: Float32Array, search: EntrySearch, isExact: boolean): Promise<Hit[]> {
    const { settings } = index;
    if (!hasVectors(settings)) return [];
    const scansAll = isExact || !this.#hasGraphs || (await matchesFewEntries(this.#database, index, search.condition));
    const find = scansAll ? findNearestInPostgres : findNearestWithHnsw;
    return find(this.#database, { ...index, settings }, vector, search);
  }

  async #readResults(
    { name, table }: IndexTable,
    hits: readonly Hit[],
    { includeVector }: QueryRequest,
  ): Promise<QueryResult[]> {
    if (hits.length === 0) return [];
    const { rows } = await this.#database.query(
      `reading from the index ${name}`,
      `SELECT id, document, metadata::text${includeVector ? ", embedding::text" : ""} FROM ${table} WHERE id = ANY($1::text[])`,
      [hits.map(({ id }) => id)],
    );
    const found = new Map(rows.map((row) => [String(row.id), row]));
    return hits.flatMap(({ id, score }) => {
      const row = found.get(id);
      if (row === undefined) return []; // deleted meanwhile
      const result = { id, score, document: String(row.document), metadata: JSON.parse(String(row.metadata)) };
      return [includeVector ? { ...result, vector: readVector(String(row.embedding)) } : result];
    });
  }

  async #get(indexName: unknown): Promise<IndexTable> {
    this.#checkOpen();
    return this.#tables.get(checkIndexName(indexName));
  }

  #checkOpen(): void {
    if (this.#database.closed) throw storeClosed("postgresVectors");
  }
}

const readVector = (text: string): number[] => Array.from(new Float32Array(JSON.parse(text)));
