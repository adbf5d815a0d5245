import type { DriverName, SqliteDriver } from "./connection.js";
import { noDriver, noNodeSqlite, otherDriver } from "./errors.js";
import { loadLibsql } from "./libsql.js";
import { findNodeSqlite } from "./node-sqlite.js";

/**
 * Two SQLite libraries that both load sqlite-vec corrupt the memory of their process. So the first one that opens a database is
 * used for all, also by other copies of this package.
 */
const key: unique symbol = Symbol.for("kumiko/sqlite-driver");
interface ProcessWide {
  [key]?: DriverName | undefined;
}

/** Returns the requested driver, the one that the process already uses, or the first available one. */
export async function chooseDriver(wanted: DriverName | undefined): Promise<SqliteDriver> {
  const shared: typeof globalThis & ProcessWide = globalThis;
  const used = shared[key];
  if (wanted !== undefined && used !== undefined && wanted !== used) throw otherDriver(wanted, used);
  const name = wanted ?? used;
  const own = name === "libsql" ? undefined : findNodeSqlite();
  if (own === undefined && name === "node:sqlite") throw noNodeSqlite();
  shared[key] = own?.name ?? "libsql";
  if (own !== undefined) return own;
  try {
    return await loadLibsql();
  } catch (cause) {
    shared[key] = used;
    throw noDriver(cause);
  }
}
