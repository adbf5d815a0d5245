import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { type DrivenRun, isStoreFailure, releaseLater } from "../../checkpoint/journal/driven.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import { isLost } from "../../checkpoint/journal/store-calls.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { type Clock, clockOf } from "../../components/clock.js";
import { KumikoError } from "../../errors.js";
import type { SavedAs } from "../../run/options/checkpoint-options.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { type AgentParts, reachableFrom } from "../agent-parts.js";
import { type AgentState, contextKey, keptContext } from "../agent-state.js";
import { turnTaken } from "../errors.js";
import { asPrompt } from "../said-before.js";
import { announceWaiting, settleHead } from "./head-row.js";
import { pushedAsLogged, untakenLogged, withPushedOf, withUnjudged } from "./push.js";
import { storedResult } from "./stored-turn.js";
import {
  changeTurn,
  type RecordStatus,
  readTurn,
  runIdOf,
  type StoredTurn,
  type TurnChange,
  type TurnRecord,
} from "./turn-row.js";

/** The outcome of a turn. */
export interface TurnEnd {
  readonly state: AgentState | undefined;
  readonly messages: readonly AgenticMessage[];
  readonly interrupts?: readonly Interrupt[] | undefined;
  /** Of calls that have finished, of a round that waits. `undefined` if nothing has run: then they are as they were. */
  readonly results?: readonly AgenticMessage[] | undefined;
  readonly error?: unknown;
}

/** Errors that leave a question open. */
const stillWaiting: readonly string[] = [
  "ANSWER_MISMATCH",
  "UNKNOWN_INTERRUPT",
  "AMBIGUOUS_INTERRUPT",
  "ALREADY_ANSWERED",
  "UNKNOWN_TOOL",
];

/** The turns of threads that this process runs, by their claims. */
const running = new Map<string | undefined, ThreadTurn>();

export const turnOfClaim = (claim: string | undefined): ThreadTurn | undefined => running.get(claim);

/** A stop from another process is seen within a second. */
const lookMs = 500;

/** A turn of a thread that this process runs. */
export class ThreadTurn {
  readonly threadId: string;
  /** Of the turns before this one. */
  readonly history: readonly AgenticMessage[];
  /** Whose thread it is. */
  readonly userId: string | undefined;
  readonly #store: CheckpointStore;
  readonly #parts: AgentParts;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #timer: unknown;
  /** Its record before it was resumed. */
  readonly #former: TurnRecord | undefined;
  #stored: StoredTurn;
  /** Of its record until it is closed. */
  readonly #claim: string | undefined;
  #isDone = false;

  constructor(
    store: CheckpointStore,
    parts: AgentParts,
    turn: {
      readonly threadId: string;
      readonly userId: string | undefined;
      readonly history: readonly AgenticMessage[];
      readonly stored: StoredTurn;
      readonly former?: TurnRecord | undefined;
    },
  ) {
    this.#store = store;
    this.#parts = parts;
    this.threadId = turn.threadId;
    this.userId = turn.userId;
    this.history = turn.history;
    this.#stored = turn.stored;
    this.#former = turn.former;
    this.#clock = clockOf(parts.options);
    this.#claim = turn.stored.record.claim;
    running.set(this.#claim, this);
    this.#wait();
  }

  /** Aborted when the turn is stopped by `threads.stop`, in whatever process. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Looks from time to time whether another process wants it to stop. */
  #wait(): void {
    const timer = this.#clock.setTimer(() => void this.#look(), lookMs);
    (timer as { unref?(): void }).unref?.();
    this.#timer = timer;
  }

