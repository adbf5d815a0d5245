export { type SqliteStoreOptions, sqliteStore } from "./sqlite-store.js";
export { type SqliteVectorsOptions, sqliteVectors } from "./vectors/sqlite-vectors.js";
