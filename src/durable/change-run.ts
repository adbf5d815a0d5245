import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { JsonRecord } from "../checkpoint/document/json-parts.js";
import { indexToPut } from "../checkpoint/document/read-document.js";
import { isConflict } from "../checkpoint/errors.js";
import { storeError } from "../checkpoint/journal/store-calls.js";
import type { RunStatus } from "../checkpoint/runs/run-index.js";
import { bytesOf } from "../checkpoint/values/text-bytes.js";
import type { SavedRun } from "../compose/segment.js";
import { type ReadContext, readRun, type StoredRun, savedRunOf } from "./read-run.js";

/** The head of a document as it becomes. What is left out is cleared, but for `since`, `attempts` and `answered`. */
export interface ChangedHead {
  readonly status: RunStatus;
  readonly since?: number | undefined;
  readonly attempts?: number | undefined;
  readonly due?: number | undefined;
  /** Recorded answers, each as JSON of a slot. */
  readonly answers?: JsonRecord | undefined;
  /** As JSON of a slot. */
  readonly error?: unknown;
}

/** Returns what becomes of a run; `undefined` if it stays as it is. */
export type Change = (stored: StoredRun) => ChangedHead | undefined | Promise<ChangedHead | undefined>;

/** Changes the head of a run by compare-and-swap: when others have written, it is read again. `undefined` without a run. */
export async function changeRun(context: ReadContext, id: string, change: Change): Promise<SavedRun | undefined> {
  for (;;) {
    const stored = await readRun(context, id);
    if (stored === undefined) return undefined;
    const head = await change(stored);
    if (head === undefined) return savedRunOf(id, stored.document, context.now());
    try {
      await write(context.store, id, stored, head);
    } catch (error) {
      if (isConflict(error)) continue;
      throw storeError("write", id, error);
    }
    const changed = await readRun(context, id);
    return changed && savedRunOf(id, changed.document, context.now());
  }
}

async function write(store: CheckpointStore, id: string, { row, tree }: StoredRun, head: ChangedHead): Promise<void> {
  tree.apply({ head: { ...head } });
  const document = tree.finish();
  const index = indexToPut(document);
  if (store.append === undefined) await store.put(id, bytesOf(JSON.stringify(document)), row.version, index);
  else await store.append(id, bytesOf(JSON.stringify({ head })), row.version, index);
}
