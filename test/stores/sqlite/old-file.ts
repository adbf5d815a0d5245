import { idToBytes } from "../../../src/stores/id-bytes.js";
import { SqliteDatabase } from "../../../src/stores/sqlite/database.js";

/** The tables of layout 1. */
const firstSchema = `
  CREATE TABLE kumiko_checkpoints (id BLOB NOT NULL PRIMARY KEY, version INTEGER NOT NULL, data BLOB NOT NULL);
  CREATE TABLE kumiko_checkpoint_versions (last INTEGER NOT NULL);
  INSERT INTO kumiko_checkpoint_versions (last) VALUES (0);
  CREATE TRIGGER kumiko_checkpoint_created AFTER INSERT ON kumiko_checkpoints
    BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.version; END;
  CREATE TRIGGER kumiko_checkpoint_replaced AFTER UPDATE ON kumiko_checkpoints
    BEGIN UPDATE kumiko_checkpoint_versions SET last = NEW.version; END;
  CREATE TABLE kumiko_schema (part TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL);
  INSERT INTO kumiko_schema (part, version) VALUES ('checkpoints', 1);`;

const create = `INSERT INTO kumiko_checkpoints (id, data, version)
  VALUES (?, ?, (SELECT last + 1 FROM kumiko_checkpoint_versions)) ON CONFLICT (id) DO NOTHING RETURNING version`;

/** A file with tables of layout 1, and these rows. */
export async function makeOldFile(file: string, rows: Readonly<Record<string, string>>): Promise<void> {
  const database = openRaw(file);
  await database.use((connection) => connection.run(firstSchema));
  for (const [id, text] of Object.entries(rows))
    await database.use((connection) => connection.query(create, idToBytes(id), new TextEncoder().encode(text)));
  await database.close();
}

/** A file as it is, without tables made. */
export function openRaw(file: string): SqliteDatabase {
  return new SqliteDatabase({
    store: "sqliteStore",
    file,
    location: file,
    synchronous: "normal",
    patienceSeconds: 30,
    prepare: () => undefined,
  });
}
