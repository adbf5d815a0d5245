import type { SqliteConnection } from "./connection.js";
import { foreignTables, newerSchema } from "./errors.js";

/**
 * How the tables came to be: each script makes the next version of them. Only ever added to.
 *
 * 1. Versions of checkpoints are counted in a table of their own, for all ids together: so none comes twice, whatever was
 *    deleted. A trigger counts, so that a write is one statement, and needs no transaction around it.
 */
const migrations = [
  `CREATE TABLE kumiko_checkpoints (id BLOB NOT NULL PRIMARY KEY, version INTEGER NOT NULL, data BLOB NOT NULL);
   CREATE TABLE kumiko_checkpoint_versions (last INTEGER NOT NULL);
   INSERT INTO kumiko_checkpoint_versions (last) VALUES (0);
   CREATE TRIGGER kumiko_checkpoint_created AFTER INSERT ON kumiko_checkpoints
     BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.version; END;
   CREATE TRIGGER kumiko_checkpoint_replaced AFTER UPDATE ON kumiko_checkpoints
     BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.version; END;`,
];

/** Makes the tables of checkpoints, or brings them up to date. */
export const prepareCheckpoints = (connection: SqliteConnection, file: string): void =>
  prepareSchema(connection, file, "checkpoints", migrations);

/** Makes the tables of a part, or brings them up to date. Any number of processes may do so at once. */
export function prepareSchema(
  connection: SqliteConnection,
  file: string,
  part: "checkpoints" | "vectors",
  scripts: readonly string[],
): void {
  const latest = scripts.length;
  if (schemaVersion(connection, file, part, latest) === latest) return;
  connection.transaction("write", () => {
    // again, now that nobody else can change it
    const found = schemaVersion(connection, file, part, latest);
    for (const script of scripts.slice(found)) connection.run(script);
    connection.run(`CREATE TABLE IF NOT EXISTS kumiko_schema (part TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL);
      INSERT OR REPLACE INTO kumiko_schema (part, version) VALUES ('${part}', ${latest})`);
  });
}

/** Which version of the tables a file has; 0 for none. A file of a later kumiko is refused. */
function schemaVersion(connection: SqliteConnection, file: string, part: string, latest: number): number {
  const [table] = connection.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kumiko_schema'");
  if (table === undefined) return 0;
  const [row] = connection.query("SELECT version FROM kumiko_schema WHERE part = ?", part);
  const version = row?.version ?? 0;
  if (typeof version !== "number") throw foreignTables(file, "kumiko_schema has no number for its version");
  if (version > latest) throw newerSchema(file, version, latest);
  return version;
}
