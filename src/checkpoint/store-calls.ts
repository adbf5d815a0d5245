import { KumikoError } from "../errors.js";
import { storeCallFailed } from "./checkpoint-errors.js";

/** Calls a store. Whatever it throws is an error of the library, which says what was tried. */
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
