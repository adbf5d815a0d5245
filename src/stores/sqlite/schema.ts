import type { SqliteConnection } from "./connection.js";
import { foreignTables, otherLayout } from "./errors.js";

/** The tables of one part of a file. Tables of any other layout are refused, never changed. */
export interface TableLayout {
  readonly part: "checkpoints" | "vectors";
  /** To be increased with every change of the tables. */
  readonly layout: number;
  /** Creates the tables. */
  readonly script: string;
  /** Matches the names of tables of the part, whatever their layout. */
  readonly tables: RegExp;
}

/**
 * Versions of checkpoints are counted in a separate table, for all ids together, so that none is used twice, even after a delete.
 * A trigger counts, so that a write is one statement and needs no transaction. Entries appended to a checkpoint are separate
 * rows. They refer to its `base`, the version of its last put, and the version of the last entry is the version of the
 * checkpoint. Triggers delete entries with their base. The indexes of runs are in a table of their own, so that changing one does
 * not rewrite the data; `listed` tells whether a checkpoint has one.
 */
const checkpoints: TableLayout = {
  part: "checkpoints",
  layout: 3,
  tables: /^kumiko_checkpoint(s|_versions|_entries|_runs)$/,
  script: `CREATE TABLE kumiko_checkpoints (id BLOB NOT NULL PRIMARY KEY, base INTEGER NOT NULL, listed INTEGER NOT NULL,
     data BLOB NOT NULL);
   CREATE TABLE kumiko_checkpoint_versions (last INTEGER NOT NULL);
   INSERT INTO kumiko_checkpoint_versions (last) VALUES (0);
   CREATE TABLE kumiko_checkpoint_entries (version INTEGER PRIMARY KEY, base INTEGER NOT NULL, data BLOB NOT NULL);
   CREATE INDEX kumiko_checkpoint_entries_of_base ON kumiko_checkpoint_entries (base);
   CREATE TABLE kumiko_checkpoint_runs (id BLOB NOT NULL PRIMARY KEY, status TEXT NOT NULL, graph BLOB NOT NULL, owner BLOB,
     since REAL NOT NULL, due REAL, thread_id BLOB, user_id BLOB) WITHOUT ROWID;
   CREATE INDEX kumiko_checkpoint_runs_by_status ON kumiko_checkpoint_runs (status, since);
   CREATE INDEX kumiko_checkpoint_runs_by_due ON kumiko_checkpoint_runs (due) WHERE due IS NOT NULL;
   CREATE TRIGGER kumiko_checkpoint_created AFTER INSERT ON kumiko_checkpoints
     BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.base; END;
   CREATE TRIGGER kumiko_checkpoint_replaced AFTER UPDATE OF base ON kumiko_checkpoints
     BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.base; END;
   CREATE TRIGGER kumiko_checkpoint_appended AFTER INSERT ON kumiko_checkpoint_entries
     BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.version; END;
   CREATE TRIGGER kumiko_checkpoint_entries_replaced AFTER UPDATE OF base ON kumiko_checkpoints
     BEGIN DELETE FROM kumiko_checkpoint_entries WHERE base = OLD.base; END;
   CREATE TRIGGER kumiko_checkpoint_entries_removed AFTER DELETE ON kumiko_checkpoints
     BEGIN DELETE FROM kumiko_checkpoint_entries WHERE base = OLD.base; END;
   CREATE TRIGGER kumiko_checkpoint_runs_replaced AFTER UPDATE OF listed ON kumiko_checkpoints WHEN OLD.listed AND NOT NEW.listed
     BEGIN DELETE FROM kumiko_checkpoint_runs WHERE id = OLD.id; END;
   CREATE TRIGGER kumiko_checkpoint_runs_removed AFTER DELETE ON kumiko_checkpoints WHEN OLD.listed
     BEGIN DELETE FROM kumiko_checkpoint_runs WHERE id = OLD.id; END;`,
};

/** Creates the tables of checkpoints. */
export const prepareCheckpoints = (connection: SqliteConnection, file: string): void =>
  prepareTables(connection, file, checkpoints);

/** Creates the tables of one part if there are none. Any number of processes may do so at once. */
export function prepareTables(connection: SqliteConnection, file: string, expected: TableLayout): void {
  const { part, layout, script, tables } = expected;
  const isThere = (): boolean => {
    const found = layoutOf(connection, file, part);
    if (found === undefined || found === layout) return found !== undefined;
    throw otherLayout(file, found, { layout, part, tables: namesOf(connection, tables) });
  };
  if (isThere()) return;
  connection.transaction("write", () => {
    if (isThere()) return; // checked again, now that no other process can change it
    connection.run(script);
    connection.run(`CREATE TABLE IF NOT EXISTS kumiko_schema (part TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL);
      INSERT INTO kumiko_schema (part, version) VALUES ('${part}', ${layout})`);
  });
}

/** The layout of a part's tables; `undefined` if it has none. */
function layoutOf(connection: SqliteConnection, file: string, part: string): number | undefined {
  const [table] = connection.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kumiko_schema'");
  if (table === undefined) return undefined;
  const [row] = connection.query("SELECT version FROM kumiko_schema WHERE part = ?", part);
  if (row === undefined) return undefined;
  if (typeof row.version === "number") return row.version;
  throw foreignTables(file, "the version in kumiko_schema is not a number");
}

function namesOf(connection: SqliteConnection, tables: RegExp): string[] {
  const rows = connection.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  return rows.map(({ name }) => String(name)).filter((name) => tables.test(name));
}
