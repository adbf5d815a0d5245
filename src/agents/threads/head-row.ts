import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { processOwner } from "../../checkpoint/journal/process-owner.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { isFields } from "../../is.js";
import { encodedId } from "../call-settings.js";
import { changeRow, type FoundRow, parseRow, readRow, removed, rowBytes } from "./rows.js";
import { idPart, mayRun } from "./turn-row.js";

/** Who changes a thread as a whole, so that nobody begins a turn meanwhile. */
export interface Holder {
  readonly owner: string;
  readonly claim: string;
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

/** What a turn that has stopped tells the head of its thread. */
export interface StoppedTurn {
  readonly number: number;
  readonly userId: string | undefined;
  readonly interrupts: readonly Interrupt[];
  readonly at: number;
}

/** Says before a turn waits that it may. */
export async function markWaiting(
  store: CheckpointStore,
  id: string,
  { number, userId }: Pick<StoppedTurn, "number" | "userId">,
): Promise<void> {
  await changeRow<unknown>(store, markKey(userId, id), { decode: parseRow, change: () => ({ turn: number }) });
}

/** Writes what a turn has come to. A head that knows of something later stays; a mark of this turn goes once it waits no more. */
export async function settleHead(
  store: CheckpointStore,
  id: string,
  { number, userId, interrupts, at }: StoppedTurn,
  known?: FoundRow<ThreadHead>,
): Promise<void> {
  let hadQuestions = false;
  const settled = await changeHead(
    store,
    id,
    (head) => {
      if (head !== undefined && head.updatedAt > at) return undefined;
      const { pending, held, interrupts: former = [], ...rest } = head ?? newHead(id, at);
      hadQuestions = former.length > 0 || pending === true;
      return {
        ...rest,
        turns: number,
        updatedAt: at,
        userId: head === undefined || pending === true ? userId : head.userId,
        ...(interrupts.length > 0 && { interrupts }),
        ...(held !== undefined && !isGivenUp(held) && { held, pending: true }),
      };
    },
    known,
  );
  if (settled === undefined || interrupts.length > 0 || !hadQuestions) return;
  await unmark(store, markKey(userId, id), number);
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

/** Removes a mark, unless a later turn has made it anew. */
async function unmark(store: CheckpointStore, key: string, turn: number): Promise<void> {
  await changeRow<unknown>(store, key, {
    decode: parseRow,
    change: (mark) => {
      if (mark === undefined) return undefined;
      return isFields(mark) && typeof mark.turn === "number" && mark.turn > turn ? undefined : removed;
    },
  });
}

/** Moves what leads to a thread from one user, or none, to another. What leads there is written before, and removed after `work`. */
export async function moveThread(
  store: CheckpointStore,
  id: string,
  { from, to, work }: { readonly from: string | undefined; readonly to: string; readonly work: () => Promise<void> },
): Promise<void> {
  await putOnce(store, indexKey(to, id));
  const mark = await readRow(store, markKey(from, id), parseRow);
  if (mark.row !== undefined)
    await store.put(markKey(to, id), rowBytes(mark.row), await versionOf(store, markKey(to, id)));
  await work();
  if (mark.version !== undefined) await store.delete(markKey(from, id));
  if (from !== undefined) await store.delete(indexKey(from, id));
}

async function versionOf(store: CheckpointStore, key: string): Promise<number | undefined> {
  return ((await store.get(key)) ?? undefined)?.version;
}

/** Removes all that leads to a thread which has no turns any more. */
export async function forgetThread(store: CheckpointStore, id: string, userId: string | undefined): Promise<void> {
  await store.delete(markKey(userId, id));
  await store.delete(markKey(undefined, id));
  if (userId !== undefined) await store.delete(indexKey(userId, id));
  await store.delete(headKey(id));
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

/** Removes what leads a user to threads that are not there. */
export async function forgetUser(store: CheckpointStore, userId: string): Promise<void> {
  const ids: string[] = [];
  for await (const id of threadIds(store, { prefix: "", userId, mayWait: false })) ids.push(id);
  for (const id of ids) {
    if ((await readHead(store, id)).version === undefined) await store.delete(indexKey(userId, id));
  }
}

/** Whether somebody else changes the thread as a whole. */
export async function isHeld(
  store: CheckpointStore,
  head: ThreadHead | undefined,
  own?: string | undefined,
): Promise<boolean> {
  const held = head?.held;
  return held !== undefined && held.claim !== own && (await mayRun(store, held));
}

const isGivenUp = ({ owner, claim }: Holder): boolean => runningClaims.hasEnded(owner, claim);

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
    await changeHead(store, id, (head) => {
      if (head?.held?.claim !== claim) return undefined;
      const { held, ...rest } = head;
      return rest;
    });
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
          return { ...(head ?? newHead(id, at)), pending: true, held: { owner: processOwner(), claim } };
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
