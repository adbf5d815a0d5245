import type { SqliteConnection } from "./connection.js";
import { foreignTables, newerSchema } from "./errors.js";

/**
 * Migrations: each script makes the next version of the tables. Add scripts, but never change one.
 *
 * 1. Versions of checkpoints are counted in a separate table, for all ids together, so that none is used twice, even after a
 *    delete. A trigger counts, so that a write is one statement and needs no transaction.
 * 2. Entries appended to a checkpoint are separate rows. They refer to its `base`, the version of its last put, and the
 *    version of the last entry is the version of the checkpoint. Triggers delete entries with their base. The column was renamed
 *    so that a process with an older kumiko, which would ignore entries, fails.
 */
const migrations = [
  `CREATE TABLE kumiko_checkpoints (id BLOB NOT NULL PRIMARY KEY, version INTEGER NOT NULL, data BLOB NOT NULL);
   CREATE TABLE kumiko_checkpoint_versions (last INTEGER NOT NULL);
   INSERT INTO kumiko_checkpoint_versions (last) VALUES (0);
   CREATE TRIGGER kumiko_checkpoint_created AFTER INSERT ON kumiko_checkpoints
     BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.version; END;
   CREATE TRIGGER kumiko_checkpoint_replaced AFTER UPDATE ON kumiko_checkpoints
     BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.version; END;`,
  `ALTER TABLE kumiko_checkpoints RENAME COLUMN version TO base;
   DROP TABLE IF EXISTS kumiko_checkpoint_entries;
   CREATE TABLE kumiko_checkpoint_entries (version INTEGER PRIMARY KEY, base INTEGER NOT NULL, data BLOB NOT NULL);
   CREATE INDEX kumiko_checkpoint_entries_of_base ON kumiko_checkpoint_entries (base);
   CREATE TRIGGER kumiko_checkpoint_appended AFTER INSERT ON kumiko_checkpoint_entries
     BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.version; END;
   CREATE TRIGGER kumiko_checkpoint_entries_replaced AFTER UPDATE ON kumiko_checkpoints
     BEGIN DELETE FROM kumiko_checkpoint_entries WHERE base = OLD.base; END;
   CREATE TRIGGER kumiko_checkpoint_entries_removed AFTER DELETE ON kumiko_checkpoints
     BEGIN DELETE FROM kumiko_checkpoint_entries WHERE base = OLD.base; END;`,
];

/** Creates or migrates the tables of checkpoints. */
export const prepareCheckpoints = (connection: SqliteConnection, file: string): void =>
  prepareSchema(connection, file, "checkpoints", migrations);

/** Creates or migrates the tables of one part. Any number of processes may do so at once. */
export function prepareSchema(
  connection: SqliteConnection,
  file: string,
  part: "checkpoints" | "vectors",
  scripts: readonly string[],
): void {
  const latest = scripts.length;
  if (schemaVersion(connection, file, part, latest) === latest) return;
  connection.transaction("write", () => {
    // checked again, now that no other process can change it
    const found = schemaVersion(connection, file, part, latest);
    for (const script of scripts.slice(found)) connection.run(script);
    connection.run(`CREATE TABLE IF NOT EXISTS kumiko_schema (part TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL);
      INSERT OR REPLACE INTO kumiko_schema (part, version) VALUES ('${part}', ${latest})`);
  });
}

/** The version of the tables in a file; 0 for none. Throws for tables of a newer kumiko. */
function schemaVersion(connection: SqliteConnection, file: string, part: string, latest: number): number {
  const [table] = connection.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kumiko_schema'");
  if (table === undefined) return 0;
  const [row] = connection.query("SELECT version FROM kumiko_schema WHERE part = ?", part);
  const version = row?.version ?? 0;
  if (typeof version !== "number") throw foreignTables(file, "the version in kumiko_schema is not a number");
  if (version > latest) throw newerSchema(file, version, latest);
  return version;
}
