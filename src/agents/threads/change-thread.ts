import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import { systemClock } from "../../components/clock.js";
import { pause } from "../../components/pause.js";
import { jsonCopy } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { noUsage } from "../agent-state.js";
import { turnUnderWay } from "../errors.js";
import {
  announce,
  changeHead,
  forgetThread,
  type Hold,
  holdThread,
  isHeld,
  moveThread,
  newHead,
  readHead,
  settleHead,
  type ThreadHead,
} from "./head-row.js";
import { removed } from "./rows.js";
import type { ThreadInfo, ThreadUpdate } from "./thread-info.js";
import { infoOf } from "./thread-list.js";
import { turnOfClaim, userOf } from "./thread-turn.js";
import {
  changeTurn,
  clearTurn,
  ifUnchanged,
  mayRun,
  readTurn,
  readTurns,
  runIdOf,
  type StoredTurn,
  type TurnRecord,
  turnKey,
  turnKeys,
} from "./turn-row.js";

/** A turn that nobody ran. */
export interface AddedTurn {
  readonly messages: readonly AgenticMessage[];
  /** The record of the turn before it. */
  readonly last: TurnRecord | undefined;
  readonly userId: string | undefined;
}

/** Adds a turn; `false` if others have written to the thread meanwhile. */
export async function addTurn(
  store: CheckpointStore,
  id: string,
  { messages, last, userId }: AddedTurn,
): Promise<boolean> {
  const { number: former = 0, agent = "", kept } = last ?? {};
  const number = former + 1;
  const at = Date.now();
  if (number === 1) await announce(store, { id, userId, at });
  const record: TurnRecord = {
    version: 1,
    number,
    ...(number === 1 && userOf({ userId })),
    status: "done",
    messages,
    agent,
    usage: noUsage,
    startedAt: at,
    ...(kept !== undefined && { kept }),
  };
  const stored = await changeTurn(
    store,
    turnKey(id, number),
    ifUnchanged(undefined, () => record),
    {},
  );
  if (stored === undefined) return false;
  if (await isHeld(store, (await readHead(store, id)).row)) {
    await changeTurn(
      store,
      stored.key,
      ifUnchanged(record, () => removed),
      stored,
    );
    await pause(lookMs, systemClock, undefined);
    return false;
  }
  await settleHead(store, id, { number, userId, interrupts: [], at });
  return true;
}

/** Removes the turns after one, the newest first, so that what is left is always a thread. */
export async function truncateThread(store: CheckpointStore, id: string, turn: number): Promise<void> {
  const hold = await heldThread(store, id);
  try {
    const turns = await readTurns(store, id);
    const last = turns.at(-1)?.record;
    if (last?.status === "open" && (await mayRun(store, last))) throw turnUnderWay(id);
    await removeTurns(store, id, turn);
    const left = turns.filter(({ record }) => record.number <= turn);
    const newest = left.at(-1)?.record;
    const userId = turns[0]?.record.userId;
    if (newest === undefined) await forgetThread(store, id, userId);
    else
      await settleHead(store, id, {
        number: newest.number,
        userId,
        interrupts: newest.interrupts ?? [],
        at: Date.now(),
      });
  } finally {
    await hold.release();
  }
}

async function heldThread(store: CheckpointStore, id: string): Promise<Hold> {
  const hold = await holdThread(store, id, { at: Date.now() });
  if (hold === undefined) throw turnUnderWay(id);
  return hold;
}

async function removeTurns(store: CheckpointStore, id: string, after: number): Promise<void> {
  const kept = after === 0 ? "" : turnKey(id, after);
  for (const key of (await turnKeys(store, id)).toReversed()) {
    if (key <= kept) return;
    await clearTurn(store, key);
    await changeTurn(store, key, () => removed);
  }
}

/** Removes a thread, whatever runs in it. */
export async function deleteThread(store: CheckpointStore, id: string, userId: string | undefined): Promise<void> {
  await stopThread(store, id);
  const isThere = (await turnKeys(store, id)).length > 0;
  const hold = isThere ? await holdThread(store, id, { at: Date.now(), byForce: true }) : undefined;
  await removeTurns(store, id, 0);
  await forgetThread(store, id, userId);
  runningClaims.close(hold?.claim);
}

/** Removes a thread that is still as it was listed; `false` for one that has changed, or runs. */
export async function sweepThread(
  store: CheckpointStore,
  id: string,
  isOld: (info: ThreadInfo) => boolean,
): Promise<boolean> {
  const hold = await holdThread(store, id, { at: Date.now() });
  if (hold === undefined) return false;
  try {
    const info = await infoOf(store, id);
    const key = (await turnKeys(store, id)).at(-1);
    const last = key === undefined ? undefined : await readTurn(store, key);
    if (last?.record.status === "open" && (await mayRun(store, last.record))) return false;
    if (info !== undefined && !isOld(info)) return false;
    await removeTurns(store, id, 0);
    await forgetThread(store, id, info?.userId);
    return info !== undefined;
  } finally {
    await hold.release();
  }
}

/** Changes what is known of a thread. Its user stands in the record of its first turn. */
export async function updateThread(
  store: CheckpointStore,
  id: string,
  { first, update: { userId, metadata } }: { readonly first: StoredTurn; readonly update: ThreadUpdate },
): Promise<void> {
  const copy = metadata === undefined ? undefined : (jsonCopy(metadata) as Record<string, unknown>);
  const { startedAt, userId: from } = first.record;
  const isMoved = userId !== undefined && userId !== from;
  const change = (make: (head: ThreadHead) => ThreadHead) =>
    changeHead(store, id, (head) => make(head ?? { ...newHead(id, startedAt), pending: true }));
  let isPending = false;
  const work = async (): Promise<void> => {
    if (isMoved) {
      await change((head) => {
        isPending = head.pending === true;
        return { ...head, pending: true };
      });
      await changeTurn(store, first.key, (record) => record && { ...record, userId }, first);
    }
    await change(({ pending, ...head }) => ({
      ...head,
      ...((isMoved ? isPending : pending === true) && { pending: true }),
      ...(userId !== undefined && { userId }),
      ...(copy !== undefined && { metadata: copy }),
    }));
  };
  if (isMoved) await moveThread(store, id, { from, to: userId, work });
  else await work();
}

/** How often a turn that runs elsewhere is looked at, and how long, once it was asked to stop. */
const lookMs = 50;
const patienceMs = 5_000;

/** Stops the turn that runs or waits; `false` if there is none. */
export async function stopThread(store: CheckpointStore, id: string): Promise<boolean> {
  const end = Date.now() + patienceMs;
  let hasAsked = false;
  for (;;) {
    const key = (await turnKeys(store, id)).at(-1);
    const turn = key === undefined ? undefined : await readTurn(store, key);
    if (turn === undefined) return hasAsked;
    const { record } = turn;
    if (record.status !== "open" && record.status !== "waiting") return hasAsked && record.status === "aborted";
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
  const { finishReason, ...closed } =
    turn.record.status === "waiting" ? closedQuestions(turn.record) : await cutOff(store, turn, {});
  const written = ifUnchanged(turn.record, () => ({ ...closed, status: "aborted" }));
  if ((await changeTurn(store, turn.key, written, turn)) === undefined) return false;
  await store.delete(runIdOf(turn.key));
  const info = await infoOf(store, id);
  await settleHead(store, id, { number: closed.number, userId: info?.userId, interrupts: [], at: Date.now() });
  return true;
}
