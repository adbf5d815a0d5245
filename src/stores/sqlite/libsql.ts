import { primaryCode, SqliteConnection, type SqliteDriver } from "./connection.js";

/** Loads the package `libsql`, which is used for local files only. Rejects when it is not installed. */
export async function loadLibsql(): Promise<SqliteDriver> {
  const { default: Database } = await import("libsql");
  return {
    name: "libsql",
    open: (location, extension) => {
      const database = new Database(location);
      if (extension !== undefined) database.loadExtension(extension);
      return open(database);
    },
    resultCode,
  };
}

type Database = InstanceType<typeof import("libsql")>;

type Statement = ReturnType<Database["prepare"]>;

function open(database: Database): SqliteConnection {
  const writes = new WeakSet<Statement>();
  const connection: SqliteConnection<Statement> = new SqliteConnection<Statement>({
    exec: (script) => database.exec(script),
    prepare: (text) => {
      const statement = database.prepare(text);
      if (/^\s*(INSERT|UPDATE|DELETE)\b/i.test(text)) writes.add(statement);
      return statement;
    },
    all: (statement, values) => {
      // as an array, because a single Uint8Array would be taken for named values
      const all = () => statement.all(values);
      // libsql leaves a write that found the file locked as it is. While it is open, later writes seem to succeed, and are not
      // committed: they are lost once it is run again. In a transaction, the lock is asked for first.
      return writes.has(statement) && !database.inTransaction ? connection.transaction("write", all) : all();
    },
    close: () => close(database),
  });
  return connection;
}

/** libsql closes files only when its statements are garbage collected. The checkpoint moves all writes to the main file now. */
function close(database: Database): void {
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // another connection is reading or writing, and will do it
  }
  database.close();
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("rawCode" in error && error.rawCode !== undefined) return primaryCode(error.rawCode);
  // for a file that cannot be opened, only the message has the code
  const [, code] = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message) ?? [];
  return code === undefined ? undefined : primaryCode(Number(code));
}
