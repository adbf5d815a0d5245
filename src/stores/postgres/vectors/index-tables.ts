import { KumikoError } from "../../../errors.js";
import { indexSettingsDiffer, unknownIndex } from "../../../rag/vectors/errors.js";
import {
  hasVectors,
  type IndexSettings,
  readIndexSettings,
  type VectorSettings,
} from "../../../rag/vectors/requests.js";
import type { VectorMetric } from "../../../rag/vectors/vector-store.js";
import type { Database } from "../database.js";
import { codeOf, noPgvector, oldPgvector, otherLayout, tooManyDimensions } from "../errors.js";
import { lockKey } from "../lock-key.js";

/** An index. Each index is a separate table. */
export interface IndexTable {
  readonly name: string;
  readonly settings: IndexSettings;
  /** The name of the table, quoted for statements. */
  readonly table: string;
}

const start = "kumiko_vectors_";
const knownLayout = 1;

/** An index with vectors. */
export type VectorTable = IndexTable & { readonly settings: VectorSettings };

/** The distance operator of pgvector for each metric, and the operator class of an HNSW index. */
export const operators: Readonly<Record<VectorMetric, { readonly sign: string; readonly graph: string }>> = {
  cosine: { sign: "<=>", graph: "cosine_ops" },
  euclidean: { sign: "<->", graph: "l2_ops" },
  dotproduct: { sign: "<#>", graph: "ip_ops" },
};

/** The tables of a store's indexes, in one schema. */
export class PostgresIndexTables {
  readonly #database: Database;
  readonly #schema: string | undefined;
  #ready: Promise<void> | undefined;

  constructor(database: Database, schema: string | undefined) {
    this.#database = database;
    this.#schema = schema;
  }

  async create(name: string, settings: IndexSettings, hasGraph: boolean): Promise<void> {
    const table = this.#tableOf(name);
    const graph = hasGraph && hasVectors(settings) ? graphOn(table, settings) : undefined;
    if (hasVectors(settings)) await this.#beReady();
    await this.#database.query(`creating the index ${name}`, makeOnce(createTable(table, settings), "duplicate_table"));
    const found = await this.get(name);
    if (JSON.stringify(found.settings) !== JSON.stringify(settings))
      throw indexSettingsDiffer(name, found.settings, settings);
    if (graph === undefined || (await this.hasGraph(found))) return;
    await this.#database.query(`creating the HNSW index of ${name}`, makeOnce(graph, "duplicate_object"));
  }

  async drop({ name, table }: IndexTable): Promise<void> {
    await this.#database.query(`deleting the index ${name}`, `DROP TABLE IF EXISTS ${table}`);
  }

  async list(): Promise<string[]> {
    const { rows } = await this.#database.query(
      "listing the indexes",
      `SELECT substr(relname::text, ${start.length + 1}) AS name FROM pg_class WHERE relkind = 'r'
        AND relnamespace = coalesce(to_regnamespace($1::text), to_regnamespace(quote_ident(current_schema())))
        AND starts_with(relname::text, '${start}') AND obj_description(oid, 'pg_class') LIKE 'Vectors of kumiko%'
        ORDER BY relname::text COLLATE "C"`,
      [this.#schema === undefined ? null : quote(this.#schema)],
    );
    return rows.map(({ name }) => String(name));
  }

  async get(name: string): Promise<IndexTable> {
    const table = this.#tableOf(name);
    const { rows } = await this.#database.query(
      `looking for the index ${name}`,
      "SELECT obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE oid = to_regclass($1::text)",
      [table],
    );
    const settings = readComment(table, rows[0]?.comment);
    if (settings === undefined) throw unknownIndex(name, await this.list());
    return { name, settings, table };
  }

  /** Whether the index has an HNSW index, with which queries may be faster but approximate. */
  async hasGraph({ name, table }: IndexTable): Promise<boolean> {
    const { rows } = await this.#database.query(
      `looking for the HNSW index of ${name}`,
      `SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
        WHERE indrelid = to_regclass($1::text) AND amname = 'hnsw'`,
      [table],
    );
    return rows.length > 0;
  }

  #tableOf(name: string): string {
    const table = `"${start}${name}"`;
    return this.#schema === undefined ? table : `${quote(this.#schema)}.${table}`;
  }

  async #beReady(): Promise<void> {
    this.#ready ??= this.#checkExtension();
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  /** Checks first whether the extension exists, so that a user without the right to create one can use it. */
  async #checkExtension(): Promise<void> {
    const look = "SELECT extversion::text AS version FROM pg_extension WHERE extname = 'vector'";
    let { rows } = await this.#database.query("looking for pgvector", look);
    if (rows.length === 0) {
      try {
        await this.#database.query("creating pgvector", makeOnce("CREATE EXTENSION vector;", "duplicate_object"));
      } catch (error) {
        throw KumikoError.is(error) && codeOf(error.cause) !== undefined ? noPgvector(error) : error;
      }
      ({ rows } = await this.#database.query("looking for pgvector", look));
    }
    const version = String(rows[0]?.version);
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major === 0 && minor < 8) throw oldPgvector(version);
  }
}

const quote = (schema: string): string => `"${schema}"`;

/** Runs statements in one process at a time. The duplicate error of a second process is ignored. */
function makeOnce(statements: string, found: "duplicate_table" | "duplicate_object"): string {
  return `DO $kumiko$ BEGIN
PERFORM pg_advisory_xact_lock(${lockKey("make vectors")});
${statements}
EXCEPTION WHEN ${found} OR unique_violation THEN NULL;
END $kumiko$`;
}

function createTable(table: string, { dimension, metric, text }: IndexSettings): string {
  const settings = JSON.stringify({ dimension, metric, text });
  return `CREATE TABLE ${table} (
  id text COLLATE "C" PRIMARY KEY,
  ${dimension === undefined ? "" : `embedding vector(${dimension}) NOT NULL,`}
  document text NOT NULL,
  metadata jsonb NOT NULL,
  terms tsvector
);
CREATE INDEX ON ${table} USING gin (metadata jsonb_path_ops);
${text ? `CREATE INDEX ON ${table} USING gin (terms);` : ""}
COMMENT ON TABLE ${table} IS 'Vectors of kumiko, layout ${knownLayout}: ${settings}';`;
}

/** Whether vectors have so many dimensions that an HNSW index holds them in half precision. */
export const isHalved = ({ dimension }: VectorSettings): boolean => dimension > 2_000;

function graphOn(table: string, settings: VectorSettings): string {
  const { graph } = operators[settings.metric];
  if (settings.dimension > 4_000) throw tooManyDimensions(settings.dimension);
  return isHalved(settings)
    ? `CREATE INDEX ON ${table} USING hnsw ((embedding::halfvec(${settings.dimension})) halfvec_${graph});`
    : `CREATE INDEX ON ${table} USING hnsw (embedding vector_${graph});`;
}

function readComment(table: string, comment: unknown): IndexSettings | undefined {
  const [, layout, settings] = /^Vectors of kumiko, layout (\d+): (.*)$/.exec(String(comment)) ?? [];
  if (layout === undefined || settings === undefined) return undefined;
  if (Number(layout) !== knownLayout) throw otherLayout([table], Number(layout), knownLayout);
  return readIndexSettings(JSON.parse(settings));
}
