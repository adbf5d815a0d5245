import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { announce, isHeld, readHead, settleByTurns } from "./head-row.js";
import { removed, removeIf } from "./rows.js";
import { changeTurn, ifUnchanged, readTurn, runIdOf, type StoredTurn, type TurnRecord, turnKey } from "./turn-row.js";

/** Where a turn begins. */
export interface Beginning {
  /** Whose thread it is. */
  readonly userId: string | undefined;
  /** The turn before it. */
  readonly before: StoredTurn | undefined;
  readonly strays: readonly StoredTurn[];
  /** The turn that it is written over. */
  readonly replaced?: StoredTurn | undefined;
  /** The claim by which the caller holds the thread. */
  readonly hold?: string | undefined;
  /** Does not ask whether the thread is held. */
  readonly byForce?: boolean | undefined;
}

/** Why a turn was not begun: others have changed the thread, or do so now. */
export type Refused = "changed" | "held";

/** Writes a new turn. Others may have removed what it follows, or resumed it: then it is taken back. */
export async function beginTurn(
  store: CheckpointStore,
  id: string,
  record: TurnRecord,
  beginning: Beginning,
): Promise<StoredTurn | Refused> {
  const { before, strays, replaced, userId } = beginning;
  for (const stray of strays) await removeStray(store, stray);
  const at = record.startedAt;
  if (before === undefined && replaced === undefined) await announce(store, { id, userId, at });
  const written = ifUnchanged(replaced?.record, () => record);
  const stored = await changeTurn(store, turnKey(id, record.number), written, replaced ?? {});
  if (stored === undefined) return "changed";
  let refused: Refused | undefined;
  try {
    refused = await refusal(store, id, { record, ...beginning });
  } catch (error) {
    await takeBack(store, id, stored).catch(() => undefined);
    throw error;
  }
  if (refused === undefined) return stored;
  await takeBack(store, id, stored);
  return refused;
}

async function refusal(
  store: CheckpointStore,
  id: string,
  { record, before, userId, hold, byForce }: Beginning & { readonly record: TurnRecord },
): Promise<Refused | undefined> {
  const [head, now] = await Promise.all([readHead(store, id), before && readTurn(store, before.key)]);
  if (before !== undefined && now?.version !== before.version) return "changed";
  if (byForce !== true && (await isHeld(store, head.row, hold))) return "held";
  // who has deleted the thread meanwhile looks for turns once more
  if (before === undefined && head.version === undefined) await announce(store, { id, userId, at: record.startedAt });
  return undefined;
}

async function takeBack(store: CheckpointStore, id: string, { key, record, version }: StoredTurn): Promise<void> {
  const isSame = (now: TurnRecord | undefined): boolean => now?.mark === record.mark && now?.claim === record.claim;
  await changeTurn(store, key, (now) => (isSame(now) ? removed : undefined), { record, version });
  if (record.number === 1) await settleByTurns(store, id, { userId: record.userId });
}

/** One that runs all the same, in a thread that was taken over by force, has a run, too: the next turn with its number has another. */
async function removeStray(store: CheckpointStore, { key, record, version }: StoredTurn): Promise<void> {
  const run = await store.get(runIdOf(key));
  const change = ifUnchanged(record, () => removed);
  const gone = await changeTurn(store, key, change, { record, version });
  if (gone !== undefined && run) await removeIf(store, runIdOf(key), run.version);
}
