import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { readHead, type ThreadHead, threadIds } from "./head-row.js";
import type { ThreadInfo } from "./thread-info.js";
import { readEnds } from "./turn-row.js";

/** What the turns of a thread say; the head adds what they do not know. */
export async function infoOf(store: CheckpointStore, id: string): Promise<ThreadInfo | undefined> {
  const ends = await readEnds(store, id);
  if (ends === undefined) return undefined;
  const { first, last } = ends;
  const { row: head } = await readHead(store, id);
  const { number, startedAt, status, interrupts = [] } = last.record;
  return infoFrom({
    version: 1,
    id,
    userId: first.record.userId,
    metadata: head?.metadata ?? {},
    createdAt: head?.createdAt ?? first.record.startedAt,
    updatedAt: Math.max(head?.updatedAt ?? 0, startedAt),
    turns: number,
    interrupts:
      status === "waiting" && !(await (await import("./left-turn.js")).waitsNoMore(store, last)) ? interrupts : [],
  });
}

function infoFrom({ id, userId, metadata, createdAt, updatedAt, turns, interrupts = [] }: ThreadHead): ThreadInfo {
  const times = { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
  return { id, ...(userId !== undefined && { userId }), metadata, ...times, turns, interrupts };
}

/** A head is trusted, unless it says that the turns know better. */
async function listedInfo(store: CheckpointStore, id: string): Promise<ThreadInfo | undefined> {
  const { row: head } = await readHead(store, id);
  const isCertain = head !== undefined && head.pending !== true && head.interrupts === undefined;
  return isCertain ? infoFrom(head) : infoOf(store, id);
}

/** Which threads are listed. */
export interface Listed {
  readonly prefix: string;
  readonly userId: string | undefined;
  readonly isWaiting: boolean;
}

/** The threads of a user, the newest first; others by their ids. */
export async function* listThreads(
  store: CheckpointStore,
  { prefix, userId, isWaiting }: Listed,
): AsyncGenerator<ThreadInfo, void> {
  const ids = threadIds(store, { prefix, userId, mayWait: isWaiting });
  const infos = listedInfos(
    ids,
    (id) => (isWaiting ? infoOf(store, id) : listedInfo(store, id)),
    (info) => {
      return (userId === undefined || info.userId === userId) && (!isWaiting || info.interrupts.length > 0);
    },
  );
  if (userId === undefined && !isWaiting) {
    yield* infos;
    return;
  }
  const all = new Map<string, ThreadInfo>();
  for await (const info of infos) all.set(info.id, info);
  yield* [...all.values()].sort(userId === undefined ? byId : newestFirst);
}

const byId = (one: ThreadInfo, other: ThreadInfo): number => (one.id < other.id ? -1 : 1);
const newestFirst = (one: ThreadInfo, other: ThreadInfo): number =>
  other.updatedAt.getTime() - one.updatedAt.getTime() || byId(one, other);

/** How many rows are read at once. */
const batchSize = 16;

async function* listedInfos(
  ids: AsyncIterable<string>,
  read: (id: string) => Promise<ThreadInfo | undefined>,
  isListed: (info: ThreadInfo) => boolean,
): AsyncGenerator<ThreadInfo, void> {
  let batch: string[] = [];
  const flush = async (): Promise<ThreadInfo[]> => {
    const infos = await Promise.all(batch.map(read));
    batch = [];
    return infos.filter((info) => info !== undefined).filter(isListed);
  };
  for await (const id of ids) {
    if (batch.push(id) === batchSize) yield* await flush();
  }
  yield* await flush();
}
