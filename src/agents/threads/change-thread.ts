import { randomId } from "../../callbacks/random-id.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import { systemClock } from "../../components/clock.js";
import { pause } from "../../components/pause.js";
import { jsonCopy } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { noUsage } from "../agent-state.js";
import { turnUnderWay } from "../errors.js";
import { type Beginning, beginTurn } from "./begin-turn.js";
import {
  changeHead,
  type Hold,
  holdThread,
  moveThread,
  newHead,
  readHead,
  settleByTurns,
  settleHead,
  threadIds,
} from "./head-row.js";
import { removed, removeIf } from "./rows.js";
import type { ThreadInfo, ThreadUpdate } from "./thread-info.js";
import { infoOf } from "./thread-list.js";
import { turnOfClaim, userOf } from "./thread-turn.js";
import {
  changeTurn,
  clearTurn,
  ifUnchanged,
  mayRun,
  readEnds,
  runIdOf,
  type StoredTurn,
  type TurnChange,
  type TurnRecord,
  threadKeys,
  turnKey,
} from "./turn-row.js";

/** Adds a turn that nobody ran; `false` if others have written to the thread meanwhile. */
export async function addTurn(
  store: CheckpointStore,
  id: string,
  messages: readonly AgenticMessage[],
  place: Pick<Beginning, "before" | "strays" | "userId">,
): Promise<boolean> {
  const { number: former = 0, agent = "", kept, mark } = place.before?.record ?? {};
  const number = former + 1;
  const at = Date.now();
  const record: TurnRecord = {
    version: 1,
    number,
    mark: randomId(),
    ...(mark !== undefined && { after: mark }),
    ...(number === 1 && userOf(place)),
    status: "done",
    messages,
    agent,
    usage: noUsage,
    startedAt: at,
    ...(kept !== undefined && { kept }),
  };
  const stored = await beginTurn(store, id, record, place);
  if (stored === "held") await pause(lookMs, systemClock, undefined);
  if (typeof stored === "string") return false;
  await settleHead(store, id, stored, { at, userId: place.userId });
  return true;
}

/** Removes the turns after one, the newest first, so that what is left is always a thread. */
export async function truncateThread(store: CheckpointStore, id: string, turn: number): Promise<void> {
  const hold = await heldThread(store, id);
  try {
    const ends = await readEnds(store, id);
    if (ends === undefined) return;
    if (ends.last.record.status === "open" && (await mayRun(store, ends.last.record))) throw turnUnderWay(id);
    await removeTurns(store, id, turn);
    await settleByTurns(store, id, { at: Date.now(), userId: ends.first.record.userId, hold: hold.claim });
  } finally {
    await hold.release();
  }
}

async function heldThread(store: CheckpointStore, id: string): Promise<Hold> {
  const hold = await holdThread(store, id, { at: Date.now() });
  if (hold === undefined) throw turnUnderWay(id);
  return hold;
}

/** A row may be gone already while something of its turn is still there. */
async function removeTurns(store: CheckpointStore, id: string, after: number): Promise<void> {
  const length = turnKey(id, 1).length;
  const keys = new Set((await threadKeys(store, id)).map((key) => key.slice(0, length)));
  for (const key of [...keys].toReversed()) {
    if (after > 0 && key <= turnKey(id, after)) return;
    await clearTurn(store, key);
    await changeTurn(store, key, () => removed);
  }
}

/** Removes a thread, whatever runs in it. */
export async function deleteThread(store: CheckpointStore, id: string): Promise<void> {
  do {
    await stopThread(store, id);
    const userId = (await readEnds(store, id))?.first.record.userId;
    const hold = await holdThread(store, id, { at: Date.now(), byForce: true });
    await removeTurns(store, id, 0);
    await settleByTurns(store, id, { userId, hold: hold?.claim });
    runningClaims.close(hold?.claim);
    // somebody may have begun a turn just before the head was gone
  } while ((await threadKeys(store, id)).length > 0);
}

/** Removes a thread that is still as it was listed; `false` for one that has changed, or runs. */
export async function sweepThread(
  store: CheckpointStore,
  id: string,
  isOld: (info: ThreadInfo) => boolean,
): Promise<boolean> {
  const hold = await holdThread(store, id, { at: 0 });
  if (hold === undefined) return false;
  try {
    const ends = await readEnds(store, id);
    if (ends?.last.record.status === "open" && (await mayRun(store, ends.last.record))) return false;
    const info = await infoOf(store, id);
    if (info !== undefined && !isOld(info)) return false;
    await removeTurns(store, id, 0);
    await settleByTurns(store, id, { userId: info?.userId, hold: hold.claim });
    return info !== undefined;
  } finally {
    await hold.release();
  }
}

