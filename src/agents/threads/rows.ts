import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isConflict } from "../../checkpoint/errors.js";
import { readRow as readStored, storeError } from "../../checkpoint/journal/store-calls.js";

/** What a row becomes that goes away. */
export const removed: unique symbol = Symbol("removed");

/** A row as it was read. Both are `undefined` for one that is not there; a damaged one has a version only. */
export interface FoundRow<Row> {
  readonly row: Row | undefined;
  readonly version: number | undefined;
}

/** Reads the bytes of a row; `undefined` for one that is damaged. */
type Decode<Row> = (data: Uint8Array) => Row | undefined;

export async function readRow<Row>(store: CheckpointStore, key: string, decode: Decode<Row>): Promise<FoundRow<Row>> {
  const stored = await readStored(store, key);
  return { row: stored && decode(stored.data), version: stored?.version };
}

/**
 * Changes a row by compare-and-swap. `change` returns what becomes of it, or `undefined` if it stays as it is, and is asked again when
 * others have written. Returns the row as it is now, or was before it was removed; `undefined` if it stays as it is.
 */
export async function changeRow<Row>(
  store: CheckpointStore,
  key: string,
  {
    decode,
    change,
    known,
  }: {
    readonly decode: Decode<Row>;
    readonly change: (row: Row | undefined) => Row | typeof removed | undefined;
    /** Saves the first read. */
    readonly known?: FoundRow<Row> | undefined;
  },
): Promise<FoundRow<Row> | undefined> {
  let found = known ?? (await readRow(store, key, decode));
  for (;;) {
    const next = change(found.row);
    if (next === undefined) return undefined;
    try {
      if (next !== removed) return { row: next, version: await store.put(key, rowBytes(next), found.version) };
      if (found.version !== undefined) await store.delete(key, found.version);
      return found;
    } catch (error) {
      if (!isConflict(error)) throw storeError("write", key, error);
    }
    found = await readRow(store, key, decode);
  }
}

/** Removes a row, unless somebody has written to it since. */
export async function removeIf(store: CheckpointStore, key: string, version: number): Promise<void> {
  await store.delete(key, version).catch((error: unknown) => {
    if (!isConflict(error)) throw storeError("remove", key, error);
  });
}

/** Every key with a prefix, as far as the store knows them now: it may be changed meanwhile. */
export async function keysOf(store: CheckpointStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  try {
    for await (const key of store.list(prefix)) keys.push(key);
  } catch (error) {
    throw storeError("list", prefix, error);
  }
  return keys;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const rowBytes = (row: unknown): Uint8Array => encoder.encode(JSON.stringify(row));

/** The value in a row; `undefined` for bytes that are not JSON. */
export function parseRow(data: Uint8Array | undefined): unknown {
  if (data === undefined) return undefined;
  try {
    return JSON.parse(decoder.decode(data));
  } catch {
    return undefined;
  }
}
