import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isFields } from "../../is.js";
import { keysOf, parseRow, rowBytes } from "./rows.js";

/** Notes beside a turn that a log has its events, so that they go with it. `log` is the key of the log's head. */
export async function noteEvents(store: CheckpointStore, turn: string, log: string): Promise<void> {
  const stored = (await store.get(keyOf(turn))) ?? undefined;
  const logs = logsIn(stored?.data);
  if (logs.includes(log)) return;
  await store.put(keyOf(turn), rowBytes([...logs, log]), stored?.version);
}

/** Removes the recorded events of a turn. A log that has begun with another turn since stays. */
export async function removeEvents(store: CheckpointStore, turn: string): Promise<void> {
  const stored = (await store.get(keyOf(turn))) ?? undefined;
  if (stored === undefined) return;
  for (const log of logsIn(stored.data)) {
    const head = parseRow((await store.get(log))?.data);
    if (!isFields(head) || head.turn !== turn) continue;
    await store.delete(log);
    for (const key of await keysOf(store, `${log}/`)) await store.delete(key);
  }
  await store.delete(keyOf(turn));
}

const keyOf = (turn: string): string => `${turn}/events`;

function logsIn(data: Uint8Array | undefined): string[] {
  const logs = parseRow(data);
  return Array.isArray(logs) ? logs.filter((log) => typeof log === "string") : [];
}
