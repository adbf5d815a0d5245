import type { CheckpointStore } from "kumiko";

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export async function idsOf(store: CheckpointStore, prefix: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of store.list(prefix)) ids.push(id);
  return ids;
}

/** The text under an id. */
export async function textOf(store: CheckpointStore, id: string): Promise<string | undefined> {
  const found = await store.get(id);
  return found && new TextDecoder().decode(found.data);
}

/** 40 kB that belong to one id only: what is cut off or mixed up does not look like it. */
export function contentOf(id: string): string {
  const line = `${id}\n`;
  return line.repeat(Math.ceil(40_000 / line.length));
}

/** The texts of the entries under an id. */
export async function entriesOf(store: CheckpointStore, id: string): Promise<string[]> {
  const { appended = [] } = (await store.get(id)) ?? {};
  return appended.map((entry) => new TextDecoder().decode(entry));
}

export async function appendTo(store: CheckpointStore, id: string, text: string, ifVersion: number): Promise<number> {
  const version = await store.append?.(id, bytes(text), ifVersion);
  if (version === undefined) throw new Error("The store does not append.");
  return version;
}

/** A table of layout 1, with two rows. */
export const oldTable = (table: string): string => `
CREATE TABLE ${table} (
  id bytea PRIMARY KEY,
  version bigint GENERATED ALWAYS AS IDENTITY,
  data bytea NOT NULL,
  session_lock bigint
);
CREATE INDEX ON ${table} (session_lock) WHERE session_lock IS NOT NULL;
COMMENT ON TABLE ${table} IS 'Checkpoints of kumiko, layout 1';
INSERT INTO ${table} (id, data) VALUES ('a', 'first'), ('b', 'second');`;
