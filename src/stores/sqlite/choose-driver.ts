import { type DriverName, primaryCode, SqliteConnection, type SqliteDriver, type SqliteValue } from "./connection.js";
import { noDriver, noNodeSqlite, otherDriver } from "./errors.js";
import { loadLibsql } from "./libsql.js";

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

/** The part of `node:sqlite` that is used. */
interface NodeSqlite {
  readonly DatabaseSync: new (location: string, options?: { readonly allowExtension: boolean }) => NodeDatabase;
}
interface NodeDatabase {
  exec(script: string): void;
  prepare(statement: string): { all(...values: SqliteValue[]): unknown[] };
  loadExtension(path: string): void;
  enableLoadExtension(allow: boolean): void;
  close(): void;
}

/**
 * The SQLite of Node.js, from 22.13 on. Loading it prints a warning in some versions, so it is not imported, but loaded when the
 * first database is opened.
 */
function findNodeSqlite(): SqliteDriver | undefined {
  const sqlite = process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined;
  return (
    sqlite && { name: "node:sqlite", open: (location, extension) => open(sqlite, location, extension), resultCode }
  );
}

function open({ DatabaseSync }: NodeSqlite, location: string, extension: string | undefined): SqliteConnection {
  const database = new DatabaseSync(location, { allowExtension: extension !== undefined });
  if (extension !== undefined) {
    database.loadExtension(extension);
    database.enableLoadExtension(false);
  }
  return new SqliteConnection({
    exec: (script) => database.exec(script),
    prepare: (statement) => database.prepare(statement),
    all: (statement, values) => statement.all(...values.map(bindable)),
    close: () => database.close(),
  });
}

/** Node.js 22 binds empty bytes made by a TextEncoder as NULL, because they have no backing store. */
function bindable(value: SqliteValue): SqliteValue {
  return value instanceof Uint8Array && value.length === 0 ? new Uint8Array() : value;
}

function resultCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error ? primaryCode(error.errcode) : undefined;
}
