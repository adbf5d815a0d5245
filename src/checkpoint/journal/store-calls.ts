import { KumikoError } from "../../errors.js";
import { putGaveNoVersion, storeCallFailed } from "../checkpoint-errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";

/** Calls a store. Whatever it throws becomes an error of the library, which says what was tried. */
export async function callStore<T>(
  what: string,
  id: string,
  call: () => Promise<T> | undefined,
): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    throw storeError(what, id, error);
  }
}

/** What is stored under an id. Many databases say `null` where there is nothing. */
export async function readRow(store: CheckpointStore, id: string): Promise<StoredCheckpoint | undefined> {
  try {
    return (await store.get(id)) ?? undefined;
  } catch (error) {
    throw storeError("read", id, error);
  }
}

/** The version that `put` gave. Throws when it is none: without one, no later write could be told from somebody else's. */
export function versionOf(given: unknown, id: string): number {
  if (typeof given === "number" && Number.isSafeInteger(given)) return given;
  throw putGaveNoVersion(id, given);
}

export function storeError(what: string, id: string, error: unknown): KumikoError {
  return KumikoError.is(error) ? error : storeCallFailed(what, id, error);
}

/** Somebody else has written meanwhile. */
export function isConflict(error: unknown): boolean {
  return KumikoError.is(error) && error.code === "CHECKPOINT_CONFLICT";
}

/** The run was taken over. */
export function isLost(error: unknown): boolean {
  return KumikoError.is(error) && error.code === "CHECKPOINT_LOST";
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
