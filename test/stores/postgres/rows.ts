import type { CheckpointStore } from "../../../src/checkpoint/checkpoint-store.js";

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
