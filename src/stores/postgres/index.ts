/**
 * Stores for checkpoints and vectors in PostgreSQL. Needs the package `pg`; vectors also need the extension
 * pgvector.
 *
 * @packageDocumentation
 */

export type { PostgresConnection } from "./database.js";
export type { PostgresPool, PostgresQuery, PostgresResult } from "./pool.js";
export { postgresStore } from "./postgres-store.js";
export type { PostgresStoreOptions } from "./store-options.js";
export { type PostgresVectorsOptions, postgresVectors } from "./vectors/postgres-vectors.js";
