import { systemClock } from "../../components/clock.js";
import { KumikoError, messageOf } from "../../errors.js";
import {
  checkpointInUse,
  checkpointLost,
  isUnsaveable,
  storeIsSilent,
  unknownCheckpoint,
} from "../checkpoint-errors.js";
import type { RunSnapshot, Slot } from "../document/snapshot.js";
import { isConflict } from "../errors.js";
import { HistoryLog } from "../history/history-log.js";
import { historyPrefix } from "../history/segments.js";
import { type Interrupt, isInterrupt } from "../pause/interrupt.js";
import { interruptsOf } from "../pause/interrupts-of.js";
import type { RunStatus } from "../runs/run-index.js";
import { CheckpointClaim, type ClaimOptions, type Prepare } from "./checkpoint-claim.js";
import { isStoreFailure, type Patience, releaseLater } from "./driven.js";
import { type OnStop, withGrace } from "./grace.js";
import type { Journal } from "./journal.js";
import type { JournaledRun, JournalSettings } from "./journal-settings.js";
import { OwnDocument, type SaveHead, type Write } from "./own-document.js";
import { OwnRow } from "./own-row.js";
import { runningClaims } from "./running-claims.js";
import { isLost, storeError } from "./store-calls.js";

/**
 * Saves one run in a store: claims its checkpoint before any node runs, saves when a save is due, and releases the checkpoint at
 * the end. When anyone else writes under its id, this run has lost the checkpoint. A run that was stopped waits for its store
 * only for a short time; late writes of the store are fenced by versions.
 */
export class CheckpointJournal implements Journal {
  isInputSaved = false;
  readonly #settings: JournalSettings;
  readonly #document: OwnDocument;
  /** The row in which the run is saved, if it is saved. */
  readonly #row: OwnRow | undefined;
  #run: JournaledRun | undefined = undefined;
  #claim: CheckpointClaim | undefined = undefined;
  /** A run whose id nobody knows yet, before its first node: its row is created when it stops for an answer. */
  #unclaimed: { readonly start: RunSnapshot | undefined } | undefined = undefined;
  /** The next save is an entry of the history: it holds more than choices. */
  #isEntry = false;
  /** The save that waits for the one in progress. */
  #queued: Promise<void> | undefined = undefined;
  /** The claim or save in progress. */
  #writing: Promise<unknown> | undefined = undefined;
  #lost: KumikoError | undefined = undefined;
  #ending: Promise<unknown> | undefined = undefined;
  /** The run has settled without waiting for the store any longer. */
  #isLeft = false;

  constructor(settings: JournalSettings) {
    const { store, ids, codec, history, run } = settings;
    this.#settings = settings;
    const log = history === undefined || ids === undefined ? undefined : new HistoryLog(history);
    this.#document = new OwnDocument(codec, store?.append !== undefined, run, log);
    if (store === undefined || ids === undefined) return;
    this.#row = new OwnRow(store, ids.write, (conflict) => this.#lose(conflict), this.#document);
    if (this.keepsHistory) historyPrefix(ids.write);
  }

  get runKey(): string {
    return this.#document.runKey;
  }

  get isStepwise(): boolean {
    return this.#settings.isStepwise && this.#settings.ids !== undefined;
  }

  get isDriven(): boolean {
    return this.#settings.driven !== undefined;
  }

  get keepsOutput(): boolean {
    return this.#row !== undefined && this.#staysAtEnd;
  }

  get #staysAtEnd(): boolean {
    if (this.#settings.driven?.isOfTurn === false) return true;
    return this.#settings.keepCheckpoint && !this.#document.isPassing;
  }

  get keepsHistory(): boolean {
    return this.#document.history !== undefined;
  }

  noteRan(path: string, hasFailed = false): void {
    this.#document.history?.ran(path, hasFailed);
  }

  get checkpointId(): string | undefined {
    return this.#settings.ids?.write;
  }

  /** Sets the run that is saved. Called at its start. */
  attach(run: JournaledRun): void {
    this.#run = run;
  }

  // claims

  // (Here, and in what is called after each step, one async function does what could be several: every extra one costs a
  // noticeable part of a save.)

