import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";
import type { JsonRecord } from "../document/json-parts.js";
import { indexToPut, readTree } from "../document/read-document.js";
import { isConflict } from "../errors.js";
import { storeError } from "../journal/store-calls.js";
import { bytesOf } from "../values/text-bytes.js";

const fields = [
  "status",
  "since",
  "owner",
  "claim",
  "attempts",
  "due",
  "answered",
  "requested",
  "error",
  "answers",
] as const;

/** Fields at the head of a document, as JSON. What is left out stays; `undefined` removes. */
export type HeadChange = { readonly [Field in (typeof fields)[number]]?: unknown };

/** Of a run that nobody has, and that nothing is asked of. */
export const released = {
  owner: undefined,
  claim: undefined,
  due: undefined,
  requested: undefined,
} satisfies HeadChange;

/** The same of one whose answers and error are forgotten too. */
export const cleared = { ...released, error: undefined, answers: undefined } satisfies HeadChange;

/** Changes the head of a stored document without reading its values. `false` if it was written since: then it stays as it is. */
export async function changeHead(
  store: CheckpointStore,
  id: string,
  stored: StoredCheckpoint,
  change: HeadChange,
): Promise<boolean> {
  const document = readTree(stored).finish();
  const head: JsonRecord = {};
  for (const field of fields) head[field] = Object.hasOwn(change, field) ? change[field] : document[field];
  const changed = { ...document, ...head };
  const index = indexToPut(changed);
  try {
    if (store.append === undefined) await store.put(id, bytesOf(JSON.stringify(changed)), stored.version, index);
    else await store.append(id, bytesOf(JSON.stringify({ head })), stored.version, index);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw storeError("write", id, error);
  }
}
