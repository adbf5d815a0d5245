import { checkOptions, type OptionCheck } from "../../check-options.js";
import { inCheckpoint, otherGraph, runAbandoned, unknownCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import { readDocument } from "../../checkpoint/document/read-document.js";
import { isConflict, noStore } from "../../checkpoint/errors.js";
import { checkCheckpointId } from "../../checkpoint/journal/checkpoint-id.js";
import { DrivenRun, type FoundRun, isStoreFailure, Patience, waitMs } from "../../checkpoint/journal/driven.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import { callStore, isLost, readRow } from "../../checkpoint/journal/store-calls.js";
import { InterruptError } from "../../checkpoint/pause/interrupt.js";
import { isStopInfo } from "../../checkpoint/pause/stop-info.js";
import { changeHead, released } from "../../checkpoint/runs/change-head.js";
import { unbegunRun } from "../../checkpoint/runs/unbegun-run.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import type { ValueCodec } from "../../checkpoint/values/value-codec.js";
import { pause } from "../../components/pause.js";
import type { Answers, RunOptions } from "../../compose/options.js";
import type { Plan } from "../../compose/plan/plan.js";
import type { Runtime } from "../../compose/runtime.js";
import type { SavedRun, SegmentOptions, SegmentSettings } from "../../compose/segment.js";
import { type ErrorCode, KumikoError } from "../../errors.js";
import { isFields } from "../../is.js";
import { CallStop } from "../call-stop.js";
import { savedAs } from "../options/checkpoint-options.js";
import { endedRunOf, openQuestions, savedRunOf } from "./saved-run.js";

/** What a segment drives. */
export interface SegmentTarget<O> {
  /** The name of the graph. */
  readonly name: string;
  readonly store: CheckpointStore | undefined;
  readonly runtime: Runtime;
  /** Checks the options of a run. */
  check(options: RunOptions): void;
  /** Starts a run under an id. */
  start(input: unknown, options: RunOptions & { readonly checkpointId: string }): Promise<O>;
  resume(id: string, answers: Answers | undefined, options: RunOptions): Promise<O>;
  /** The output of a finished run. */
  output(document: CheckpointDocument): O | Promise<O>;
  /** Its id may begin with `~`. */
  readonly hasReservedId?: boolean;
}

const isTime: OptionCheck = [
  (given) => typeof given === "number" && given >= 0,
  "a number of milliseconds of at least 0",
];

const settings: { readonly [Name in keyof SegmentSettings]-?: OptionCheck | true } = {
  input: true,
  answers: [isFields, "a record of answers by interrupt id, or { byAddress: { … } }"],
  onBusy: [(given) => given === "wait" || given === "return", '"wait" or "return"'],
  retry: [(given) => typeof given === "boolean", "true or false"],
  maxAttempts: [(given) => typeof given === "number" && given >= 1, "a number of at least 1"],
  takeoverAfterMs: isTime,
  storeWaitMs: isTime,
};

const runNames: readonly string[] = [
  "signal",
  "timeoutMs",
  "maxConcurrency",
  "callbacks",
  "requestContext",
  "maxSteps",
  "options",
  "nodes",
  "control",
] satisfies (keyof RunOptions)[];

/** A compiled graph, as far as its segments need it. */
interface SegmentedGraph {
  checkOptions(options: RunOptions): void;
  invoke(input: never, options: RunOptions): Promise<unknown>;
  resume(id: string, answers: Answers | undefined, options: RunOptions): Promise<unknown>;
}

/** Drives a run of a compiled graph. */
export function segmentOfGraph<O>(
  graph: SegmentedGraph,
  { name, store, runtime }: Plan,
  id: string,
  options: SegmentOptions = {},
): Promise<SavedRun<O>> {
  const target: SegmentTarget<O> = {
    name,
    store,
    runtime,
    check: (given) => graph.checkOptions(given),
    start: (input, given) => graph.invoke(input as never, given) as Promise<O>,
    resume: (run, answers, given) => graph.resume(run, answers, given) as Promise<O>,
    output: ({ output }) => output?.value as O,
  };
  return driveSegment<O>(target, id, options);
}

/** Drives a run from where it stands to its next pause or end. */
export async function driveSegment<O>(
  target: SegmentTarget<O>,
  id: string,
  options: SegmentOptions = {},
): Promise<SavedRun<O>> {
  const { store } = target;
  checkCheckpointId(id);
  checkSegmentOptions(options);
  target.check(runOptionsIn(options));
  if (store === undefined) throw noStore("segment");
  options.signal?.throwIfAborted();
  const stop = new CallStop(options, target.runtime.clock);
  try {
    return await new Segment(target, store, id, { options, stop }).run();
  } finally {
    stop.over();
  }
}

export function checkSegmentOptions(options: SegmentOptions, more: readonly string[] = []): void {
  const spec = { ...settings, ...Object.fromEntries([...runNames, ...more].map((name) => [name, true as const])) };
  checkOptions("segment", options, spec);
}

/** The options that the run gets as well. */
export function runOptionsIn(options: SegmentOptions): RunOptions {
  const given = Object.entries(options).filter(([name]) => !Object.hasOwn(settings, name));
  return Object.fromEntries(given);
}

/** What is to be done with a run: `undefined` if it is to be looked at again. */
type Decision<O> = SavedRun<O> | { readonly claim: DrivenRun; readonly answers: Answers | undefined } | undefined;

/** The answers to questions that are open: a delivery may come late, or twice. */
export function fittingAnswers(
  document: CheckpointDocument,
  answers: Answers | undefined,
  now: number,
): Answers | undefined {
  if (answers === undefined) return undefined;
  const asked = openQuestions({ ...document, status: "waiting" });
  const open = asked.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  const byId = Object.entries(answers).flatMap(([id, answer]) => {
    const question = open.find((one) => one.id === id);
    if (question === undefined) return [];
    // it releases a stop before or after nodes, and is no new state
    return [[id, answer === null && isStopInfo(question.info) ? undefined : answer] as const];
  });
  const given: unknown = answers.byAddress;
  const places = isFields(given) ? Object.entries(given) : [];
  const byAddress = places.filter(([address]) => open.some((question) => question.address === address));
  if (byId.length === 0 && byAddress.length === 0) return undefined;
  return { ...Object.fromEntries(byId), ...(byAddress.length > 0 && { byAddress: Object.fromEntries(byAddress) }) };
}

class Segment<O> {
  readonly #target: SegmentTarget<O>;
  readonly #store: CheckpointStore;
  readonly #id: string;
  readonly #options: SegmentOptions;
  readonly #codec: ValueCodec;
  readonly #patience: Patience;
  readonly #stop: CallStop;
  /** What is known of a run that was there: if its row is gone, it was taken away. `"unread"`: this call had claimed it. */
  #known: CheckpointDocument | "unread" | undefined = undefined;
  #attempt = 0;
  /** How often a claim was not had: usually another one was faster, once. */
  #looksAgain = 0;

  constructor(
    target: SegmentTarget<O>,
    store: CheckpointStore,
    id: string,
    { options, stop }: { readonly options: SegmentOptions; readonly stop: CallStop },
  ) {
    this.#target = target;
    this.#store = store;
    this.#id = id;
    this.#options = options;
    this.#codec = codecOf(target.runtime.codecs);
    this.#stop = stop;
    this.#patience = new Patience(options.storeWaitMs ?? 60_000, stop.clock);
  }

  async run(): Promise<SavedRun<O>> {
    for (let isFirst = this.#mayBeNew; ; isFirst = false) {
      const found = isFirst ? undefined : await this.#read();
      this.#known = found?.document ?? this.#known;
      const decision = found === undefined ? this.#begin() : await this.#decide(found);
      if (decision === undefined) await this.#wait();
      else if (!("claim" in decision)) return decision;
      else {
        const ended = await this.#execute(decision.claim, decision.answers, isFirst);
        if (ended !== undefined) return ended;
      }
    }
  }

  /** Then its row is created without a look, and read only if there is one. */
  get #mayBeNew(): boolean {
    return Object.hasOwn(this.#options, "input") && this.#options.answers === undefined;
  }

  async #read(): Promise<FoundRun | undefined> {
    const { signal } = this.#stop;
    const row = await this.#patience.try(() => readRow(this.#store, this.#id), signal);
    signal.throwIfAborted();
    if (row === undefined) return undefined;
    return { row, document: this.#decode(row) };
  }

  #decode(row: StoredCheckpoint): CheckpointDocument {
    try {
      return readDocument(row, this.#codec);
    } catch (error) {
      throw KumikoError.is(error) ? inCheckpoint(this.#id, error) : error;
    }
  }

  async #wait(): Promise<void> {
    await pause(waitMs(this.#attempt++), this.#target.runtime.clock, this.#stop.signal);
  }

  #begin(): Decision<O> {
    if (this.#known !== undefined) return this.#takenAway(this.#known);
    if (!Object.hasOwn(this.#options, "input")) throw unknownCheckpoint(this.#id);
    return { claim: new DrivenRun(undefined, 0, this.#patience), answers: undefined };
  }

  /** Its row was removed while it ran here. */
  #takenAway(known: CheckpointDocument | "unread"): SavedRun<O> {
    const changedAt = new Date(this.#target.runtime.clock.now());
    const startedAt = known === "unread" ? changedAt : new Date(known.startedAt);
    const { name: graph } = this.#target;
    return { id: this.#id, graph, startedAt, changedAt, attempts: 0, interrupts: [], status: "cancelled" };
  }

  async #decide(found: FoundRun): Promise<Decision<O>> {
    const { document, row } = found;
    const { name, runtime } = this.#target;
    if (document.graph !== name) throw otherGraph(this.#id, document.graph, name);
    const { onBusy, retry = false, maxAttempts = 5 } = this.#options;
    const state = async (): Promise<SavedRun<O>> => {
      const output = document.status === "finished" ? await this.#target.output(document) : undefined;
      return savedRunOf(this.#id, document, () => output as O);
    };
    const now = runtime.clock.now();
    const answers = fittingAnswers(document, this.#options.answers, now);
    const claim = (attempts = document.attempts): Decision<O> => {
      return { claim: new DrivenRun(found, attempts, this.#patience), answers };
    };
    switch (document.status) {
      case "finished":
      case "cancelled":
        return state();
      case "failed":
        return retry ? claim(0) : state();
      case "waiting": {
        const isLate = openQuestions(document).some(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
        return isLate || answers !== undefined ? claim() : state();
      }
      case "ready":
      case "stopped":
        return this.#stop.isInterrupted ? state() : claim();
      default: {
        const left = await this.#leftBy(document);
        if (left === undefined) return onBusy === "return" || this.#stop.isInterrupted ? state() : undefined;
        const attempts = document.attempts + (left === "dead" ? 1 : 0);
        return attempts < maxAttempts ? claim(attempts) : this.#abandon(row, attempts);
      }
    }
  }

  /** Whether the claim of a run can be taken; `undefined` while its owner may live. */
  async #leftBy({ owner, claim, since }: CheckpointDocument): Promise<"ended" | "dead" | undefined> {
    if (owner === undefined || runningClaims.hasEnded(owner, claim)) return "ended";
    const { takeoverAfterMs } = this.#options;
    if (takeoverAfterMs !== undefined && this.#target.runtime.clock.now() - since > takeoverAfterMs) return "dead";
    const store = this.#store;
    const isAlive = await this.#patience.try(
      () => callStore("ask for the owner of", this.#id, () => store.isOwnerAlive?.(owner)),
      this.#stop.signal,
    );
    return isAlive === false ? "dead" : undefined;
  }

  /** It has killed too many processes. */
  async #abandon(row: StoredCheckpoint, attempts: number): Promise<undefined> {
    const error = runAbandoned(this.#id, attempts);
    await this.#changeHead(row, { status: "failed", attempts, error: this.#errorJson(error) });
    return undefined;
  }

  async #changeHead(row: StoredCheckpoint, change: object): Promise<void> {
    const since = Math.floor(this.#target.runtime.clock.now());
    const write = () => changeHead(this.#store, this.#id, row, { ...released, since, ...change });
    await this.#patience.try(write, this.#stop.signal);
  }

  #errorJson(error: unknown): unknown {
    return [JSON.parse(this.#codec.encode(error, "the error"))];
  }

  /** Runs what it has claimed. `undefined`: another one has it, or the store was away: look again. */
  async #execute(driven: DrivenRun, answers: Answers | undefined, isUnread: boolean): Promise<SavedRun<O> | undefined> {
    const { found } = driven;
    const { name, hasReservedId = false } = this.#target;
    const options = savedAs({ ...runOptionsIn(this.#options), ...this.#stop.left }, { driven, hasReservedId });
    const given = found?.document.root === undefined ? this.#givenTo(found?.document) : undefined;
    try {
      const output =
        given === undefined
          ? await this.#target.resume(this.#id, answers, options)
          : await this.#target.start(given.value, { ...options, checkpointId: this.#id });
      if (driven.ended === undefined) return undefined;
      return endedRunOf(this.#id, name, driven.ended, () => output);
    } catch (error) {
      // a stored run ignores the input, whatever is wrong with it
      if (isUnread && !driven.isClaimed && !isMisfit(error) && !this.#stop.signal.aborted) return undefined;
      return this.#afterFailure(error, driven);
    }
  }

  #givenTo(document: CheckpointDocument | undefined): { readonly value: unknown } | undefined {
    return document === undefined ? { value: this.#options.input } : document.given;
  }

  async #afterFailure(error: unknown, driven: DrivenRun): Promise<SavedRun<O> | undefined> {
    const { ended, found } = driven;
    const wasCut = ended?.status === "ready" && !InterruptError.is(error);
    if (ended !== undefined && !wasCut) return endedRunOf(this.#id, this.#target.name, ended, () => undefined as never);
    if (isLost(error) && !this.#stop.signal.aborted) {
      this.#known = found?.document ?? "unread";
      return undefined;
    }
    if (driven.isClaimed) throw error;
    // another claim was faster, or a deadline passed meanwhile
    if (KumikoError.is(error) && lookAgainCodes.includes(error.code)) {
      if (this.#looksAgain++ > 0) await this.#wait();
      return undefined;
    }
    if (isStoreFailure(error) && !this.#patience.isOver && !this.#stop.signal.aborted) {
      await this.#wait();
      return undefined;
    }
    if (!isMisfit(error)) throw error;
    await this.#failAtOnce(found?.row, error);
    return undefined;
  }

  /** The input does not fit: that is how the run has ended. */
  async #failAtOnce(row: StoredCheckpoint | undefined, error: unknown): Promise<void> {
    if (row !== undefined) return this.#changeHead(row, { status: "failed", error: this.#errorJson(error) });
    const at = Math.floor(this.#target.runtime.clock.now());
    const given = this.#codec.encode(this.#options.input, "input of the graph");
    const failed = { graph: this.#target.name, at, given, error: this.#codec.encode(error, "the error") };
    const { data, index } = unbegunRun(failed);
    try {
      await this.#patience.try(() =>
        callStore("write", this.#id, () => this.#store.put(this.#id, data, undefined, index)),
      );
    } catch (failure) {
      if (!isConflict(failure)) throw failure;
    }
  }
}

const lookAgainCodes: readonly ErrorCode[] = ["CHECKPOINT_IN_USE", "UNKNOWN_INTERRUPT"];
const misfitCodes: readonly ErrorCode[] = ["VALIDATION", "TYPE_MISMATCH", "INVALID_MESSAGE"];

/** Whether the input of a run was refused. */
function isMisfit(error: unknown): boolean {
  return KumikoError.is(error) && misfitCodes.includes(error.code);
}
