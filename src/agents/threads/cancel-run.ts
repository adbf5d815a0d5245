import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { stopThread } from "./change-thread.js";
import { changeHeadOf } from "./settle-run.js";
import { changeTurn, clearTurn, readEnds, type TurnChange, turnKey, turnOfRunId } from "./turn-row.js";

/** Cancels the run of a turn: the turn is aborted, and its run goes. `false` if the id is that of no turn. */
export async function cancelTurn(store: CheckpointStore, runId: string): Promise<boolean> {
  const { id, number } = turnOfRunId(runId) ?? {};
  if (id === undefined || number === undefined) return false;
  const last = (await readEnds(store, id))?.last.record.number;
  if (last === number) await stopThread(store, id);
  else if (last === undefined || last < number) await clearTurn(store, turnKey(id, number));
  return true;
}

/** Lets workers go on with the newest turn of a thread, if it has failed: it is cut off, and its run ready. */
export async function retryTurn(store: CheckpointStore, runId: string): Promise<void> {
  const { id, number } = turnOfRunId(runId) ?? {};
  const last = id === undefined ? undefined : (await readEnds(store, id))?.last;
  if (last === undefined || last.record.number !== number || last.record.status !== "failed") return;
  const reopen: TurnChange = (record) => (record?.status === "failed" ? { ...record, status: "open" } : undefined);
  // before it is open: from then on others may take it, and would go on counting
  await changeHeadOf(store, runId, { status: "failed", attempts: 0 });
  const opened = await changeTurn(store, last.key, reopen, last);
  if (opened !== undefined) await changeHeadOf(store, runId, { status: "ready" }, "failed");
}
