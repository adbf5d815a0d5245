import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isConflict } from "../../checkpoint/errors.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { AgenticMessage, TokenUsage } from "../../schema/message/agentic-message.js";
import type { EndReason } from "../agent-result.js";
import { noUsage } from "../agent-state.js";
import type { PromptMessage } from "../call-options.js";
import { invalidAgentOption, noSuchTurn, nothingToAppend, threadWaiting, turnUnderWay } from "../errors.js";
import { promptMessages } from "../prompt-messages.js";
import { forkThread, type ThreadForkOptions } from "./fork.js";
import { messagesOfTurns } from "./open-turn.js";
import {
  clearTurn,
  mayRun,
  readTurn,
  readTurns,
  runIdOf,
  type TurnRecord,
  threadIds,
  threadKeys,
  turnKey,
  turnKeys,
  turnOfRunId,
  writeTurn,
} from "./turn-row.js";

/**
 * How far a turn is. `running`: its process may live. `cut_off`: its process is gone, or nobody has begun to run it. Turns that
 * wait, have failed or were cut off can be resumed.
 */
export type TurnStatus = "running" | "cut_off" | "waiting" | "done" | "failed" | "aborted";

/** One turn of a thread: a prompt, and its result. */
export interface Turn {
  /** The number of the turn, starting at 1. */
  readonly number: number;
  /** What the turn added to the thread: the prompt, the answers and the results of calls. */
  readonly messages: readonly AgenticMessage[];
  /** The agent that answers, or answered last; "" if none did. */
  readonly agent: string;
  /** How far the turn is. */
  readonly status: TurnStatus;
  /** Why the turn ended, once it is done. */
  readonly finishReason?: EndReason | undefined;
  /** The tokens of the turn. */
  readonly usage: TokenUsage;
  /** The same by `provider/model`. */
  readonly usageByModel: Readonly<Record<string, TokenUsage>>;
  /** The questions that the turn waits for. */
  readonly interrupts: readonly Interrupt[];
  /** While the turn waits: the results of calls that have finished beside those that wait. Otherwise they are messages. */
  readonly results: readonly AgenticMessage[];
  /** When the prompt arrived. */
  readonly startedAt: Date;
  /** Present while the turn can be resumed, and if a history is kept. */
  readonly checkpointId?: string | undefined;
}

/**
 * The conversations in a store.
 *
 * @example
 * const all = threads(memoryStore());
 * await all.append("u-1", [{ role: "user", content: "I live in Kyoto." }]);
 * for await (const { number, status } of all.turns("u-1")) console.log(number, status);
 * await all.truncate("u-1", 0);
 */
export interface Threads {
  /** All messages of a thread, in order. */
  messages(id: string): Promise<AgenticMessage[]>;
  /** The turns of a thread, the oldest first. */
  turns(id: string): AsyncIterable<Turn>;
  /**
   * Adds messages as a separate turn, for example from another conversation. A turn that has failed can no longer be resumed after
   * it. Rejects with `THREAD_BUSY` while a turn is running, and with `THREAD_WAITING` while one waits for answers.
   */
  append(id: string, messages: readonly PromptMessage[]): Promise<void>;
  /** Removes all turns after this one; `0` removes all turns. Rejects with `UNKNOWN_CHECKPOINT` if that turn does not exist. */
  truncate(id: string, turn: number): Promise<void>;
  /** Removes all turns, with their checkpoints and recorded events. An unknown thread is not an error. */
  delete(id: string): Promise<void>;
  /** Copies a thread up to a turn, and returns the id of the copy. The original stays unchanged. */
  fork(id: string, options?: ThreadForkOptions): Promise<string>;
  /** The ids of all threads that start with the prefix. */
  list(prefix?: string): AsyncIterable<string>;
}

/**
 * Reads and edits the threads in a store, as written by agents that were called with a `threadId`.
 *
 * @example
 * const store = memoryStore();
 * const agent = createAgent({ model, store });
 * await agent.generate("Hi", { threadId: "u-1" });
 * console.log(await threads(store).messages("u-1"));
 */
export function threads(store: CheckpointStore): Threads {
  if (typeof store?.get !== "function" || typeof store.list !== "function") {
    throw invalidAgentOption("threads takes the store that the agent was given: memoryStore(), sqliteStore(…), ….");
  }
  return {
    messages: async (id) => messagesOfTurns(await readTurns(store, id)),
    turns: (id) => turnsOf(store, id),
    append: async (id, messages) => append(store, id, promptMessages(messages, "messages")),
    truncate: (id, turn) => truncate(store, id, turn),
    delete: (id) => removeFrom(store, id, 0),
    fork: (id, options) => forkThread(store, id, options),
    list: (prefix = "") => threadIds(store, prefix),
  };
}

async function* turnsOf(store: CheckpointStore, id: string): AsyncGenerator<Turn, void> {
  const all = await threadKeys(store, id);
  const runs = new Set(all.filter((key) => turnOfRunId(key) !== undefined));
  const keys = all.filter((key) => turnOfRunId(runIdOf(key)) !== undefined);
  for (const key of keys) {
    const stored = await readTurn(store, key);
    if (stored === undefined) continue;
    const turn = await turnIn(store, stored.record);
    const canResume = (turn.status !== "done" && key === keys.at(-1)) || runs.has(runIdOf(key));
    yield canResume ? { ...turn, checkpointId: runIdOf(key) } : turn;
  }
}

async function turnIn(store: CheckpointStore, record: TurnRecord): Promise<Turn> {
  const { number, messages, agent, usage, usageByModel = {}, interrupts = [], results = [], finishReason } = record;
  const open = record.status === "open" && ((await mayRun(store, record)) ? "running" : "cut_off");
  const status: TurnStatus = open || (record.status as TurnStatus);
  const turn = { number, messages, agent, status, usage, usageByModel, interrupts, results };
  const startedAt = new Date(record.startedAt);
  return finishReason === undefined ? { ...turn, startedAt } : { ...turn, startedAt, finishReason };
}

async function append(store: CheckpointStore, id: string, messages: readonly AgenticMessage[]): Promise<void> {
  if (messages.length === 0) throw nothingToAppend();
  for (;;) {
    const last = (await readTurns(store, id)).at(-1)?.record;
    if (last?.status === "open") throw turnUnderWay(id);
    if (last?.status === "waiting") throw threadWaiting(id, last.interrupts);
    const { number = 0, agent = "", kept } = last ?? {};
    const record: TurnRecord = {
      version: 1,
      number: number + 1,
      status: "done",
      messages,
      agent,
      usage: noUsage,
      startedAt: Date.now(),
      ...(kept !== undefined && { kept }),
    };
    try {
      await writeTurn(store, turnKey(id, record.number), record, undefined);
      return;
    } catch (error) {
      // another writer was faster: look again
      if (!isConflict(error)) throw error;
    }
  }
}

async function truncate(store: CheckpointStore, id: string, turn: number): Promise<void> {
  const keys = await turnKeys(store, id);
  if (turn !== 0 && !keys.includes(turnKey(id, turn))) throw noSuchTurn(id, turn);
  await removeFrom(store, id, turn);
}

/** The newest first, so that what is left is always a thread. */
async function removeFrom(store: CheckpointStore, id: string, turn: number): Promise<void> {
  const kept = turn === 0 ? "" : turnKey(id, turn);
  for (const key of (await turnKeys(store, id)).toReversed()) {
    if (key <= kept) return;
    await clearTurn(store, key);
    await store.delete(key);
  }
}
