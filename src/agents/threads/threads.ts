import { checkOptions } from "../../check-options.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { isFields } from "../../is.js";
import type { AgenticMessage, TokenUsage } from "../../schema/message/agentic-message.js";
import type { EndReason } from "../agent-result.js";
import type { Prompt, PromptMessage } from "../call-options.js";
import { checkUser } from "../call-settings.js";
import {
  invalidAgentOption,
  noMessages,
  noSuchThread,
  noSuchTurn,
  notAPush,
  threadOfOtherUser,
  threadWaiting,
  turnUnderWay,
} from "../errors.js";
import { promptMessages } from "../prompt-messages.js";
import type { ThreadForkOptions } from "./fork.js";
import { messagesOfTurns } from "./open-turn.js";
import type { ThreadInfo, ThreadListOptions, ThreadSweepOptions, ThreadUpdate } from "./thread-info.js";
import type { Listed } from "./thread-list.js";
import {
  follows,
  mayRun,
  readThread,
  readTurn,
  readTurns,
  runIdOf,
  type StoredTurn,
  type TurnRecord,
  threadKeys,
  turnOfRunId,
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
  /** The name that its caller has given it. */
  readonly requestId?: string | undefined;
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
  /**
   * Removes all turns after this one; `0` removes all turns. Rejects with `UNKNOWN_CHECKPOINT` if that turn does not exist, and with
   * `THREAD_BUSY` while a turn is running.
   */
  truncate(id: string, turn: number): Promise<void>;
  /**
   * Stops what runs in a thread, and removes all turns, with their checkpoints and recorded events. An unknown thread is not an
   * error.
   */
  delete(id: string): Promise<void>;
  /** Copies a thread up to a turn, and returns the id of the copy. The original stays unchanged. */
  fork(id: string, options?: ThreadForkOptions): Promise<string>;
  /** What lists say about a thread; `undefined` if there is none. */
  info(id: string): Promise<ThreadInfo | undefined>;
  /** Changes whose thread it is, or its metadata. Rejects with `UNKNOWN_CHECKPOINT` if there is none. */
  update(id: string, change: ThreadUpdate): Promise<void>;
  /** Threads: those of a user with the newest first, others by their ids. */
  list(options?: ThreadListOptions): AsyncIterable<ThreadInfo>;
  /**
   * Stops the turn that runs or waits, in any process: at once in this one, within a second elsewhere. The turn is `aborted`, with
   * what was delivered of its answer. Returns whether there was one to stop.
   */
  stop(id: string): Promise<boolean>;
  /**
   * Says something to the turn that runs, in any process: the model reads it before its next answer, and a turn that is about to end
   * takes one more step for it. Returns whether a turn takes it; `false` if none runs. A message with an `id` is taken once.
   */
  push(id: string, prompt: Prompt): Promise<boolean>;
  /** Removes threads that have not changed for some time, and returns how many. Those that run stay. */
  sweep(options: ThreadSweepOptions): Promise<number>;
  /** Removes all threads of a user, and what is kept for the user; stops what runs. */
  deleteUser(userId: string): Promise<void>;
}

/**
 * Reads and edits the threads in a store, as written by agents that were called with a `threadId`. With a `userId`, only the threads of
 * that user are there; give it wherever a user asks.
 *
 * @example
 * const store = memoryStore();
 * const agent = createAgent({ model, store });
 * await agent.generate("Hi", { threadId: "u-1" });
 * console.log(await threads(store).messages("u-1"));
 */
export function threads(store: CheckpointStore, options: { readonly userId?: string } = {}): Threads {
  if (typeof store?.get !== "function" || typeof store.list !== "function") {
    throw invalidAgentOption("threads takes the store that the agent was given: memoryStore(), sqliteStore(…), ….");
  }
  checkOptions("threads", options, ["userId"]);
  checkUser("threads", options);
  return new StoredThreads(store, options.userId);
}

/** What changes threads is loaded once it is needed: most programs only read them. */
const changes = () => import("./change-thread.js");
/** What lists them is loaded in the same way. */
const lists = () => import("./thread-list.js");

class StoredThreads implements Threads {
  readonly #store: CheckpointStore;
  readonly #userId: string | undefined;

