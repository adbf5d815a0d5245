/**
 * Stores for checkpoints and vectors in an SQLite file. Needs Node.js 22.13 or the package `libsql`; vectors
 * also need `sqlite-vec`.
 *
 * @packageDocumentation
 */

export type { DriverName } from "./connection.js";
export { type SqliteStoreOptions, sqliteStore } from "./sqlite-store.js";
export { type SqliteVectorsOptions, sqliteVectors } from "./vectors/sqlite-vectors.js";
