import { checkOptions } from "../../../check-options.js";
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
import { searchIndex } from "../../../rag/vectors/search-index.js";
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
import type { DriverName, SqliteConnection } from "../connection.js";
import { SqliteDatabase } from "../database.js";
import { invalidDriver } from "../errors.js";
import { locationOf } from "../location.js";
import { sqliteConditionSql } from "./condition-sql.js";
import {
  type FoundRow,
  findMatchingInSqlite,
  findNearestInSqlite,
  findWithWordsInSqlite,
  vectorFromBytes,
} from "./find-entries.js";
import {
  createTables,
  dropTables,
  getTables,
  listNames,
  prepareVectors,
  type SqliteIndexTables,
} from "./index-tables.js";
import { findVec } from "./load-vec.js";
import { changeSqliteEntry, checkLength, deleteSqliteEntries, writeEntry } from "./write-entries.js";

/** Options of `sqliteVectors`. */
export interface SqliteVectorsOptions {
  /**
   * Which SQLite library to use. All stores of a process share one, so another value than the one in use is an error.
   * @default the one in use, otherwise `node:sqlite` where Node.js has it, otherwise the package `libsql`
   */
  readonly driver?: DriverName | undefined;
}

/**
 * Keeps vectors, documents and metadata in an SQLite file, for any number of processes on one machine. Needs the package
 * `sqlite-vec`, and `libsql` where Node.js is older than 22.13.
 *
 * - A query compares all entries that match its filter, and is exact. Tens of thousands of entries take tens of milliseconds.
 * - An `upsert` is one transaction: after a crash, all of its entries are there or none.
 * - Calls are synchronous and block the thread while they work. While another process writes, a call waits for up to 30 seconds
 *   without blocking the thread.
 * - The file may hold other tables, and the checkpoints of a `sqliteStore`; those of this store begin with `kumiko_vector`.
 *
 * @example
 * const store = sqliteVectors("docs.db");
 * await store.createIndex({ indexName: "docs", dimension: 3 });
 * await store.upsert({ indexName: "docs", ids: ["a"], vectors: [[1, 0, 0]], documents: ["Kumiko is joined without nails."] });
 * const [best] = await store.query({ indexName: "docs", queryVector: [1, 0.2, 0], queryText: "nails" });
 * await store.close();
 */
export function sqliteVectors(path: string, options: SqliteVectorsOptions = {}): VectorStore {
  checkOptions("sqliteVectors", options, ["driver"]);
  const { driver } = options;
  if (driver !== undefined && driver !== "node:sqlite" && driver !== "libsql") throw invalidDriver(driver);
  const database = new SqliteDatabase({
    store: "sqliteVectors",
    file: path,
    location: locationOf("sqliteVectors", path),
    synchronous: "full",
    patienceSeconds: 30,
    driver,
    findExtension: findVec,
    prepare: prepareVectors,
  });
  return new SqliteVectors(database);
}

class SqliteVectors implements VectorStore {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async createIndex(options: CreateIndexOptions): Promise<void> {
    this.#database.checkOpen();
    const name = checkIndexName(options.indexName);
    const settings = readIndexSettings(options);
    await this.#use("write", (connection) => createTables(connection, name, settings));
  }

  async listIndexes(): Promise<string[]> {
    return this.#use("read", listNames);
  }

  async describeIndex(indexName: string): Promise<IndexDescription> {
    return this.#useIndex("read", indexName, (connection, { settings, rows }) => {
      const [row] = connection.query(`SELECT count(*) AS count FROM ${rows}`);
      return { ...settings, count: Number(row?.count) };
    });
  }

  async deleteIndex(indexName: string): Promise<void> {
    return this.#useIndex("write", indexName, dropTables);
  }

  async upsert(options: UpsertOptions): Promise<string[]> {
    return this.#useIndex("write", options.indexName, (connection, tables) => {
      const { ids, rows } = readEntryRows(options, tables.settings);
      for (const { id, vector } of rows) checkLength(vector, tables.settings, `The vector of ${JSON.stringify(id)}`);
      for (const row of rows) writeEntry(connection, tables, row);
      return ids;
    });
  }

  async query(options: QueryOptions): Promise<QueryResult[]> {
    return this.#useIndex("read", options.indexName, (connection, tables) => {
      const request = readQuery(options, tables.settings);
      return find(connection, tables, request).map((found) => readResult(connection, tables, found, request));
    });
  }

  async update(options: UpdateOptions): Promise<void> {
    return this.#useIndex("write", options.indexName, (connection, tables) => {
      const change = readUpdate(options, tables.settings);
      checkLength(change.vector, tables.settings, "vector");
      changeSqliteEntry(connection, tables, change);
    });
  }

  async delete(options: DeleteOptions): Promise<number> {
    return this.#useIndex("write", options.indexName, (connection, tables) =>
      deleteSqliteEntries(connection, tables, readDelete(options)),
    );
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #use<T>(kind: "read" | "write", work: (connection: SqliteConnection) => T): Promise<T> {
    return this.#database.use((connection) => connection.transaction(kind, () => work(connection)));
  }

  async #useIndex<T>(
    kind: "read" | "write",
    indexName: unknown,
    work: (connection: SqliteConnection, tables: SqliteIndexTables) => T,
  ): Promise<T> {
    this.#database.checkOpen();
    const name = checkIndexName(indexName);
    return this.#use(kind, (connection) => work(connection, getTables(connection, name)));
  }
}

function find(connection: SqliteConnection, tables: SqliteIndexTables, request: QueryRequest): FoundRow[] {
  const condition = request.condition && sqliteConditionSql(request.condition);
  return searchIndex(tables.name, tables.settings, request, {
    nearest: (vector, count) => {
      const { settings } = tables;
      if (!hasVectors(settings)) return [];
      checkLength(vector, settings, "queryVector");
      return findNearestInSqlite(connection, { ...tables, settings }, vector, count, condition);
    },
    withWords: (text, count) => findWithWordsInSqlite(connection, tables, text, count, condition),
    matching: (count) => findMatchingInSqlite(connection, tables, count, condition),
  });
}

function readResult(
  connection: SqliteConnection,
  { rows, vectors }: SqliteIndexTables,
  { n, id, score }: FoundRow,
  { includeVector }: QueryRequest,
): QueryResult {
  const [row] = connection.query(`SELECT document, metadata FROM ${rows} WHERE n = ?`, n);
  const result = {
    id,
    score,
    document: String(row?.document),
    metadata: JSON.parse(String(row?.metadata)),
  };
  if (!includeVector) return result;
  const [stored] = connection.query(`SELECT embedding FROM ${vectors} WHERE n = ?`, n);
  return { ...result, vector: Array.from(vectorFromBytes(stored?.embedding)) };
}
