import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { readTree } from "../../checkpoint/document/read-document.js";
import { readRow } from "../../checkpoint/journal/store-calls.js";
import { changeHead, cleared, type HeadChange } from "../../checkpoint/runs/change-head.js";
import type { RunStatus } from "../../checkpoint/runs/run-index.js";
import { systemClock } from "../../components/clock.js";
import { textIf } from "../../is.js";
import { removeIf } from "./rows.js";
import { mayRun, runIdOf } from "./turn-row.js";

/** What workers need not look at any more: the run of a turn that is over goes, unless it has a history, or failed. */
export async function settleRun(
  store: CheckpointStore,
  key: string,
  status: "finished" | "failed" | "cancelled",
): Promise<void> {
  const id = runIdOf(key);
  const row = await readRow(store, id);
  if (row === undefined) return;
  const { status: former, entry, owner, claim } = readTree(row).finish();
  if (!unfinished.some((one) => one === former)) return;
  // its process is about to remove it
  if (await mayRun(store, { owner: textIf(owner), claim: textIf(claim) })) return;
  if (status === "failed" || entry !== undefined) await changeHeadOf(store, id, { status });
  else await removeIf(store, id, row.version);
}

const unfinished: readonly RunStatus[] = ["ready", "running", "waiting", "stopped"];

/** If someone else writes first, or the run does not have the status `from`, it stays as it is. */
export async function changeHeadOf(
  store: CheckpointStore,
  id: string,
  change: HeadChange,
  from?: RunStatus,
): Promise<void> {
  const row = await readRow(store, id);
  if (row === undefined || (from !== undefined && readTree(row).finish().status !== from)) return;
  const { error, ...withError } = cleared;
  const head = {
    ...(change.status === "failed" ? withError : cleared),
    since: Math.floor(systemClock.now()),
    ...change,
  };
  await changeHead(store, id, row, head);
}
