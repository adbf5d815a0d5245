import { unreadableCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { dropHistory } from "../../checkpoint/history/segments.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { isFields } from "../../is.js";
import type { AgenticMessage, FinishReason, TokenUsage } from "../../schema/message/agentic-message.js";
import { shorten } from "../../schema/shorten.js";
import type { EndReason } from "../agent-result.js";
import { encodedId } from "../call-settings.js";
import { invalidAgentOption, threadIdTooLong } from "../errors.js";
import { removeEvents } from "./turn-events.js";

/** How far a turn is, as it is stored. `open`: it runs, or what ran it is gone. */
export type RecordStatus = "open" | "waiting" | "done" | "failed" | "aborted";

/** What the result of a turn says beside its log. */
export interface StoredResult {
  readonly text: string;
  /** The accepted output, as JSON. */
  readonly output?: string | undefined;
  readonly steps: readonly StoredStep[];
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

/** One turn of a thread, as it is stored. */
export interface TurnRecord {
  readonly version: 1;
  readonly number: number;
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
  /** The answers that it was resumed with, by the ids of their interrupts. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  /** Why it ended, once it has. */
  readonly finishReason?: EndReason | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The process that runs it, and the name of the claim there. */
  readonly owner?: string | undefined;
  readonly claim?: string | undefined;
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
  const encoded = typeof id === "string" ? encodedId(id) : undefined;
  if (encoded === undefined) throw threadIdTooLong(String(id));
  return `${root}${encoded}/`;
}

export function turnKey(id: string, number: number): string {
  return `${threadPrefix(id)}${String(number).padStart(8, "0")}`;
}

export function runIdOf(key: string): string {
  return `${key}/run`;
}

/** The thread and turn that a checkpoint belongs to. */
export function turnOfRunId(checkpointId: string): { readonly id: string; readonly number: number } | undefined {
  const [, id, number] = /^~thread\/([^/]+)\/(\d{8})\/run$/.exec(checkpointId) ?? [];
  return id === undefined ? undefined : { id: decodeURIComponent(id), number: Number(number) };
}

/** The names of all threads, each once. */
export async function* threadIds(store: CheckpointStore, prefix: string): AsyncGenerator<string, void> {
  const start = encodedPrefix(prefix);
  if (start === undefined) return;
  let last: string | undefined;
  for await (const key of store.list(`${root}${start}`)) {
    const [, encoded] = /^~thread\/([^/]+)\//.exec(key) ?? [];
    if (encoded === undefined || encoded === last) continue;
    last = encoded;
    const id = decodeURIComponent(encoded);
    if (id.startsWith(prefix)) yield id;
  }
}

/** The common beginning of the encoded ids of all threads with a prefix; `undefined` if none can have it. */
function encodedPrefix(prefix: string): string | undefined {
  if (typeof prefix !== "string")
    throw invalidAgentOption(`list of threads takes a prefix, which is a string (got ${shorten(prefix)}).`);
  try {
    // the first half of a pair says nothing of how the whole is encoded
    return encodeURIComponent(prefix.replace(/[\ud800-\udbff]$/, ""));
  } catch {
    return undefined;
  }
}

/** The keys of the turns of a thread, in order. */
export async function turnKeys(store: CheckpointStore, id: string): Promise<string[]> {
  return (await threadKeys(store, id)).filter((key) => /\/\d{8}$/.test(key));
}

/** Those of its turns, and of their runs as far as they are kept. */
export async function threadKeys(store: CheckpointStore, id: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(threadPrefix(id))) keys.push(key);
  return keys;
}

export async function readTurn(store: CheckpointStore, key: string): Promise<StoredTurn | undefined> {
  const stored = (await store.get(key)) ?? undefined;
  if (stored === undefined) return undefined;
  return { key, record: decode(key, stored.data), version: stored.version };
}

/** The turns of a thread, in order. */
export async function readTurns(store: CheckpointStore, id: string): Promise<StoredTurn[]> {
  const keys = await turnKeys(store, id);
  const found = await Promise.all(keys.map((key) => store.get(key)));
  const turns: StoredTurn[] = [];
  for (const [index, key] of keys.entries()) {
    const stored = found[index] ?? undefined;
    if (stored !== undefined) turns.push({ key, record: decode(key, stored.data), version: stored.version });
  }
  return turns;
}

/** Removes what belongs to a turn beside its row: its run, the history of that, and its recorded events. */
export async function clearTurn(store: CheckpointStore, key: string): Promise<void> {
  await store.delete(runIdOf(key));
  if (store.append !== undefined) await dropHistory(store, runIdOf(key));
  await removeEvents(store, key);
}

/** Whether the process that runs an open turn may still live. A copy that has not been resumed has none. */
export async function mayRun(store: CheckpointStore, { owner, claim }: TurnRecord): Promise<boolean> {
  if (owner === undefined || runningClaims.hasEnded(owner, claim)) return false;
  return (await store.isOwnerAlive?.(owner)) !== false;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export async function writeTurn(
  store: CheckpointStore,
  key: string,
  record: TurnRecord,
  ifVersion: number | undefined,
): Promise<StoredTurn> {
  const version = await store.put(key, encoder.encode(JSON.stringify(record)), ifVersion);
  return { key, record, version };
}

function decode(key: string, data: Uint8Array): TurnRecord {
  let record: unknown;
  try {
    record = JSON.parse(decoder.decode(data));
  } catch {
    record = undefined;
  }
  if (!isFields(record) || record.version !== 1 || !Array.isArray(record.messages)) {
    throw unreadableCheckpoint(`"${key}" is not a turn of a thread`);
  }
  return record as object as TurnRecord;
}
