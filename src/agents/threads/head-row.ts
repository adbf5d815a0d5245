import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isConflict } from "../../checkpoint/errors.js";
import { processOwner } from "../../checkpoint/journal/process-owner.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { isFields } from "../../is.js";
import { encodedId } from "../call-settings.js";
import { changeRow, type FoundRow, parseRow, readRow, type removed, removeIf } from "./rows.js";
import { idPart, mayRun, readEnds, readTurn, type StoredTurn } from "./turn-row.js";

/** Who changes a thread as a whole, so that nobody begins a turn meanwhile. */
export interface Holder {
  readonly owner: string;
  readonly claim: string;
  /** When it has surely ended, or its process does not go on: milliseconds since 1970. */
  readonly until: number;
}

/** What lists say of a thread: a copy of what its turns say, written after each of them. */
export interface ThreadHead {
  readonly version: 1;
  readonly id: string;
  readonly userId?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The number of the newest turn that has stopped. */
  readonly turns: number;
  readonly interrupts?: readonly Interrupt[] | undefined;
  /** The turns know better: the thread is new, or changes as a whole. */
  readonly pending?: true | undefined;
  readonly held?: Holder | undefined;
}

// All that is known of threads beside their turns. An index row and a mark are written before what they lead to, and prove nothing.
const heads = "~threads/head/";
const users = "~threads/user/";
const waiting = "~threads/waiting/";

const headKey = (id: string): string => `${heads}${idPart(id)}`;
const indexKey = (userId: string, id: string): string => `${users}${userPart(userId)}/${idPart(id)}`;
const markKey = (userId: string | undefined, id: string): string => `${waiting}${userPart(userId)}/${idPart(id)}`;

/**
 * The beginning of an encoded user id: two ids would not fit into a key. Users who share it find the rows of each other, and heads tell
 * them apart. Threads without a user stand under "", which is no user's id.
 */
const userPart = (userId: string | undefined): string =>
  userId === undefined ? "" : (encodedId(userId) ?? "").slice(0, 200);

export const readHead = (store: CheckpointStore, id: string): Promise<FoundRow<ThreadHead>> =>
  readRow(store, headKey(id), decodeHead);

/** Changes a head; `change` gets `undefined` for one that is not there, or damaged. */
export function changeHead(
  store: CheckpointStore,
  id: string,
  change: (head: ThreadHead | undefined) => ThreadHead | typeof removed | undefined,
  known?: FoundRow<ThreadHead>,
): Promise<FoundRow<ThreadHead> | undefined> {
  return changeRow(store, headKey(id), { decode: decodeHead, change, known });
}

function decodeHead(data: Uint8Array): ThreadHead | undefined {
  const head = parseRow(data);
  const isHead = isFields(head) && head.version === 1 && typeof head.id === "string" && isFields(head.metadata);
  return isHead ? (head as object as ThreadHead) : undefined;
}

/** Lists a thread before it has a turn: from then on nothing can be lost. */
export async function announce(
  store: CheckpointStore,
  { id, userId, at }: { readonly id: string; readonly userId: string | undefined; readonly at: number },
): Promise<void> {
  await changeHead(store, id, (head) => ({ ...(head ?? newHead(id, at)), userId, pending: true }));
  if (userId !== undefined) await putOnce(store, indexKey(userId, id));
}

async function putOnce(store: CheckpointStore, key: string): Promise<void> {
  await changeRow<unknown>(store, key, { decode: parseRow, change: (row) => (row === undefined ? {} : undefined) });
}

/** Says before a turn waits that it may. */
export async function announceWaiting(
  store: CheckpointStore,
  id: string,
  turn: { readonly number: number; readonly userId: string | undefined },
): Promise<void> {
  await markWaiting(store, id, turn);
  await changeHead(store, id, (head) => (head === undefined || head.pending ? undefined : { ...head, pending: true }));
}

async function markWaiting(
  store: CheckpointStore,
  id: string,
  { number, userId }: { readonly number: number; readonly userId: string | undefined },
): Promise<void> {
  await changeRow<unknown>(store, markKey(userId, id), { decode: parseRow, change: () => ({ turn: number }) });
}

