import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";

/**
 * Cancels the run of a turn: what `threads(store).stop` does, so that the turn is `aborted` and its run goes. The newest turn of a
 * thread is the only one that can run or wait.
 */
export async function cancelTurn(store: CheckpointStore, threadId: string): Promise<void> {
  const { stopThread } = await import("../agents/threads/change-thread.js");
  await stopThread(store, threadId);
}
