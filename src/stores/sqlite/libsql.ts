import { primaryCode, SqliteConnection, type SqliteDriver } from "./connection.js";

/** The package `libsql`, for local files only. Rejects when it is not installed. */
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
    // in a list, as it would take a lone Uint8Array for a record of named values
    all: (statement, values) => statement.all(values),
    close: () => close(database),
  });
}

/** It lets the files go when its statements are garbage collected. Until then, what was written shall stand in one file. */
function close(database: Database): void {
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // somebody else reads or writes, and will do it
  }
  database.close();
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("rawCode" in error && error.rawCode !== undefined) return primaryCode(error.rawCode);
  // A file that cannot be opened: the number stands in the message only.
  const [, code] = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message) ?? [];
  return code === undefined ? undefined : primaryCode(Number(code));
}
