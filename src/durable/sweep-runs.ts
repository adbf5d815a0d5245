import { isConflict } from "../checkpoint/errors.js";
import { dropHistory, fitsHistory } from "../checkpoint/history/segments.js";
import { readRow, storeError } from "../checkpoint/journal/store-calls.js";
import type { RunStatus } from "../checkpoint/runs/run-index.js";
import { allRows } from "./find-rows.js";
import { type ReadContext, readState } from "./read-run.js";
import { threadOfRun } from "./run-ids.js";

/** The least ages of runs to be removed, in milliseconds since their status changed. */
export interface SweepOptions {
  /** Of runs that have finished. */
  readonly finishedMs: number;
  /** Of runs that have failed, were cancelled or stopped. @default they stay */
  readonly failedMs?: number | undefined;
  /** Of runs that wait for answers. @default they stay */
  readonly waitingMs?: number | undefined;
}

export async function sweepRuns(context: ReadContext, prefix: string, options: SweepOptions): Promise<number> {
  const { finishedMs, failedMs, waitingMs } = options;
  const ages: readonly (readonly [readonly RunStatus[], number | undefined])[] = [
    [["finished"], finishedMs],
    [["failed", "cancelled", "stopped"], failedMs],
    [["waiting"], waitingMs],
  ];
  let removed = 0;
  for (const [status, age] of ages) {
    if (age !== undefined) removed += await sweepOf(context, { status, prefix, before: context.now() - age });
  }
  return removed;
}

interface Swept {
  readonly status: readonly RunStatus[];
  readonly prefix: string;
  /** Milliseconds since 1970. */
  readonly before: number;
}

async function sweepOf(context: ReadContext, { status, prefix, before }: Swept): Promise<number> {
  let removed = 0;
  for await (const row of allRows(context.store, { status, prefix })) {
    if (row.since > before) break;
    if (threadOfRun(row.id) !== undefined) continue;
    const found = await readState(context, row.id, row);
    const isOld = found !== undefined && status.includes(found.run.status) && found.run.changedAt.getTime() <= before;
    if (isOld && (await remove(context, row.id, found.version))) removed += 1;
  }
  return removed;
}

/** `false` if someone has written to the run in the meantime. */
async function remove({ store }: ReadContext, id: string, version: number): Promise<boolean> {
  try {
    await store.delete(id, version);
  } catch (error) {
    if (isConflict(error)) return false;
    throw storeError("remove", id, error);
  }
  // a new run under the id has a history of its own
  if (fitsHistory(id) && (await readRow(store, id)) === undefined) await dropHistory(store, id);
  return true;
}
