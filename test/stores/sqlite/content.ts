import type { CheckpointStore } from "kumiko";
import type { StoredCheckpoint } from "kumiko/compose";

/** Between 1 byte and some pages of SQLite, of which none is like another. */
export function contentOf(count: number): Uint8Array {
  const length = 1 + ((count * 7_919) % 40_000);
  return Uint8Array.from({ length }, (_, index) => (index * 31 + count * 17 + (index >> 8)) & 0xff);
}

/** Which count has content of this length; there is one only. */
export function countOf({ length }: Uint8Array): number {
  for (let count = 0; ; count++) if (1 + ((count * 7_919) % 40_000) === length) return count;
}

/** How often the program `append` replaces all that it has appended. */
export const baseEvery = 7;

/** What stands in the row of the program `append` once it has written so much. */
export function rowOf(count: number): Omit<StoredCheckpoint, "version"> {
  const appended = Array.from({ length: count % baseEvery }, (_, n) => contentOf(count - (count % baseEvery) + 1 + n));
  const data = contentOf(count - (count % baseEvery));
  return appended.length === 0 ? { data } : { data, appended };
}

export async function appendTo(
  store: CheckpointStore,
  id: string,
  data: Uint8Array,
  ifVersion: number,
): Promise<number> {
  const version = await store.append?.(id, data, ifVersion);
  if (version === undefined) throw new Error("The store does not append.");
  return version;
}
