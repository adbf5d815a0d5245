import { parseRow, rowBytes } from "../../agents/threads/rows.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isConflict } from "../../checkpoint/errors.js";
import { callStore, readRow } from "../../checkpoint/journal/store-calls.js";
import { isFields } from "../../is.js";

/** Where it is written which turn of a thread has the `runId` of a caller: the turn is saved under its place in the thread. */
const keyOf = (runId: string): string =>
  `~mastra/run/${encodeURIComponent(runId.replace(/\p{Surrogate}/gu, "\ufffd"))}`;

/** Gives a run that waits a name, by which every process finds it. The name may have belonged to an earlier run. */
export async function nameRun(store: CheckpointStore, runId: string, checkpointId: string): Promise<void> {
  const key = keyOf(runId);
  for (;;) {
    const found = await readRow(store, key);
    if (found !== undefined && checkpointOf(found.data) === checkpointId) return;
    try {
      await callStore("write", key, () => store.put(key, rowBytes({ checkpointId }), found?.version));
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

/** The id under which a run is saved: its name is that id, unless it was given to a turn of a thread. */
export async function savedIdOf(store: CheckpointStore, runId: string): Promise<string> {
  if (runId.startsWith("~") || (await readRow(store, runId)) !== undefined) return runId;
  const named = await readRow(store, keyOf(runId));
  return (named && checkpointOf(named.data)) ?? runId;
}

/** Forgets the name of a run that has ended. */
export async function forgetRun(store: CheckpointStore, runId: string): Promise<void> {
  const key = keyOf(runId);
  await callStore("remove", key, () => store.delete(key));
}

function checkpointOf(data: Uint8Array): string | undefined {
  const row = parseRow(data);
  return isFields(row) && typeof row.checkpointId === "string" ? row.checkpointId : undefined;
}
