import type { StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import { idFromBytes, idToBytes, rangesOfPrefix } from "../id-bytes.js";
import { asBytes, type SqliteConnection } from "./connection.js";

const nextVersion = "(SELECT last + 1 FROM kumiko_checkpoint_versions)";
/** The version of a checkpoint: that of its last entry, or of its base. */
const version = `coalesce((SELECT max(entry.version) FROM kumiko_checkpoint_entries AS entry
    WHERE entry.base = kumiko_checkpoints.base), kumiko_checkpoints.base)`;
const statements = {
  get: `SELECT base AS version, data FROM kumiko_checkpoints WHERE id = ?
    UNION ALL SELECT version, data FROM kumiko_checkpoint_entries
    WHERE base = (SELECT base FROM kumiko_checkpoints WHERE id = ?) ORDER BY version`,
  version: `SELECT ${version} AS version FROM kumiko_checkpoints WHERE id = ?`,
  create: `INSERT INTO kumiko_checkpoints (id, data, listed, base) VALUES (?, ?, ?, ${nextVersion}) ON CONFLICT (id) DO NOTHING
    RETURNING base AS version`,
  replace: `UPDATE kumiko_checkpoints SET data = ?, listed = ?, base = ${nextVersion} WHERE id = ? AND ${version} = ?
    RETURNING base AS version`,
  append: `INSERT INTO kumiko_checkpoint_entries (version, base, data) SELECT ${nextVersion}, base, ? FROM kumiko_checkpoints
    WHERE id = ? AND ${version} = ? RETURNING version`,
  remove: "DELETE FROM kumiko_checkpoints WHERE id = ?",
  removeVersion: `DELETE FROM kumiko_checkpoints WHERE id = ? AND ${version} = ? RETURNING 1`,
  page: "SELECT id FROM kumiko_checkpoints WHERE id >= ? AND id < ? ORDER BY id LIMIT 256",
};

/** Reads base and entries in one statement, so that they are consistent. The version of an entry is greater than that of its base. */
export function readCheckpointRow(connection: SqliteConnection, id: string): StoredCheckpoint | undefined {
  const key = idToBytes(id);
  const [base, ...entries] = connection.query(statements.get, key, key);
  if (base === undefined) return undefined;
  const data = asBytes(base.data);
  const last = entries.at(-1);
  if (last === undefined) return { data, version: Number(base.version) };
  return { data, appended: entries.map((entry) => asBytes(entry.data)), version: Number(last.version) };
}

/** The current version of an id. */
export function findVersion(connection: SqliteConnection, id: string): number | undefined {
  const [row] = connection.query(statements.version, idToBytes(id));
  return row && Number(row.version);
}

/** Returns the new version; `undefined` when the row already exists. `listed`: whether it has an index. */
export function createRow(
  connection: SqliteConnection,
  id: string,
  data: Uint8Array,
  listed: boolean,
): number | undefined {
  const [row] = connection.query(statements.create, idToBytes(id), data, Number(listed));
  return row && Number(row.version);
}

/** Returns the new version; `undefined` when the row does not have the given one. */
export function replaceRow(
  connection: SqliteConnection,
  id: string,
  data: Uint8Array,
  listed: boolean,
  version: number,
): number | undefined {
  const [row] = connection.query(statements.replace, data, Number(listed), idToBytes(id), version);
  return row && Number(row.version);
}

/** Returns the new version; `undefined` when the row does not have the given one. */
export function appendEntry(
  connection: SqliteConnection,
  id: string,
  data: Uint8Array,
  version: number,
): number | undefined {
  const [row] = connection.query(statements.append, data, idToBytes(id), version);
  return row && Number(row.version);
}

export function removeRow(connection: SqliteConnection, id: string): void {
  connection.query(statements.remove, idToBytes(id));
}

/** Returns whether the row had this version. */
export function removeVersion(connection: SqliteConnection, id: string, version: number): boolean {
  return connection.query(statements.removeVersion, idToBytes(id), version).length > 0;
}

/** Reads ids page by page, so that no transaction stays open while the caller handles them. `use` provides the connection. */
export async function* listIds(
  prefix: string,
  use: <T>(work: (connection: SqliteConnection) => T) => Promise<T>,
): AsyncGenerator<string, void, undefined> {
  for (const { from, before } of rangesOfPrefix(prefix)) {
    for (let next: Uint8Array | undefined = from; next !== undefined; ) {
      const start: Uint8Array = next;
      const rows = await use((connection) => connection.query(statements.page, start, before));
      next = undefined;
      for (const { id } of rows) {
        const bytes = asBytes(id);
        yield idFromBytes(bytes);
        next = Uint8Array.of(...bytes, 0); // the first bytes after these
      }
    }
  }
}