  async #look(): Promise<void> {
    const now = await readTurn(this.#store, this.#stored.key).catch(() => undefined);
    if (!running.has(this.#claim)) return;
    if (now?.record.stops === true && now.record.claim === this.#claim) this.stop();
    else this.#wait();
  }

  get number(): number {
    return this.#stored.record.number;
  }

  get checkpointId(): string {
    return runIdOf(this.#stored.key);
  }

  /** Whether it has ended before any node ran: a run under its id is that of another turn, which is gone. */
  get hasNotBegun(): boolean {
    return this.#former?.notBegun === true;
  }

  /** Whether it may have ended before its run was saved for the first time. */
  get mayNotHaveBegun(): boolean {
    return this.#former?.status === "open" || this.hasNotBegun;
  }

  /** Whether it ended in another way than by waiting: then all of its nodes may have ended. */
  get hasBrokenOff(): boolean {
    return this.#former !== undefined && this.#former.status !== "waiting";
  }

  /** The questions that it waited for. */
  get questions(): readonly Interrupt[] {
    return this.#former?.interrupts ?? [];
  }

  get messages(): readonly AgenticMessage[] {
    const { messages } = this.#stored.record;
    return this.hasNotBegun ? messages.map(asPrompt) : messages;
  }

  get kept(): Readonly<Record<string, unknown>> | undefined {
    return this.#stored.record.kept;
  }

  get active(): string {
    return this.#stored.record.agent;
  }

  /** Writes that the turn is done, once: before its checkpoint is removed, so that no crash in between loses the answer. */
  async finish(state: AgentState, driven?: DrivenRun): Promise<void> {
    if (this.#isDone) return;
    await this.close("done", { state, messages: state.log }, driven);
    this.#isDone = true;
  }

  /** The answer, if it was in the thread before the run was lost, as when the turn is replaced at once. */
  answerBefore(error: unknown): AgenticMessage | undefined {
    return this.#isDone && isLost(error) ? this.#stored.record.messages.at(-1) : undefined;
  }

  async since(taken: number): Promise<readonly AgenticMessage[]> {
    // a store that is away for a moment fails no turn: what was said is read before the next answer, or the end
    const now = await readTurn(this.#store, this.#stored.key).catch(() => undefined);
    if (now === undefined || now.record.claim !== this.#claim) return [];
    this.#stored = now;
    return now.record.pushed?.slice(taken) ?? [];
  }

  async seal(taken: number, driven?: DrivenRun): Promise<boolean> {
    let isSealed = true;
    const change: TurnChange = (now, isMine) => {
      isSealed = !isMine || (now?.pushed?.length ?? 0) <= taken;
      return now !== undefined && isMine && isSealed ? { ...now, sealed: true } : undefined;
    };
    const before = { ...this.#stored, claim: this.#claim };
    const sealed = await patiently(driven, () => changeTurn(this.#store, this.#stored.key, change, before));
    if (sealed !== undefined) this.#stored = sealed;
    return isSealed;
  }

  /** How its run is saved. */
  get saved(): SavedAs {
    return { hasReservedId: true, threadId: this.threadId, userId: this.userId };
  }

  /** Whether it goes on later: the segment that drives it was stopped, could not save it, or has lost its run. */
  isLeft({ error, isAborted }: { error: unknown; isAborted: boolean }, driven: DrivenRun | undefined): boolean {
    if (driven === undefined || this.signal.aborted) return false;
    return isAborted || isStoreFailure(error) || isLost(error) || driven.ended?.status === "ready";
  }

  /** Leaves the turn as it is, for whoever goes on with it. */
  async release(driven?: DrivenRun): Promise<void> {
    const { key } = this.#stored;
    const change: TurnChange = (now, isMine) => {
      if (now === undefined || !isMine) return undefined;
      const { owner, claim, stops, ...rest } = now;
      return rest;
    };
    const write = async (): Promise<void> => {
      await changeTurn(this.#store, key, change, { ...this.#stored, claim: this.#claim });
    };
    try {
      await write();
    } catch (error) {
      // other processes wait for this one otherwise
      if (driven !== undefined && isStoreFailure(error)) releaseLater(this.#store, key, write, this.#clock);
      throw error;
    } finally {
      this.#leave();
    }
  }

  /** Writes the outcome of the turn, unless another process has taken it over. A segment bears a store that is away. */
  async close(status: Exclude<RecordStatus, "open">, end: TurnEnd, driven?: DrivenRun): Promise<void> {
    const { threadId: id, userId } = this;
    const { record, key } = this.#stored;
    const { number } = record;
    try {
      if (status === "waiting") await patiently(driven, () => announceWaiting(this.#store, id, { number, userId }));
      // a write whose confirmation was lost is found again
      let attempted: TurnRecord | undefined;
      const change: TurnChange = (now, isMine) => {
        if (attempted !== undefined && JSON.stringify(now) === JSON.stringify(attempted)) return now;
        if (now === undefined || !isMine) return undefined;
        attempted = this.#closed(now, status, end);
        return attempted;
      };
      const before = { ...this.#stored, claim: this.#claim };
      const closed = await patiently(driven, () => changeTurn(this.#store, key, change, before));
      if (closed !== undefined) await this.#settle(closed);
      else await this.#wasTaken(status);
    } catch (error) {
      if (driven !== undefined && isStoreFailure(error)) await this.release(driven).catch(() => undefined);
      throw error;
    } finally {
      this.#leave();
    }
  }

  /** Somebody else goes on with the turn, or has removed it: then nothing of it may stay. */
  async #wasTaken(status: RecordStatus): Promise<void> {
    const { key, record } = this.#stored;
    if ((await readTurn(this.#store, key)) === undefined) await this.#store.delete(runIdOf(key));
    if (status === "done" || status === "waiting") throw turnTaken(this.threadId, record.number);
  }

  /** The turn is closed: that lists hear of it later may not fail it. */
  async #settle(closed: StoredTurn): Promise<void> {
    this.#stored = closed;
    const { userId } = this;
    await settleHead(this.#store, this.threadId, closed, { at: this.#clock.now(), userId }).catch(() => undefined);
  }

  #leave(): void {
    this.#clock.clearTimer(this.#timer);
    running.delete(this.#claim);
    runningClaims.close(this.#claim);
  }

  #closed(record: TurnRecord, status: RecordStatus, end: TurnEnd): TurnRecord {
    const former = this.#former;
    const { owner, claim, stops, sealed, interrupts: _, results: kept, ...others } = record;
    const { state, interrupts, results = kept, error } = end;
    const { pushed, taken, ...rest } = others;
    const told = status === "done" ? {} : pushedAsLogged(others, end.messages);
    const logged = status === "done" ? end.messages : withUnjudged(end.messages, others, state?.heard);
    // one that waits takes them when it goes on
    const messages = status === "waiting" ? end.messages : [...logged, ...untakenLogged(told, others)];
    // nothing has run, so it stays what it was; one without an owner can be resumed
    if (former !== undefined && (state === undefined || (former.status === "waiting" && leavesOpen(error)))) {
      if (former.status === "open") return { ...others, status: "open" };
      return { ...withPushedOf(others, former), ...userOf(rest) };
    }
    // its prompt has them now
    if (state === undefined) return { ...rest, status, messages, notBegun: true };
    return {
      ...rest,
      ...told,
      status,
      messages,
      agent: state.active,
      usage: state.usage,
      usageByModel: state.usageByModel,
      result: storedResult(state),
      ...(status === "done" && { finishReason: state.end ?? "stop" }),
      ...(interrupts !== undefined && { interrupts, results }),
      ...keptOf(this.#parts, state, { former: rest.kept, history: this.history }),
    };
  }
}

/** A segment bears a store that is away. */
function patiently<T>(driven: DrivenRun | undefined, work: () => Promise<T>): Promise<T> {
  return driven === undefined ? work() : driven.patience.try(work);
}

function leavesOpen(error: unknown): boolean {
  return KumikoError.is(error) && stillWaiting.includes(error.code);
}

/** As a field of a record, if the thread has one. */
export function userOf({ userId }: Pick<TurnRecord, "userId">): Pick<TurnRecord, "userId"> {
  return userId === undefined ? {} : { userId };
}

/** The states that live as long as the thread. */
export function keptOf(
  parts: AgentParts,
  state: AgentState,
  { former, history }: { readonly former: TurnRecord["kept"]; readonly history?: readonly AgenticMessage[] },
): Pick<TurnRecord, "kept"> {
  const { middleware } = state;
  const names = reachableFrom(parts).flatMap((agent) =>
    agent.middleware.filter(({ scope }) => scope === "thread").map(({ name }) => name),
  );
  const kept: Record<string, unknown> = { ...former };
  for (const name of names) if (Object.hasOwn(middleware, name)) kept[name] = middleware[name];
  const context = history && keptContext(state, [...history, ...state.log]);
  if (context !== undefined) kept[contextKey] = context;
  return Object.keys(kept).length === 0 ? {} : { kept };
}
