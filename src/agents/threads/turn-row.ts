import { unreadableCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { dropHistory } from "../../checkpoint/history/segments.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import { callStore } from "../../checkpoint/journal/store-calls.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { isFields } from "../../is.js";
import type { AgenticMessage, FinishReason, TokenUsage } from "../../schema/message/agentic-message.js";
import type { BlockedPart, EndReason } from "../agent-result.js";
import { encodedId } from "../call-settings.js";
import { threadIdTooLong } from "../errors.js";
import { changeRow, type FoundRow, keysOf, parseRow, readRow, type removed } from "./rows.js";
import { removeEvents } from "./turn-events.js";

/** How far a turn is, as it is stored. `open`: it runs, or what ran it is gone. */
export type RecordStatus = "open" | "waiting" | "done" | "failed" | "aborted";

/** What the result of a turn says beside its log. */
export interface StoredResult {
  readonly text: string;
  /** The accepted output, as JSON. */
  readonly output?: string | undefined;
  readonly steps: readonly StoredStep[];
  /** What a guard has blocked. */
  readonly blocked?: BlockedPart | undefined;
}

/** A step; its message and results stand in the log. */
export interface StoredStep {
  /** Where its message is. */
  readonly at: number;
  readonly results: number;
  /** The message, if it is not in the log. */
  readonly message?: AgenticMessage | undefined;
  readonly usage: TokenUsage;
  readonly finishReason: FinishReason;
  readonly model: string;
  readonly agent: string;
}

/** A request whose prompt was read as the answers to what a turn has asked. */
export interface AnsweringRequest {
  readonly id: string;
  /** The digest of what it said. */
  readonly prompt: string;
}

/** One turn of a thread, as it is stored. */
export interface TurnRecord {
  readonly version: 1;
  readonly number: number;
  /** Tells it from other turns that have had its number. */
  readonly mark?: string | undefined;
  /** The mark of the turn that it was begun after: where another one stands there, it is not a turn of the thread. */
  readonly after?: string | undefined;
  /** Whose thread it is: in the record of its first turn. */
  readonly userId?: string | undefined;
  readonly status: RecordStatus;
  /** The prompt, and once it is closed all that was logged. */
  readonly messages: readonly AgenticMessage[];
  /** Who answers, or answered last. */
  readonly agent: string;
  readonly usage: TokenUsage;
  readonly usageByModel?: Readonly<Record<string, TokenUsage>> | undefined;
  /** What its result says beside the messages; once it has stopped. */
  readonly result?: StoredResult | undefined;
  /** The name that its caller has given it: a second call with it begins no second turn. */
  readonly requestId?: string | undefined;
  /** The digest of its prompt, where guards may replace that. */
  readonly prompt?: string | undefined;
  /** Guards judge what the user says to it. */
  readonly guarded?: true | undefined;
  /** Later requests that it was answered by. */
  readonly requests?: readonly AnsweringRequest[] | undefined;
  /** The answers that it was resumed with, by the ids of their interrupts. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  /** Why it ended, once it has. */
  readonly finishReason?: EndReason | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The process that runs it, and the name of the claim there. */
  readonly owner?: string | undefined;
  readonly claim?: string | undefined;
  /** What was said to it while it ran, in order. */
  readonly pushed?: readonly AgenticMessage[] | undefined;
  /** How many of these its messages have. */
  readonly taken?: number | undefined;
  /** It is about to end, and takes no more of them. */
  readonly sealed?: true | undefined;
  /** Somebody has asked the process that runs it to stop. */
  readonly stops?: true | undefined;
  readonly interrupts?: readonly Interrupt[] | undefined;
  /** While it waits: results of calls that have finished beside those that wait. */
  readonly results?: readonly AgenticMessage[] | undefined;
  /** It ended before its run was saved for the first time: a resume begins with the prompt. */
  readonly notBegun?: true | undefined;
  /** The states of middlewares that live as long as the thread. */
  readonly kept?: Readonly<Record<string, unknown>> | undefined;
}

/** A record with what replaces it. */
export interface StoredTurn {
  readonly key: string;
  readonly record: TurnRecord;
  readonly version: number;
}

const root = "~thread/";

/** Where the turns of a thread stand. */
export function threadPrefix(id: string): string {
  return `${root}${idPart(id)}/`;
}

/** The id of a thread as a part of a key. */
export function idPart(id: string): string {
  const encoded = typeof id === "string" ? encodedId(id) : undefined;
  if (encoded === undefined) throw threadIdTooLong(String(id));
  return encoded;
}

export function turnKey(id: string, number: number): string {
  return `${threadPrefix(id)}${String(number).padStart(8, "0")}`;
}

/** Where the turn after another one stands. */
export function keyAfter(key: string): string {
  return `${key.slice(0, -8)}${String(Number(key.slice(-8)) + 1).padStart(8, "0")}`;
}

export function runIdOf(key: string): string {
  return `${key}/run`;
}

/** The thread and turn that a checkpoint belongs to. */
export function turnOfRunId(checkpointId: string): { readonly id: string; readonly number: number } | undefined {
  const [, id, number] = /^~thread\/([^/]+)\/(\d{8})\/run$/.exec(checkpointId) ?? [];
  return id === undefined ? undefined : { id: decodeURIComponent(id), number: Number(number) };
}

/** The keys of the turns of a thread, in order. */
export async function turnKeys(store: CheckpointStore, id: string): Promise<string[]> {
  return (await threadKeys(store, id)).filter((key) => /\/\d{8}$/.test(key));
}

/** Those of its turns, and of their runs as far as they are kept. */
export function threadKeys(store: CheckpointStore, id: string): Promise<string[]> {
  return keysOf(store, threadPrefix(id));
}

/** `undefined` for a turn that is not there. */
export async function readTurn(store: CheckpointStore, key: string): Promise<StoredTurn | undefined> {
  return storedTurn(key, await readRow(store, key, (data) => decode(key, data)));
}

function storedTurn(key: string, found: FoundRow<TurnRecord> | undefined): StoredTurn | undefined {
  const { row, version } = found ?? {};
  return row === undefined || version === undefined ? undefined : { key, record: row, version };
}

/** A thread as it is stored. */
export interface StoredThread {
  /** Its turns, in order. */
  readonly turns: readonly StoredTurn[];
  /** Rows of those who began a turn too late: what it was to follow was gone. They are no turns. */
  readonly strays: readonly StoredTurn[];
}

export async function readThread(store: CheckpointStore, id: string): Promise<StoredThread> {
  const keys = await turnKeys(store, id);
  const found = (await Promise.all(keys.map((key) => readTurn(store, key)))).filter((turn) => turn !== undefined);
  const end = found.findIndex(({ record }, index) => !follows(record, found[index - 1]?.record));
  return end === -1 ? { turns: found, strays: [] } : { turns: found.slice(0, end), strays: found.slice(end) };
}

/** The turns of a thread, in order. */
export async function readTurns(store: CheckpointStore, id: string): Promise<readonly StoredTurn[]> {
  return (await readThread(store, id)).turns;
}

/** Whether a turn belongs behind another one, or at the beginning of a thread. */
export function follows({ number, after }: TurnRecord, before: TurnRecord | undefined): boolean {
  return number === (before?.number ?? 0) + 1 && (after === undefined || after === before?.mark);
}

/** The first and the newest turn of a thread, which may be the same one. */
export interface ThreadEnds {
  readonly first: StoredTurn;
  readonly last: StoredTurn;
}

/** `undefined` for a thread that has no turns. */
export async function readEnds(store: CheckpointStore, id: string): Promise<ThreadEnds | undefined> {
  const keys = await turnKeys(store, id);
  const read = async (key: string | undefined) => (key === undefined ? undefined : readTurn(store, key));
  // a turn is removed before those in front of it change, so one that follows the one before it is a turn of the thread
  for (let index = keys.length - 1; index >= 0; index--) {
    const [last, before, first] = await Promise.all([
      read(keys[index]),
      read(index < 2 ? undefined : keys[index - 1]),
      read(index < 1 ? undefined : keys[0]),
    ]);
    const former = index < 2 ? first : before;
    if (last !== undefined && (index === 0 || first !== undefined) && follows(last.record, former?.record))
      return { first: first ?? last, last };
  }
  return undefined;
}

/** Removes what belongs to a turn beside its row: its run, the history of that, and its recorded events. */
export async function clearTurn(store: CheckpointStore, key: string): Promise<void> {
  await store.delete(runIdOf(key));
  if (store.append !== undefined) await dropHistory(store, runIdOf(key));
  await removeEvents(store, key);
}

/** Whether the process that runs an open turn may still live. A copy that has not been resumed has none. */
export async function mayRun(
  store: CheckpointStore,
  { owner, claim }: Pick<TurnRecord, "owner" | "claim">,
): Promise<boolean> {
  if (owner === undefined || runningClaims.hasEnded(owner, claim)) return false;
  const isAlive = await callStore("ask for the owner of", owner, () => store.isOwnerAlive?.(owner));
  return isAlive !== false;
}

/** What becomes of a turn: another record, none, or `undefined` if it stays as it is. */
export type TurnChange = (record: TurnRecord | undefined, isMine: boolean) => TurnRecord | typeof removed | undefined;

/** How a turn was last seen, and by whom it is changed. */
export interface SeenTurn {
  /** Saves a read: the first `change` gets this record. */
  readonly record?: TurnRecord | undefined;
  readonly version?: number | undefined;
  /** The claim of the caller: a turn that has it is theirs, whatever else has been written to it. */
  readonly claim?: string | undefined;
}

/**
 * Changes a turn: the only way to write one. `change` is asked again for the newest record as long as others write too. Returns the
 * row as it is now, or was before it was removed; `undefined` if it stays as it is.
 */
export async function changeTurn(
  store: CheckpointStore,
  key: string,
  change: TurnChange,
  seen?: SeenTurn,
): Promise<StoredTurn | undefined> {
  const claim = seen?.claim;
  const isMine = (record: TurnRecord | undefined): boolean => claim !== undefined && record?.claim === claim;
  const changed = await changeRow<TurnRecord>(store, key, {
    decode: (data) => decode(key, data),
    change: (record) => change(record, isMine(record)),
    known: seen && { row: seen.record, version: seen.version },
  });
  return storedTurn(key, changed);
}

/** A change that makes another turn of one that is as it was seen. */
export function ifUnchanged(
  seen: TurnRecord | undefined,
  next: (record: TurnRecord | undefined) => TurnRecord | typeof removed,
): TurnChange {
  return (record) => (record === seen ? next(record) : undefined);
}

function decode(key: string, data: Uint8Array): TurnRecord {
  const record = parseRow(data);
  if (!isFields(record) || record.version !== 1 || !Array.isArray(record.messages)) {
    throw unreadableCheckpoint(`"${key}" is not a turn of a thread`);
  }
  return record as object as TurnRecord;
}