  /**
   * Claims the id for a new run, and saves its input in the same write. `start` is the run before its first node;
   * `undefined` when its input is a stream: see {@link inputEnded}.
   */
  claimNew(options: ClaimOptions, start: RunSnapshot | undefined): Promise<undefined> | undefined {
    const row = this.#row;
    if (row === undefined) return undefined;
    this.isInputSaved = start !== undefined;
    if (this.#settings.run.isPassing !== true) return this.#claiming(this.#openClaim(row, options).forNewRun(start));
    this.#unclaimed = { start };
    return undefined;
  }

  /** Reads and claims a stopped run. Before the claim, `prepare` makes it ready to continue, or throws. */
  claimStopped(options: ClaimOptions, prepare: Prepare): Promise<RunSnapshot> {
    const { ids } = this.#settings;
    const row = this.#row;
    if (ids === undefined || row === undefined) throw unknownCheckpoint("");
    return this.#claiming(this.#openClaim(row, options).forStoppedRun(ids.read, prepare));
  }

  #openClaim(row: OwnRow, options: ClaimOptions): CheckpointClaim {
    const document = this.#document;
    document.claim = runningClaims.open();
    const { codec, driven } = this.#settings;
    const isOver = (): boolean => this.#ending !== undefined;
    this.#claim = new CheckpointClaim({ row, document, codec, options, driven, isOver });
    return this.#claim;
  }

