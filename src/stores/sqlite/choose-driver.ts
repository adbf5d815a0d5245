import type { DriverName, SqliteDriver } from "./connection.js";
import { noDriver, noNodeSqlite, otherDriver } from "./errors.js";
import { loadLibsql } from "./libsql.js";
import { findNodeSqlite } from "./node-sqlite.js";

/**
 * Two SQLite libraries that both load sqlite-vec damage the memory of their process. So the first one that opens a database
 * is the one of all, for other copies of this package too.
 */
const key: unique symbol = Symbol.for("kumiko/sqlite-driver");
interface ProcessWide {
  [key]?: DriverName | undefined;
}

/** The driver that was asked for, the one that the process uses already, or the first that there is. */
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
