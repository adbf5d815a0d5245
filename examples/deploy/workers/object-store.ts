// A checkpoint store in the database of a Durable Object. A checkpoint may have 2 MB, which is the limit of Cloudflare for a row.
import { type CheckpointStore, KumikoError } from "kumiko";

/** `ctx.storage.sql`, as far as it is used here. */
export interface SqlStorage {
  exec(statement: string, ...values: unknown[]): { toArray(): Record<string, unknown>[] };
}

export function objectStore(sql: SqlStorage): CheckpointStore {
  const all = (statement: string, ...values: unknown[]) => sql.exec(statement, ...values).toArray();
  all("CREATE TABLE IF NOT EXISTS checkpoints (key TEXT PRIMARY KEY, version INTEGER NOT NULL, data BLOB NOT NULL)");
  all("CREATE TABLE IF NOT EXISTS entries (key TEXT, version INTEGER, data BLOB NOT NULL, PRIMARY KEY (key, version))");
  all("CREATE TABLE IF NOT EXISTS versions (number INTEGER PRIMARY KEY AUTOINCREMENT)");
  all("CREATE TABLE IF NOT EXISTS owners (name TEXT PRIMARY KEY)");
  // there is one object at a time, so who has claimed a run before this one was loaded is gone
  const gone = new Set(all("SELECT name FROM owners").map(({ name }) => name));

  const check = (id: string, ifVersion: number | undefined): void => {
    const [found] = all("SELECT version FROM checkpoints WHERE key = ?", keyOf(id));
    if (found?.version !== ifVersion)
      throw new KumikoError("CHECKPOINT_CONFLICT", `"${id}" has another version than ${ifVersion}.`);
  };
  const nextVersion = (): number => {
    const [row] = all("INSERT INTO versions DEFAULT VALUES RETURNING number");
    all("DELETE FROM versions");
    return Number(row?.number);
  };
  const noteOwner = (owner: string | undefined): void => {
    if (owner === undefined) return;
    gone.delete(owner);
    all("INSERT OR IGNORE INTO owners VALUES (?)", owner);
  };

  // the statements of a method run in one go: nothing comes in between, and they are saved together
  return {
    get: async (id) => {
      const [row] = all("SELECT version, data FROM checkpoints WHERE key = ?", keyOf(id));
      if (row === undefined) return undefined;
      const entries = all("SELECT version, data FROM entries WHERE key = ? ORDER BY version", keyOf(id));
      return { data: bytesOf(row), appended: entries.map(bytesOf), version: Number(row.version) };
    },
    put: async (id, data, ifVersion, index) => {
      check(id, ifVersion);
      const version = nextVersion();
      all("DELETE FROM entries WHERE key = ?", keyOf(id));
      all("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)", keyOf(id), version, data.slice().buffer);
      noteOwner(index?.owner);
      return version;
    },
    append: async (id, data, ifVersion, index) => {
      check(id, ifVersion);
      const version = nextVersion();
      all("INSERT INTO entries VALUES (?, ?, ?)", keyOf(id), version, data.slice().buffer);
      all("UPDATE checkpoints SET version = ? WHERE key = ?", version, keyOf(id));
      noteOwner(index?.owner);
      return version;
    },
    delete: async (id, ifVersion) => {
      if (ifVersion !== undefined) check(id, ifVersion);
      all("DELETE FROM checkpoints WHERE key = ?", keyOf(id));
      all("DELETE FROM entries WHERE key = ?", keyOf(id));
    },
    async *list(prefix) {
      const start = keyOf(prefix);
      const found = all("SELECT key FROM checkpoints WHERE substr(key, 1, ?) = ? ORDER BY key", start.length, start);
      const ids = found.map(({ key }) => idOf(String(key)));
      yield* ids.filter((id) => prefix.startsWith("~") || !id.startsWith("~"));
    },
    isOwnerAlive: async (owner) => !gone.has(owner),
  };
}

const bytesOf = ({ data }: Record<string, unknown>): Uint8Array => new Uint8Array(data as ArrayBuffer);

/** Any string as a text that SQLite can hold, in the order of code points. */
const keyOf = (id: string): string =>
  Array.from(id, (one) => one.codePointAt(0)?.toString(16).padStart(6, "0")).join("");
const idOf = (key: string): string =>
  (key.match(/.{6}/g) ?? []).map((code) => String.fromCodePoint(Number.parseInt(code, 16))).join("");