  async #claiming<T>(claim: Promise<T>): Promise<T> {
    this.#writing = claim;
    const claimed = await claim;
    this.#writing = undefined;
    const { driven } = this.#settings;
    if (driven !== undefined) driven.isClaimed = true;
    return claimed;
  }

  // saves

  commit(isAlone = false): Promise<void> | undefined {
    this.#isEntry = true;
    return this.#commit(isAlone);
  }

  commitChoice(): Promise<void> | undefined {
    return this.#commit(false);
  }

  #commit(isAlone: boolean): Promise<void> | undefined {
    const row = this.#row;
    const run = this.#run;
    if (row === undefined || run === undefined || !this.#settings.isStepwise) return undefined;
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (this.#ending !== undefined) return undefined;
    return this.#save(run, row, isAlone);
  }

  inputEnded(): Promise<void> | undefined {
    const row = this.#row;
    const run = this.#run;
    if (this.#settings.isStepwise) return this.commit();
    if (row === undefined || run === undefined || this.#lost !== undefined || this.#ending !== undefined)
      return undefined;
    if (this.#unclaimed !== undefined) return undefined;
    this.#isEntry = true;
    this.#save(run, row, false).catch((problem: unknown) => {
      if (!isLost(problem)) run.report(problem);
    });
    return undefined;
  }

  #save(run: JournaledRun, row: OwnRow, isAlone: boolean): Promise<void> {
    if (!isAlone || this.#writing !== undefined || this.#queued !== undefined) {
      this.#queued ??= this.#next(run, row);
      return this.#queued;
    }
    const saving = this.#saveRunning(run, row);
    this.#writing = saving;
    return saving;
  }

  /** One save at a time: saves requested while one is in progress share the next one. */
  async #next(run: JournaledRun, row: OwnRow): Promise<void> {
    await this.#idle();
    const own = this.#queued;
    this.#queued = undefined;
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#ending !== undefined) return;
    this.#writing = own;
    await this.#saveRunning(run, row);
  }

  /** Saves a running run. */
  #saveRunning(run: JournaledRun, row: OwnRow): Promise<void> {
    const patience = this.#settings.driven?.patience;
    return patience === undefined ? this.#saveOnce(run, row) : this.#savePatiently(run, row, patience);
  }

  /** It is one save, however often it is tried: another one that began meanwhile would build on what the store does not have. */
  async #savePatiently(run: JournaledRun, row: OwnRow, patience: Patience): Promise<void> {
    try {
      // the run may end meanwhile: then nothing is tried any more
      await patience.try(() => (this.#ending === undefined ? this.#saveOnce(run, row) : Promise.resolve()));
    } finally {
      this.#writing = undefined;
    }
  }

  async #saveOnce(run: JournaledRun, row: OwnRow): Promise<void> {
    try {
      const cause = this.#isEntry ? "task" : undefined;
      this.#isEntry = false;
      const write = this.#document.next({ status: "running", cause }, run.canBeSaved ? run.snapshot() : undefined);
      if (write === undefined) return;
      try {
        row.confirm(await row.call(write, row.version));
      } catch (error) {
        await this.#saveAgain(row, write, error);
      }
    } finally {
      if (!this.isDriven) this.#writing = undefined;
    }
  }

  async #saveAgain(row: OwnRow, write: Write, error: unknown): Promise<void> {
    try {
      await row.writeAgain(write, error);
    } catch (failure) {
      this.#document.retract();
      throw failure;
    }
  }

  /** Waits until the write in progress has settled. */
  #idle(): Promise<unknown> | undefined {
    return this.#writing?.then(ignore, ignore);
  }

  // the end

  /** Called when the run has its result. A checkpoint that cannot be removed is reported; the run succeeds all the same. */
  finished(output?: Slot): Promise<void> {
    this.#ending ??= this.#bounded(this.#finish(output), this.#settings.onCallerStop, ignore);
    return this.#ending as Promise<void>;
  }

  async #finish(output: Slot | undefined): Promise<void> {
    try {
      if (this.#writing !== undefined) await this.#idle();
      const row = this.#row;
      if (row?.version === undefined) return;
      if (this.#lost !== undefined) throw this.#lost;
      if (this.#staysAtEnd) await this.#keep(row, output);
      else {
        await row.remove();
        this.#noteEnd({ status: "finished" });
      }
    } catch (problem) {
      if (isLost(problem)) throw problem;
      if (this.#settings.driven !== undefined && isStoreFailure(problem)) {
        this.#document.forget();
        await this.#release();
        throw problem;
      }
      this.#report(problem);
    } finally {
      runningClaims.close(this.#document.claim);
    }
  }

  /** Saves the last state of the run and its result, leaving out what cannot be serialized. */
  async #keep(row: OwnRow, output: Slot | undefined): Promise<void> {
    const run = this.#run?.canBeSaved === true ? this.#run : undefined;
    const tries = [
      () => [{ output }, run?.snapshot()] as const,
      () => [{}, run?.snapshot()] as const,
      () => [{}] as const,
    ];
    let problem: unknown;
    for (const attempt of tries) {
      try {
        const [head, snapshot] = attempt();
        const write = this.#document.next({ status: "finished", cause: "end", ...head }, snapshot);
        await this.#write(row, write);
        this.#noteEnd({ status: "finished" });
        break;
      } catch (error) {
        if (!isUnsaveable(error)) throw error;
        problem ??= error;
      }
    }
    if (problem !== undefined) this.#report(problem);
  }

  /** Called when the run has ended without a result. Resolves to the error that it rejects with. */
  stopped(failure: unknown, hasSettled = false): Promise<unknown> {
    const onStop = this.#run?.reason === failure ? atOnce : this.#settings.onCallerStop;
    // an interrupt that was not saved could not be answered
    const unsaved = (reason: unknown): unknown => (isInterrupt(failure) ? reason : failure);
    this.#ending ??= this.#bounded(this.#stop(failure, hasSettled), onStop, unsaved);
    return this.#ending;
  }

  async #stop(failure: unknown, hasSettled: boolean): Promise<unknown> {
    try {
      // a write may be about to begin in this turn
      if (!hasSettled) await undefined;
      // nodes that end in the same turn in which the run fails are still saved
      if (!isInterrupt(failure)) for (let n = 0; n < turn; n++) await undefined;
      if (this.#writing !== undefined) await this.#idle();
      if (this.#lost !== undefined) return this.#lost;
      const row = this.#row;
      if (row !== undefined && this.#unclaimed !== undefined && isInterrupt(failure))
        return await this.#create(row, this.#unclaimed.start, failure);
      if (row?.version === undefined) return failure;
      const run = this.#run;
      if (this.#claim?.isNew === true && run?.hasBegun !== true) {
        await row.restore(this.#claim.replaced);
        return failure;
      }
      const snapshot = run?.canBeSaved === true && !this.#isLeft ? run.snapshot() : undefined;
      if (snapshot === undefined && !this.#document.hasRun) await row.remove();
      else {
        const head = this.#stoppedHead(failure);
        await this.#write(row, this.#document.next(head, snapshot));
        this.#noteEnd(head, failure);
      }
      return failure;
    } catch (problem) {
      this.#document.forget();
      const isFailed = isUnsaveable(problem) && this.#run?.reason !== failure && (await this.#failed(problem));
      if (!isFailed) await this.#release();
      if (isInterrupt(failure) || isLost(problem)) return problem;
      this.#report(problem);
      return failure;
    } finally {
      runningClaims.close(this.#document.claim);
    }
  }

  /** Saves a run for the first time, as it waits. */
  async #create(row: OwnRow, start: RunSnapshot | undefined, failure: unknown): Promise<unknown> {
    const run = this.#run;
    if (run?.hasBegun !== true) return failure;
    let write: Write | undefined;
    try {
      const snapshot = run.canBeSaved && !this.#isLeft ? run.snapshot() : start;
      write = snapshot && this.#document.next(this.#stoppedHead(failure), snapshot);
      if (write !== undefined) row.confirm(await row.call(write, undefined));
      return failure;
    } catch (error) {
      if (isConflict(error)) return checkpointInUse(row.id, undefined);
      // it may be there all the same, and nobody would know of it
      if (write !== undefined) await row.undo(write, undefined);
      return storeError("write", row.id, error);
    }
  }

  /** What the run has become cannot be saved: it has failed, after what was saved last. */
  async #failed(problem: KumikoError): Promise<boolean> {
    const row = this.#row;
    if (row === undefined || this.#settings.driven === undefined || !this.#document.hasRun) return false;
    const head: SaveHead = { status: "failed", cause: "failure", error: messageOf(problem), failure: problem };
    try {
      await this.#write(row, this.#document.next(head));
    } catch {
      return false;
    }
    this.#noteEnd(head, problem);
    return true;
  }

  /** Releases the claim, so that others may continue from the last save. */
  async #release(): Promise<void> {
    const row = this.#row;
    if (this.#lost !== undefined || row === undefined) return;
    const release = async (): Promise<void> => {
      try {
        await (this.#document.hasRun ? row.writeOnce(this.#document.next({ status: "ready" })) : row.remove());
      } catch (problem) {
        // however often it is tried, it says all that it has said
        this.#document.forget();
        throw problem;
      }
    };
    await release().catch((problem: unknown) => {
      if (isStoreFailure(problem)) releaseLater(row.store, row.id, release, this.#settings.clock ?? systemClock);
    });
  }

  #stoppedHead(failure: unknown): SaveHead {
    const requested = this.#run?.requestedStop;
    if (!isInterrupt(failure)) {
      const status = this.#statusAfter(failure);
      const head: SaveHead = { status, requested, cause: "failure", error: messageOf(failure) };
      return status === "failed" || status === "waiting" ? { ...head, failure } : head;
    }
    const open = failure.interrupts.filter(({ id }) => id !== requested);
    const isCut = this.#settings.driven !== undefined && requested !== undefined;
    if (isCut || open.length === 0) return { status: this.#cutOff, requested, cause: "interrupt" };
    return { status: "waiting", requested, due: firstDeadline(open), cause: "interrupt" };
  }

  /** How a run stands that its caller has stopped. */
  get #cutOff(): RunStatus {
    return this.#settings.driven === undefined ? "stopped" : "ready";
  }

  #statusAfter(failure: unknown): RunStatus {
    if (isStoreFailure(failure)) return "ready";
    if (this.#run?.reason === failure) return this.#cutOff;
    // the answer did not fit, and its question is open again
    return KumikoError.is(failure) && failure.code === "ANSWER_MISMATCH" ? "waiting" : "failed";
  }

  /** Tells a segment how its run stands. */
  #noteEnd({ status, failure: error }: SaveHead, failure?: unknown): void {
    const { driven } = this.#settings;
    if (driven === undefined) return;
    const interrupts = status === "waiting" ? this.#openQuestions(failure) : [];
    driven.ended = { status, error, interrupts, ...this.#document.noted };
  }

  #openQuestions(failure: unknown): readonly Interrupt[] {
    if (isInterrupt(failure)) return failure.interrupts;
    const run = this.#run?.canBeSaved === true ? this.#run.snapshot() : undefined;
    return run === undefined ? [] : interruptsOf(run, this.runKey);
  }

  async #write(row: OwnRow, write: Write | undefined): Promise<void> {
    const patience = this.#settings.driven?.patience;
    if (patience === undefined || write === undefined) return row.writeOnce(write);
    let isWritten = false;
    await patience.try(async () => {
      if (this.#isLeft) return;
      await row.write(write);
      isWritten = true;
    });
    // nobody waits for it any more: the claim is released once the store answers
    if (!isWritten) throw storeIsSilent(row.id);
  }

  /** Limits the wait for the store to a grace period, once the run is or was stopped. */
  #bounded<T>(work: Promise<T>, onStop: OnStop | undefined, instead: (reason: unknown) => T): Promise<T> {
    const row = this.#row;
    if (row === undefined || onStop === undefined) return work;
    return withGrace(work, onStop, this.#settings.clock ?? systemClock, (reason) => {
      const silence = storeIsSilent(row.id);
      this.#leave(silence);
      return instead(reason ?? silence);
    });
  }

  /** Stops waiting for the store. A later write saves the run as it is now. */
  #leave(silence: KumikoError): void {
    const run = this.#run;
    runningClaims.close(this.#document.claim);
    if (run?.hasBegun === true) this.#report(silence);
    this.#isLeft = true;
    try {
      if (run?.canBeSaved === true) this.#document.hold(run.snapshot());
    } catch {
      // the last save stays valid
    }
  }

  /** Another process has taken the run over. */
  #lose(conflict: unknown): KumikoError {
    this.#lost = checkpointLost(this.#settings.ids?.write ?? "", conflict);
    this.#run?.abort(this.#lost);
    return this.#lost;
  }

  #report(problem: unknown): void {
    if (!this.#isLeft) this.#run?.report(problem);
  }
}

function firstDeadline(questions: readonly Interrupt[]): number | undefined {
  const deadlines = questions.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [expiresAt]));
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

/** How many microtasks may pass between the end of a node and its entry in the ledger, with policies and handlers around it. */
const turn = 40;

const atOnce: OnStop = (listener) => {
  listener(undefined);
  return ignore;
};

function ignore(): void {}