/** Writes to the head that a turn has stopped, the newest one as far as its process knows. */
export async function settleHead(
  store: CheckpointStore,
  id: string,
  { key, record, version }: StoredTurn,
  { at, userId }: { readonly at: number; readonly userId: string | undefined },
): Promise<void> {
  const { number, status } = record;
  const isPlain = (head: ThreadHead | undefined): head is ThreadHead =>
    head !== undefined &&
    head.pending !== true &&
    head.interrupts === undefined &&
    head.userId === userId &&
    (head.turns === number || head.turns === number - 1);
  const settled =
    status !== "waiting" &&
    (await changeHead(store, id, (head) =>
      isPlain(head) ? { ...head, turns: number, updatedAt: Math.max(head.updatedAt, at) } : undefined,
    ));
  // what others have done to the turn since, they may have told the head before this was written
  if (settled && (await readTurn(store, key))?.version === version) return;
  await settleByTurns(store, id, { at, userId });
}

/** Who settles a thread, as far as that matters. */
export interface Settling {
  /** When it changed. @default the head knows */
  readonly at?: number | undefined;
  /** Whose it was before. */
  readonly userId?: string | undefined;
  /** The claim by which the caller holds the thread. */
  readonly hold?: string | undefined;
}

/**
 * Makes the head of a thread, and what leads to it, say what the turns say; without turns all of it goes. Whoever has changed a turn
 * does this later: so the last one who does it has seen all changes.
 */
export async function settleByTurns(
  store: CheckpointStore,
  id: string,
  { at = 0, userId: former, hold }: Settling = {},
): Promise<void> {
  for (;;) {
    const head = await readHead(store, id);
    const known = [former, head.row?.userId];
    const marks = await readMarks(store, id, known);
    const ends = await readEnds(store, id);
    if (ends === undefined) {
      const isGone = head.version === undefined || (await isHeld(store, head.row, hold));
      if (isGone || (await forgetThread(store, id, { users: known, version: head.version }))) return;
      continue;
    }
    const { startedAt, userId } = ends.first.record;
    if (head.row === undefined) {
      await announce(store, { id, userId, at: startedAt });
      continue;
    }
    const { number, status, interrupts = [] } = ends.last.record;
    const waits = status === "waiting";
    if (userId !== undefined) await putOnce(store, indexKey(userId, id));
    if (waits) await markWaiting(store, id, { number, userId });
    const { pending: _pending, interrupts: _interrupts, held, userId: _userId, ...rest } = head.row;
    const isOpen = status === "open";
    const staysHeld = held !== undefined && !isGivenUp(held);
    const next: ThreadHead = {
      ...rest,
      turns: isOpen ? number - 1 : number,
      updatedAt: Math.max(rest.updatedAt, at),
      ...(userId !== undefined && { userId }),
      ...(waits && { interrupts }),
      ...(staysHeld && { held }),
      ...((isOpen || staysHeld) && { pending: true }),
    };
    const settled = await changeHead(store, id, (now) => (now === head.row ? next : undefined), head);
    if (settled === undefined) continue;
    for (const mark of marks) if (!waits || mark.userId !== userId) await removeIf(store, mark.key, mark.version);
    return;
  }
}

/** A mark as it was read. */
interface FoundMark {
  readonly key: string;
  readonly userId: string | undefined;
  readonly version: number;
}

async function readMarks(
  store: CheckpointStore,
  id: string,
  users: readonly (string | undefined)[],
): Promise<FoundMark[]> {
  const found: FoundMark[] = [];
  for (const userId of new Set(users)) {
    const key = markKey(userId, id);
    const { version } = await readRow(store, key, parseRow);
    if (version !== undefined) found.push({ key, userId, version });
  }
  return found;
}

/** The head of a thread that has not had one. */
export const newHead = (id: string, at: number): ThreadHead => ({
  version: 1,
  id,
  metadata: {},
  createdAt: at,
  updatedAt: at,
  turns: 0,
});

/**
 * Moves what leads to a thread to another user. What leads there is written before `work`, which returns whose the thread was, and
 * what led to that user is removed later.
 */
export async function moveThread(
  store: CheckpointStore,
  id: string,
  {
    from,
    to,
    work,
  }: {
    readonly from: string | undefined;
    readonly to: string;
    readonly work: () => Promise<string | undefined>;
  },
): Promise<void> {
  await putOnce(store, indexKey(to, id));
  if ((await readRow(store, markKey(from, id), parseRow)).row !== undefined) await putOnce(store, markKey(to, id));
  const former = await work();
  await settleByTurns(store, id, { userId: former });
  if (former === undefined || former === to) return;
  await store.delete(indexKey(former, id));
  // somebody may have given it back meanwhile
  if ((await readEnds(store, id))?.first.record.userId === former) await settleByTurns(store, id, { userId: to });
}

