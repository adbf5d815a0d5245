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

function open(database: Database): SqliteConnection {
  return new SqliteConnection({
    exec: (script) => database.exec(script),
    prepare: (statement) => database.prepare(statement),
    // as an array, because a single Uint8Array would be taken for named values
    all: (statement, values) => statement.all(values),
    close: () => close(database),
  });
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
