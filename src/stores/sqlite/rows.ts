import type { StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import { idFromBytes, idToBytes, rangesOfPrefix } from "../id-bytes.js";
import { asBytes, type SqliteConnection } from "./connection.js";

const nextVersion = "(SELECT last + 1 FROM kumiko_checkpoint_versions)";
const statements = {
  get: "SELECT version, data FROM kumiko_checkpoints WHERE id = ?",
  version: "SELECT version FROM kumiko_checkpoints WHERE id = ?",
  create: `INSERT INTO kumiko_checkpoints (id, data, version) VALUES (?, ?, ${nextVersion}) ON CONFLICT (id) DO NOTHING
    RETURNING version`,
  replace: `UPDATE kumiko_checkpoints SET data = ?, version = ${nextVersion} WHERE id = ? AND version = ? RETURNING version`,
  remove: "DELETE FROM kumiko_checkpoints WHERE id = ?",
  removeVersion: "DELETE FROM kumiko_checkpoints WHERE id = ? AND version = ? RETURNING version",
  page: "SELECT id FROM kumiko_checkpoints WHERE id >= ? AND id < ? ORDER BY id LIMIT 256",
};

export function readRow(connection: SqliteConnection, id: string): StoredCheckpoint | undefined {
  const [row] = connection.query(statements.get, idToBytes(id));
  return row && { data: asBytes(row.data), version: Number(row.version) };
}

/** Which version stands under an id. */
export function findVersion(connection: SqliteConnection, id: string): number | undefined {
  const [row] = connection.query(statements.version, idToBytes(id));
  return row && Number(row.version);
}

/** The version that it gets; `undefined` when there is one already. */
export function createRow(connection: SqliteConnection, id: string, data: Uint8Array): number | undefined {
  const [row] = connection.query(statements.create, idToBytes(id), data);
  return row && Number(row.version);
}

/** The version that it gets; `undefined` when it does not have this one. */
export function replaceRow(
  connection: SqliteConnection,
  id: string,
  data: Uint8Array,
  version: number,
): number | undefined {
  const [row] = connection.query(statements.replace, data, idToBytes(id), version);
  return row && Number(row.version);
}

export function removeRow(connection: SqliteConnection, id: string): void {
  connection.query(statements.remove, idToBytes(id));
}

/** Whether there was this version. */
export function removeVersion(connection: SqliteConnection, id: string, version: number): boolean {
  return connection.query(statements.removeVersion, idToBytes(id), version).length > 0;
}

/** Reads ids page by page, so that no transaction stays open between two of them. `use` lends the connection. */
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