/** Removes all that leads to a thread which has no turns any more; `false` if its head has changed. */
async function forgetThread(
  store: CheckpointStore,
  id: string,
  { users, version }: { readonly users: readonly (string | undefined)[]; readonly version: number | undefined },
): Promise<boolean> {
  for (const userId of new Set([...users, undefined])) {
    await store.delete(markKey(userId, id));
    if (userId !== undefined) await store.delete(indexKey(userId, id));
  }
  try {
    await store.delete(headKey(id), version);
    return true;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return false;
  }
}

/** The ids of all threads, by id; of a user, or of those that may wait, in any order. */
export async function* threadIds(
  store: CheckpointStore,
  {
    prefix,
    userId,
    mayWait,
  }: { readonly prefix: string; readonly userId?: string | undefined; readonly mayWait: boolean },
): AsyncGenerator<string, void> {
  const start = encodedPrefix(prefix);
  if (start === undefined) return;
  const root = mayWait ? waiting : userId === undefined ? heads : users;
  // the marks of all users stand user by user
  const isByUser = mayWait && userId === undefined;
  const within = isByUser ? root : userId === undefined ? `${root}${start}` : `${root}${userPart(userId)}/${start}`;
  for await (const key of store.list(within)) {
    const id = decodeId(key.slice(key.lastIndexOf("/") + 1));
    if (id?.startsWith(prefix) === true) yield id;
  }
}

/** The common beginning of the encoded ids of all threads with a prefix; `undefined` if none can have it. */
function encodedPrefix(prefix: string): string | undefined {
  try {
    // the first half of a pair says nothing of how the whole is encoded
    return encodeURIComponent(prefix.replace(/[\ud800-\udbff]$/, ""));
  } catch {
    return undefined;
  }
}

function decodeId(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Removes what leads a user to threads that are not there, or are not theirs. */
export async function forgetUser(store: CheckpointStore, userId: string): Promise<void> {
  for (const mayWait of [false, true]) {
    const ids: string[] = [];
    for await (const id of threadIds(store, { prefix: "", userId, mayWait })) ids.push(id);
    for (const id of ids) {
      await settleByTurns(store, id, { userId });
      if ((await readEnds(store, id))?.first.record.userId === userId) continue;
      const { row: head } = await readHead(store, id);
      // another user may have the same beginning
      if (head?.userId !== undefined && userPart(head.userId) === userPart(userId)) continue;
      await store.delete(mayWait ? markKey(userId, id) : indexKey(userId, id));
    }
  }
}

/** Whether somebody else changes the thread as a whole. */
export async function isHeld(
  store: CheckpointStore,
  head: ThreadHead | undefined,
  own?: string | undefined,
): Promise<boolean> {
  const held = head?.held;
  return held !== undefined && held.claim !== own && held.until > Date.now() && (await mayRun(store, held));
}

const isGivenUp = ({ owner, claim, until }: Holder): boolean =>
  runningClaims.hasEnded(owner, claim) || until <= Date.now();

/** How long a thread is held at most: to remove some turns takes far less. */
const holdMs = 30_000;

/** A thread in which nobody else can begin a turn. */
export interface Hold {
  readonly claim: string;
  release(): Promise<void>;
}

/**
 * Holds a thread, to change it as a whole; `undefined` while somebody else does. Who begins a turn looks at the head after the turn is
 * written, and who holds the thread looks at the turns after this: one of them sees the other.
 */
export async function holdThread(
  store: CheckpointStore,
  id: string,
  { at, byForce = false }: { readonly at: number; readonly byForce?: boolean },
): Promise<Hold | undefined> {
  const claim = runningClaims.open();
  const release = async (): Promise<void> => {
    runningClaims.close(claim);
    const released = await changeHead(store, id, (head) => {
      if (head?.held?.claim !== claim) return undefined;
      const { held, ...rest } = head;
      return rest;
    });
    if (released !== undefined) await settleByTurns(store, id);
  };
  try {
    for (;;) {
      const seen = await readHead(store, id);
      if (!byForce && (await isHeld(store, seen.row))) {
        runningClaims.close(claim);
        return undefined;
      }
      const changed = await changeHead(
        store,
        id,
        (head) => {
          if (head !== seen.row) return undefined;
          return {
            ...(head ?? newHead(id, at)),
            pending: true,
            held: { owner: processOwner(), claim, until: Date.now() + holdMs },
          };
        },
        seen,
      );
      if (changed !== undefined) return { claim, release };
    }
  } catch (error) {
    runningClaims.close(claim);
    throw error;
  }
}