  constructor(store: CheckpointStore, userId: string | undefined) {
    this.#store = store;
    this.#userId = userId;
  }

  async messages(id: string): Promise<AgenticMessage[]> {
    return messagesOfTurns(await this.#read(id));
  }

  async *turns(id: string): AsyncGenerator<Turn, void> {
    const all = await threadKeys(this.#store, id);
    const runs = new Set(all.filter((key) => turnOfRunId(key) !== undefined));
    const keys = all.filter((key) => turnOfRunId(runIdOf(key)) !== undefined);
    let stored = await this.#turnAfter(undefined, keys[0]);
    if (!this.#owns(stored)) return;
    for (let index = 1; stored !== undefined; index++) {
      // behind the last turn there may be rows of those who began one too late
      const next: StoredTurn | undefined = await this.#turnAfter(stored.record, keys[index]);
      const isLast = next === undefined;
      const turn = await turnIn(this.#store, stored, isLast);
      const id = runIdOf(stored.key);
      yield (turn.status !== "done" && isLast) || runs.has(id) ? { ...turn, checkpointId: id } : turn;
      stored = next;
    }
  }

  async #turnAfter(before: TurnRecord | undefined, key: string | undefined): Promise<StoredTurn | undefined> {
    const stored = key === undefined ? undefined : await readTurn(this.#store, key);
    return stored !== undefined && follows(stored.record, before) ? stored : undefined;
  }

  async append(id: string, messages: readonly PromptMessage[]): Promise<void> {
    const prompt = promptMessages(messages, "messages");
    if (prompt.length === 0) throw noMessages("append");
    const store = this.#store;
    const { addTurn } = await changes();
    for (;;) {
      const { turns, strays } = await readThread(store, id);
      if (!this.#owns(turns[0])) throw threadOfOtherUser(id);
      const last = turns.at(-1)?.record;
      if (last?.status === "open") throw turnUnderWay(id);
      if (last?.status === "waiting") throw threadWaiting(id, last.interrupts);
      const userId = turns[0] === undefined ? this.#userId : turns[0].record.userId;
      if (await addTurn(store, id, prompt, { before: turns.at(-1), strays, userId })) return;
    }
  }

  async truncate(id: string, turn: number): Promise<void> {
    const turns = await this.#read(id);
    if (turn !== 0 && !turns.some(({ record }) => record.number === turn)) throw noSuchTurn(id, turn);
    if (turns.length > 0) await (await changes()).truncateThread(this.#store, id, turn);
  }

  async delete(id: string): Promise<void> {
    const [first] = await this.#read(id);
    if (first !== undefined || this.#userId === undefined) await (await changes()).deleteThread(this.#store, id);
  }

  async fork(id: string, options: ThreadForkOptions = {}): Promise<string> {
    const { forkThread } = await import("./fork.js");
    return forkThread(this.#store, id, await this.#read(id), options);
  }

  async info(id: string): Promise<ThreadInfo | undefined> {
    const info = await (await lists()).infoOf(this.#store, id);
    return this.#userId === undefined || info?.userId === this.#userId ? info : undefined;
  }

  async update(id: string, change: ThreadUpdate): Promise<void> {
    checkOptions("update of threads", change, ["userId", "metadata"]);
    checkUser("update of threads", change);
    this.#checkSame("update", change.userId);
    if (change.metadata !== undefined && !isFields(change.metadata))
      throw invalidAgentOption("metadata of update of threads must be an object.");
    const [first] = await this.#read(id);
    if (first === undefined) throw noSuchThread(id);
    await (await changes()).updateThread(this.#store, id, { first, update: change });
  }

  list(options: ThreadListOptions = {}): AsyncIterable<ThreadInfo> {
    checkOptions("list of threads", options, {
      prefix: [isString, "a string"],
      userId: true,
      waiting: [(waiting) => waiting === true, "true, or left out"],
    });
    checkUser("list of threads", options);
    this.#checkSame("list", options.userId);
    const { prefix = "", waiting, userId = this.#userId } = options;
    return this.#listed({ prefix, userId, isWaiting: waiting === true });
  }

  async *#listed(which: Listed): AsyncGenerator<ThreadInfo, void> {
    yield* (await lists()).listThreads(this.#store, which);
  }

  async stop(id: string): Promise<boolean> {
    if ((await this.#read(id)).length === 0) return false;
    return (await changes()).stopThread(this.#store, id);
  }

  async push(id: string, prompt: Prompt): Promise<boolean> {
    const messages = promptMessages(prompt);
    if (messages.length === 0 || messages.some(({ role }) => role !== "user")) throw notAPush(messages);
    const { asPushed, pushTo } = await import("./push.js");
    return pushTo(this.#store, await this.#read(id), asPushed(messages));
  }

  async sweep(options: ThreadSweepOptions): Promise<number> {
    const age = [isAge, "a number of milliseconds of at least 0"] as const;
    checkOptions("sweep of threads", options, { doneMs: age, waitingMs: age });
    if (options.doneMs === undefined)
      throw invalidAgentOption("sweep of threads needs doneMs, an age in milliseconds.");
    const now = Date.now();
    const isOld = ({ interrupts, updatedAt }: ThreadInfo): boolean => {
      const limit = interrupts.length > 0 ? (options.waitingMs ?? Number.POSITIVE_INFINITY) : options.doneMs;
      return now - updatedAt.getTime() >= limit;
    };
    const { sweepThread, sweepHeads } = await changes();
    let removed = 0;
    for await (const info of this.list()) {
      if (isOld(info) && (await sweepThread(this.#store, info.id, isOld))) removed += 1;
    }
    if (this.#userId === undefined) await sweepHeads(this.#store, (at) => now - at >= options.doneMs);
    return removed;
  }

  async deleteUser(userId: string): Promise<void> {
    checkUser("deleteUser", { userId });
    this.#checkSame("deleteUser", userId);
    const { deleteThread } = await changes();
    for await (const { id } of this.#listed({ prefix: "", userId, isWaiting: false })) {
      await deleteThread(this.#store, id);
    }
    await (await import("./head-row.js")).forgetUser(this.#store, userId);
    await this.#store.delete((await import("../user-state.js")).userKey(userId));
  }

  /** The turns of a thread, if it is there for the user. */
  async #read(id: string): Promise<readonly StoredTurn[]> {
    const turns = await readTurns(this.#store, id);
    return this.#owns(turns[0]) ? turns : [];
  }

  #owns(first: StoredTurn | undefined): boolean {
    return this.#userId === undefined || first === undefined || first.record.userId === this.#userId;
  }

  #checkSame(method: string, userId: string | undefined): void {
    if (userId === undefined || this.#userId === undefined || userId === this.#userId) return;
    throw invalidAgentOption(
      `${method} was given another userId than threads(store, { userId }): leave it out, or use threads(store).`,
    );
  }
}

const isAge = (value: unknown): boolean => typeof value === "number" && value >= 0;
const isString = (value: unknown): boolean => typeof value === "string";

/** Who died just as they resumed a turn that others had gone on from has left it open: it stays as it was. */
async function turnIn(store: CheckpointStore, stored: StoredTurn, isLast: boolean): Promise<Turn> {
  const isCutOff = isLast && (await isLeft(store, stored));
  const record = isCutOff ? await (await import("./left-turn.js")).withSavedRun(store, stored) : stored.record;
  const { number, messages, agent, usage, usageByModel = {}, interrupts = [], results = [] } = record;
  const { finishReason, requestId } = record;
  const status: TurnStatus = statusOf(record, isLast && (isCutOff ? "cut_off" : "running"));
  const turn = { number, messages, agent, status, usage, usageByModel, interrupts, results };
  return {
    ...turn,
    startedAt: new Date(record.startedAt),
    ...(finishReason !== undefined && { finishReason }),
    ...(requestId !== undefined && { requestId }),
  };
}

/** Whether nobody runs it, though it goes on. */
async function isLeft(store: CheckpointStore, stored: StoredTurn): Promise<boolean> {
  if (stored.record.status === "open") return !(await mayRun(store, stored.record));
  if (stored.record.status !== "waiting") return false;
  return (await import("./left-turn.js")).waitsNoMore(store, stored);
}

const statusOf = ({ status }: TurnRecord, open: TurnStatus | false): TurnStatus => {
  if (open === "cut_off") return open;
  return status === "open" ? open || "failed" : status;
};
