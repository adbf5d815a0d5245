import type { JsonRecord } from "../checkpoint/document/json-parts.js";
import { changeHead, cleared } from "../checkpoint/runs/change-head.js";
import type { RunStatus } from "../checkpoint/runs/run-index.js";
import type { SavedRun } from "../compose/segment.js";
import { type ReadContext, readRun, type StoredRun, stateOf } from "./read-run.js";

/** The head of a document as it becomes. What is left out is cleared, but for `since` and `attempts`. */
export interface ChangedHead {
  readonly status: RunStatus;
  readonly since?: number;
  readonly attempts?: number;
  readonly due?: number | undefined;
  /** Recorded answers, each as JSON of a slot. */
  readonly answers?: JsonRecord;
}

/** Returns what becomes of a run; `undefined` if it stays as it is. */
export type Change = (stored: StoredRun) => ChangedHead | undefined | Promise<ChangedHead | undefined>;

/** Changes the head of a run by compare-and-swap: when others have written, it is read again. `undefined` without a run. */
export async function changeRun(context: ReadContext, id: string, change: Change): Promise<SavedRun | undefined> {
  for (;;) {
    const stored = await readRun(context, id);
    if (stored === undefined) return undefined;
    const head = await change(stored);
    if (head === undefined) return stateOf(id, stored.document, context.now());
    if (!(await changeHead(context.store, id, stored.row, { ...cleared, ...head }))) continue;
    const changed = await readRun(context, id);
    return changed && stateOf(id, changed.document, context.now());
  }
}
