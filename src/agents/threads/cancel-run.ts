import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { stopThread } from "./change-thread.js";
import { clearTurn, readEnds, turnKey, turnOfRunId } from "./turn-row.js";

/** Cancels the run of a turn: the turn is aborted, and its run goes. `false` if the id is that of no turn. */
export async function cancelTurn(store: CheckpointStore, runId: string): Promise<boolean> {
  const { id, number } = turnOfRunId(runId) ?? {};
  if (id === undefined || number === undefined) return false;
  const last = (await readEnds(store, id))?.last.record.number;
  if (last === number) await stopThread(store, id);
  else if (last === undefined || last < number) await clearTurn(store, turnKey(id, number));
  return true;
}
