import { KumikoError } from "../../errors.js";
import { putGaveNoVersion, storeCallFailed } from "../checkpoint-errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";

/** Calls a store. Foreign errors are wrapped in one that says what was tried. */
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

/** Reads what is stored under an id. Many databases return `null` where there is nothing. */
export async function readRow(store: CheckpointStore, id: string): Promise<StoredCheckpoint | undefined> {
  try {
    return (await store.get(id)) ?? undefined;
  } catch (error) {
    throw storeError("read", id, error);
  }
}

/** Checks the version that `put` returned: without one, later writes could not be fenced. */
export function versionOf(given: unknown, id: string): number {
  if (typeof given === "number" && Number.isSafeInteger(given)) return given;
  throw putGaveNoVersion(id, given);
}

export function storeError(what: string, id: string, error: unknown): KumikoError {
  return KumikoError.is(error) ? error : storeCallFailed(what, id, error);
}

/** Whether the run was taken over. */
export function isLost(error: unknown): boolean {
  return KumikoError.is(error) && error.code === "CHECKPOINT_LOST";
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
