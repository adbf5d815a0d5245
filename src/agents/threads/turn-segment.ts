import { runAbandoned, unknownCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import { readDocument } from "../../checkpoint/document/read-document.js";
import { DrivenRun, type FoundRun, isStoreFailure, Patience, waitMs } from "../../checkpoint/journal/driven.js";
import { processOwner } from "../../checkpoint/journal/process-owner.js";
import { callStore, isLost, readRow } from "../../checkpoint/journal/store-calls.js";
import { InterruptError } from "../../checkpoint/pause/interrupt.js";
import { changeHead } from "../../checkpoint/runs/change-head.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import { clockOf } from "../../components/clock.js";
import { pause } from "../../components/pause.js";
import { defaultRuntime } from "../../compose/default-runtime.js";
import type { Answers } from "../../compose/options.js";
import type { SavedRun } from "../../compose/segment.js";
import { KumikoError } from "../../errors.js";
import { CallStop } from "../../run/call-stop.js";
import { savedAs } from "../../run/options/checkpoint-options.js";
import { endedRunOf, openQuestions } from "../../run/saved/saved-run.js";
import { fittingAnswers, runOptionsIn } from "../../run/saved/segment.js";
import type { AgentParts } from "../agent-parts.js";
import type { AgentResult } from "../agent-result.js";
import type { AgentCallOptions, Prompt } from "../call-options.js";
import { threadOfOtherUser } from "../errors.js";
import { promptMessages } from "../prompt-messages.js";
import { resultOf } from "../run-result.js";
import type { AgentSegmentOptions } from "../segment-options.js";
import { readHead } from "./head-row.js";
import { cutOff } from "./left-turn.js";
import { checkPrompt } from "./requests.js";
import { toldTurn } from "./stored-turn.js";
import {
  changeTurn,
  ifUnchanged,
  mayRun,
  readTurn,
  readTurns,
  runIdOf,
  type StoredTurn,
  type TurnRecord,
  turnKey,
} from "./turn-row.js";

/** Which turn is driven: by the name that its caller gave it, or by its number. */
export interface TurnTarget {
  readonly threadId: string;
  readonly requestId?: string | undefined;
  readonly number?: number | undefined;
}

/** How an agent runs what a segment decides. */
export interface TurnRunner {
  readonly parts: AgentParts;
  readonly store: CheckpointStore;
  begin(options: AgentCallOptions): Promise<AgentResult<unknown>>;
  resume(answers: Answers | undefined, options: AgentCallOptions): Promise<AgentResult<unknown>>;
}

type Turned = SavedRun<AgentResult<unknown>>;

/** Drives a turn of a thread from where it stands to its next pause or end. */
export async function driveTurn(runner: TurnRunner, target: TurnTarget, options: AgentSegmentOptions): Promise<Turned> {
  const { runtime } = runner.parts.options;
  const stop = new CallStop(options, clockOf({ runtime }));
  try {
    return await new TurnSegment(runner, target, options, stop).run();
  } finally {
    stop.over();
  }
}

class TurnSegment {
  readonly #runner: TurnRunner;
  readonly #target: TurnTarget;
  readonly #options: AgentSegmentOptions;
  readonly #stop: CallStop;
  readonly #patience: Patience;
  #attempt = 0;
  /** Whether the prompt is that of the turn. */
  #isChecked = false;
  /** A failed turn is entered once at most. */
  #retry: boolean;
  /** What the turn has answered here. */
  #answered: AgentResult<unknown> | undefined;

  constructor(runner: TurnRunner, target: TurnTarget, options: AgentSegmentOptions, stop: CallStop) {
    this.#runner = runner;
    this.#target = target;
    this.#options = options;
    this.#stop = stop;
    this.#patience = new Patience(options.storeWaitMs ?? 60_000, stop.clock);
    this.#retry = options.retry === true;
  }

  async run(): Promise<Turned> {
    const { store } = this.#runner;
    const { threadId } = this.#target;
    for (;;) {
      const turns = await this.#patience.try(() => readTurns(store, threadId), this.#stop.signal);
      this.#stop.signal.throwIfAborted();
      const { userId } = this.#options;
      const [first] = turns;
      if (first !== undefined && userId !== undefined && first.record.userId !== userId)
        throw threadOfOtherUser(threadId);
      const turn = turns.find((one) => this.#isMeant(one));
      if (turn !== undefined) await this.#checkPrompt(turn);
      const done = turn === undefined ? await this.#begin() : await this.#goOn(turn, turn === turns.at(-1));
      if (done === "again") continue;
      if (done !== undefined) return done;
      await pause(waitMs(this.#attempt++), this.#stop.clock, this.#stop.signal);
    }
  }

  #isMeant({ record }: StoredTurn): boolean {
    const { requestId, number } = this.#target;
    if (requestId === undefined) return record.number === number;
    return record.requestId === requestId || record.requests?.some(({ id }) => id === requestId) === true;
  }

  async #checkPrompt({ record }: StoredTurn): Promise<void> {
    const { requestId } = this.#target;
    const { input } = this.#options;
    if (this.#isChecked || requestId === undefined || input === undefined) return;
    await checkPrompt(promptMessages(input as Prompt), record, requestId);
    this.#isChecked = true;
  }

  async #begin(): Promise<Turned | "again" | undefined> {
    const { threadId, requestId, number } = this.#target;
    if (requestId === undefined) {
      // a run of a turn that is gone
      const id = runIdOf(turnKey(threadId, number ?? 0));
      const remove = () => callStore("remove", id, () => this.#runner.store.delete(id));
      await this.#patience.try(remove, this.#stop.signal);
      throw unknownCheckpoint(id);
    }
    if (!Object.hasOwn(this.#options, "input")) throw unknownCheckpoint(`${threadId}/${requestId}`);
    // it was done here, and its turn was replaced or its thread deleted since then
    if (this.#answered !== undefined) return { ...this.#inThread(), status: "finished", output: this.#answered };
    const driven = new DrivenRun(undefined, 0, this.#patience, true);
    return this.#execute(driven, (options) => this.#runner.begin({ ...options, threadId, requestId }));
  }

  async #goOn(turn: StoredTurn, isNewest: boolean): Promise<Turned | "again" | undefined> {
    const { record, key } = turn;
    const found = await this.#run(key);
    const known = found?.document.status;
    const over = this.#overAs(record, isNewest);
    if (over !== undefined) {
      // its process may have died before it did
      if (found !== undefined) await this.#settle(key, over);
      return over === "finished" ? this.#finished(turn, found) : this.#state(turn, found, over);
    }
    const { document } = found ?? {};
    const now = this.#stop.clock.now();
    const answers = document && fittingAnswers(document, this.#options.answers, now);
    if (record.status === "waiting" && (known === undefined || known === "waiting")) {
      // its run is gone: somebody has ended it since
      if (known === undefined && (await this.#hasChanged(turn))) return "again";
      const isLate = record.interrupts?.some(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now) === true;
      if (!isLate && answers === undefined) return this.#state(turn, found, "waiting");
    }
    let attempts = document?.attempts ?? 0;
    let takeover: { takeover?: true } = {};
    if (record.status === "open") {
      const left = await this.#leftBy(turn, found);
      if (left === undefined) return this.#busy(turn, found);
      if (left === "late") takeover = { takeover: true };
      const { maxAttempts = 5 } = this.#options;
      attempts += document !== undefined && (await this.#hasKilled(document, record)) ? 1 : 0;
      if (attempts >= maxAttempts) {
        await this.#patience.try(() => this.#abandon(turn, found, attempts), this.#stop.signal);
        return undefined;
      }
    }
    if (this.#stop.isInterrupted) return this.#state(turn, found, "ready");
    this.#retry = false;
    const driven = new DrivenRun(found, attempts, this.#patience, true);
    return this.#execute(driven, (options) => this.#runner.resume(answers, { ...options, ...takeover }), turn);
  }

  async #hasChanged({ key, version }: StoredTurn): Promise<boolean> {
    const now = await this.#patience.try(() => readTurn(this.#runner.store, key), this.#stop.signal);
    return now?.version !== version;
  }

  /** `undefined` for a turn that can be gone on with. */
  #overAs({ status }: TurnRecord, isNewest: boolean): "finished" | "cancelled" | "failed" | undefined {
    if (status === "done") return "finished";
    if (status === "aborted") return "cancelled";
    return !isNewest || (status === "failed" && !this.#retry) ? "failed" : undefined;
  }

  async #settle(key: string, status: "finished" | "cancelled" | "failed"): Promise<void> {
    const { settleRun } = await import("./settle-run.js");
    await this.#patience.try(() => settleRun(this.#runner.store, key, status), this.#stop.signal);
  }

  async #leftBy({ record }: StoredTurn, found: FoundRun | undefined): Promise<"left" | "late" | undefined> {
    const isBusy = await this.#patience.try(() => mayRun(this.#runner.store, record), this.#stop.signal);
    if (!isBusy) return "left";
    const { takeoverAfterMs } = this.#options;
    const since = found?.document.since ?? record.startedAt;
    return takeoverAfterMs !== undefined && this.#stop.clock.now() - since > takeoverAfterMs ? "late" : undefined;
  }

  /** Whether the process that ran it has died. Others may have gone on with it since its turn was read. */
  async #hasKilled({ status, owner, claim }: CheckpointDocument, record: TurnRecord): Promise<boolean> {
    // a claim that this process left behind does not mean that anyone died
    if (status !== "running" || owner === processOwner()) return false;
    if (owner === record.owner) return true;
    return !(await this.#patience.try(() => mayRun(this.#runner.store, { owner, claim }), this.#stop.signal));
  }

  #busy(turn: StoredTurn, found: FoundRun | undefined): Turned | undefined {
    const mayReturn = this.#options.onBusy === "return" || this.#stop.isInterrupted;
    return mayReturn ? this.#state(turn, found, "running") : undefined;
  }

  /** The run of a turn, as it is saved. */
  async #run(key: string): Promise<FoundRun | undefined> {
    const { store, parts } = this.#runner;
    const id = runIdOf(key);
    const row = await this.#patience.try(() => readRow(store, id), this.#stop.signal);
    const { codecs } = parts.options.runtime ?? defaultRuntime;
    return row && { row, document: readDocument(row, codecOf(codecs)) };
  }

  /** Runs what it has chosen. `undefined`: look again, later. What it has become is read, so that all callers see the same. */
  async #execute(
    driven: DrivenRun,
    work: (options: AgentCallOptions) => Promise<AgentResult<unknown>>,
    turn?: StoredTurn,
  ): Promise<Turned | "again" | undefined> {
    const { record, ...given } = runOptionsIn(this.#options) as AgentCallOptions & { readonly record?: unknown };
    const options = savedAs({ ...given, ...this.#stop.left }, { driven });
    const { name } = this.#runner.parts;
    try {
      const result = await work(options);
      if (result.finishReason !== "waiting") this.#answered = result;
    } catch (error) {
      // one that is asked to stop before its first task rejects
      if (!(InterruptError.is(error) && driven.ended?.status === "ready")) return this.#afterFailure(error, driven);
    }
    const { ended } = driven;
    if (ended?.status !== "ready") return "again";
    const id = turn === undefined ? await this.#newestRun() : runIdOf(turn.key);
    return endedRunOf(id, name, ended, () => undefined as never);
  }

  async #afterFailure(error: unknown, { isClaimed, ended }: DrivenRun): Promise<Turned | "again" | undefined> {
    if (this.#stop.signal.aborted) throw error;
    if (isLost(error)) return undefined;
    if (KumikoError.is(error) && busyCodes.includes(error.code)) {
      const mayReturn = this.#options.onBusy === "return" && error.code === "THREAD_BUSY";
      return mayReturn ? { ...this.#inThread(), status: "running" } : undefined;
    }
    if (isStoreFailure(error)) {
      if (this.#patience.isOver || ended !== undefined) throw error;
      return undefined;
    }
    const turns = await this.#patience.try(() => readTurns(this.#runner.store, this.#target.threadId));
    const { status } = turns.find((one) => this.#isMeant(one))?.record ?? {};
    // another process has ended it since it was read
    if (!isClaimed && status === "done") return "again";
    if (KumikoError.is(error) && !isClaimed) throw error;
    // what threads.stop has ended is how it stands, not an error
    if (status !== "aborted" && (status !== "failed" || !isClaimed)) throw error;
    return "again";
  }

  async #newestRun(): Promise<string> {
    const { threadId } = this.#target;
    const turns = await this.#patience.try(() => readTurns(this.#runner.store, threadId), this.#stop.signal);
    const turn = turns.find((one) => this.#isMeant(one));
    return turn === undefined ? this.#target.threadId : runIdOf(turn.key);
  }

  /** The fields of a result without a turn: another one is running, or it was removed. */
  #inThread() {
    const now = new Date(this.#stop.clock.now());
    const { name: graph } = this.#runner.parts;
    return { ...none, id: this.#target.threadId, graph, startedAt: now, changedAt: now };
  }

  /** It has killed too many processes. */
  async #abandon(turn: StoredTurn, found: FoundRun | undefined, attempts: number): Promise<void> {
    const { store, parts } = this.#runner;
    const id = runIdOf(turn.key);
    if (found !== undefined) {
      const { codecs } = parts.options.runtime ?? defaultRuntime;
      const error: unknown = JSON.parse(codecOf(codecs).encode(runAbandoned(id, attempts), "the error"));
      const since = Math.floor(this.#stop.clock.now());
      const change = { status: "failed", owner: undefined, claim: undefined, since, attempts, error: [error] };
      // written before the turn: who reads that it has failed finds out why
      if (!(await changeHead(store, id, found.row, change))) return;
    }
    const closed = await cutOff(store, turn, { runtime: parts.options.runtime });
    const written = ifUnchanged(turn.record, () => ({ ...closed, status: "failed" }));
    await changeTurn(store, turn.key, written, turn);
  }

  async #finished(turn: StoredTurn, found: FoundRun | undefined): Promise<Turned> {
    const { parts } = this.#runner;
    const { threadId } = this.#target;
    const { state } = toldTurn(turn.record, threadId);
    const output = await resultOf({ root: parts, state, asked: { threadId } }, undefined);
    const read = (): ReturnType<typeof readHead> => readHead(this.#runner.store, threadId);
    const head = found === undefined ? (await this.#patience.try(read, this.#stop.signal)).row : undefined;
    const changedAt = head?.turns === turn.record.number ? { changedAt: new Date(head.updatedAt) } : {};
    return { ...this.#fields(turn, found), ...changedAt, status: "finished", output };
  }

  #state(
    turn: StoredTurn,
    found: FoundRun | undefined,
    status: "ready" | "running" | "waiting" | "failed" | "cancelled",
  ): Turned {
    const { record } = turn;
    const { document } = found ?? {};
    const open = document === undefined ? [] : openQuestions(document);
    const interrupts = status !== "waiting" ? [] : open.length > 0 ? open : (record.interrupts ?? []);
    const owner = status === "running" && record.owner !== undefined ? { owner: record.owner } : {};
    const cause = status === "failed" ? document?.error?.value : undefined;
    const error = KumikoError.is(cause) ? { error: cause } : {};
    return { ...this.#fields(turn, found), ...owner, ...error, interrupts, status };
  }

  #fields({ key, record }: StoredTurn, found: FoundRun | undefined) {
    const { since = record.startedAt, attempts = 0 } = found?.document ?? {};
    const { name: graph } = this.#runner.parts;
    const times = { startedAt: new Date(record.startedAt), changedAt: new Date(since) };
    return { ...none, id: runIdOf(key), graph, ...times, attempts };
  }
}

const none = { attempts: 0, interrupts: [] } as const;

/** Someone else wrote first, or is running it. */
const busyCodes: readonly string[] = ["THREAD_BUSY", "CHECKPOINT_IN_USE", "CHECKPOINT_CONFLICT", "CHECKPOINT_PENDING"];
