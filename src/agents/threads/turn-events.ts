import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isFields } from "../../is.js";

const encoder = new TextEncoder();

/** Notes beside a turn that a log has its events, so that they go with it. `log` is the key of the log's head. */
export async function noteEvents(store: CheckpointStore, turn: string, log: string): Promise<void> {
  const stored = (await store.get(keyOf(turn))) ?? undefined;
  const logs = logsIn(stored?.data);
  if (logs.includes(log)) return;
  await store.put(keyOf(turn), encoder.encode(JSON.stringify([...logs, log])), stored?.version);
}

/** Removes the recorded events of a turn. A log that has begun with another turn since stays. */
export async function removeEvents(store: CheckpointStore, turn: string): Promise<void> {
  const stored = (await store.get(keyOf(turn))) ?? undefined;
  if (stored === undefined) return;
  for (const log of logsIn(stored.data)) {
    const head = parse((await store.get(log))?.data);
    if (!isFields(head) || head.turn !== turn) continue;
    await store.delete(log);
    const keys: string[] = [];
    for await (const key of store.list(`${log}/`)) keys.push(key);
    for (const key of keys) await store.delete(key);
  }
  await store.delete(keyOf(turn));
}

const keyOf = (turn: string): string => `${turn}/events`;

function logsIn(data: Uint8Array | undefined): string[] {
  const logs = parse(data);
  return Array.isArray(logs) ? logs.filter((log) => typeof log === "string") : [];
}

/** `undefined` for what is not there, or not JSON. */
function parse(data: Uint8Array | undefined): unknown {
  if (data === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch {
    return undefined;
  }
}
