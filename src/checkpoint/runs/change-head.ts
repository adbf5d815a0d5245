import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";
import type { JsonRecord } from "../document/json-parts.js";
import { indexToPut, readTree } from "../document/read-document.js";
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

/** Changes the head of a stored document without reading its values; rejects with a conflict if it was written since. */
export function changeHead(
  store: CheckpointStore,
  id: string,
  stored: StoredCheckpoint,
  change: HeadChange,
): Promise<number> {
  const document = readTree(stored).finish();
  const head: JsonRecord = {};
  for (const field of fields) head[field] = Object.hasOwn(change, field) ? change[field] : document[field];
  const changed = { ...document, ...head };
  const index = indexToPut(changed);
  if (store.append === undefined) return store.put(id, bytesOf(JSON.stringify(changed)), stored.version, index);
  return store.append(id, bytesOf(JSON.stringify({ head })), stored.version, index);
}