/** Removes heads of threads that never came to be, because their process died before the first turn was written. */
export async function sweepHeads(store: CheckpointStore, isOld: (at: number) => boolean): Promise<void> {
  const ids: string[] = [];
  for await (const id of threadIds(store, { prefix: "", mayWait: false })) ids.push(id);
  for (const id of ids) {
    const { row: head } = await readHead(store, id);
    if (head?.pending === true && isOld(head.updatedAt) && (await infoOf(store, id)) === undefined)
      await settleByTurns(store, id, { userId: head.userId });
  }
}

/** Changes what is known of a thread. Its user stands in the record of its first turn. */
export async function updateThread(
  store: CheckpointStore,
  id: string,
  { first, update: { userId, metadata } }: { readonly first: StoredTurn; readonly update: ThreadUpdate },
): Promise<void> {
  const { startedAt, userId: from } = first.record;
  if (metadata !== undefined) {
    const copy = jsonCopy(metadata) as Record<string, unknown>;
    const changed = await changeHead(store, id, (head) => ({
      ...(head ?? { ...newHead(id, startedAt), pending: true }),
      metadata: copy,
    }));
    // a thread that was deleted meanwhile has no head
    if (changed?.row?.pending === true) await settleByTurns(store, id);
  }
  if (userId === undefined || userId === from) return;
  const work = async (): Promise<string | undefined> => {
    let former = from;
    await changeHead(store, id, (head) => ({ ...(head ?? newHead(id, startedAt)), pending: true }));
    const change: TurnChange = (record) => {
      former = record?.userId;
      return record && { ...record, userId };
    };
    await changeTurn(store, first.key, change, first);
    return former;
  };
  await moveThread(store, id, { from, to: userId, work });
}

/** How often a turn that runs elsewhere is looked at, and how long, once it was asked to stop. */
const lookMs = 50;
const patienceMs = 5_000;

/** Stops the turn that runs or waits; `false` if there is none. */
export async function stopThread(store: CheckpointStore, id: string): Promise<boolean> {
  const end = Date.now() + patienceMs;
  let hasAsked = false;
  for (;;) {
    const turn = (await readEnds(store, id))?.last;
    if (turn === undefined) return hasAsked;
    const { record } = turn;
    if (record.status !== "open" && record.status !== "waiting") {
      const isStopped = hasAsked && record.status === "aborted";
      if (isStopped) await (await import("./settle-run.js")).settleRun(store, turn.key, "cancelled");
      return isStopped;
    }
    if (record.status === "open" && (await mayRun(store, record))) {
      // a deaf run stops when it looks again: nobody waits for it for ever
      if (hasAsked && Date.now() >= end) return true;
      if (!hasAsked) await askToStop(store, turn);
      hasAsked = true;
      await pause(lookMs, systemClock, undefined);
    } else if (await abort(store, id, turn)) return true;
  }
}

async function askToStop(store: CheckpointStore, turn: StoredTurn): Promise<void> {
  const here = turnOfClaim(turn.record.claim);
  if (here !== undefined) here.stop();
  else
    await changeTurn(
      store,
      turn.key,
      (record, isSame) => (record?.status === "open" && isSame ? { ...record, stops: true } : undefined),
      { ...turn, claim: turn.record.claim },
    );
}

/** Closes a turn that nobody runs. */
async function abort(store: CheckpointStore, id: string, turn: StoredTurn): Promise<boolean> {
  const { closedQuestions, cutOff } = await import("./left-turn.js");
  const run = await store.get(runIdOf(turn.key));
  const { finishReason, ...closed } =
    turn.record.status === "waiting" ? closedQuestions(turn.record) : await cutOff(store, turn, {});
  const written = ifUnchanged(turn.record, () => ({ ...closed, status: "aborted" }));
  if ((await changeTurn(store, turn.key, written, turn)) === undefined) return false;
  if (run) await removeIf(store, runIdOf(turn.key), run.version);
  await settleByTurns(store, id, { at: Date.now() });
  return true;
}
