import { randomId } from "../callbacks/random-id.js";
import { KumikoError } from "../errors.js";
import {
  checkpointInUse,
  checkpointLost,
  finishedCheckpoint,
  inCheckpoint,
  nothingSaved,
  pendingCheckpoint,
  unknownCheckpoint,
} from "./checkpoint-errors.js";
import type { CheckpointStore, StoredCheckpoint } from "./checkpoint-store.js";
import type { CheckpointDocument } from "./document.js";
import { isInterrupt } from "./interrupt.js";
import type { Journal } from "./journal.js";
import { processOwner } from "./process-owner.js";
import { readDocument } from "./read-document.js";
import type { RunSnapshot } from "./snapshot.js";
import { callStore, isConflict, isLost, isSame, storeError } from "./store-calls.js";
import { bytesOf } from "./text-bytes.js";
import type { ValueCodec } from "./value-codec.js";
import { writeHead, writeRun } from "./write-document.js";

/** The run that is written down. */
export interface JournaledRun {
  snapshot(): RunSnapshot;
  /** Whether all that a snapshot needs is there: the input may be a stream that was not read to its end. */
  readonly canBeSaved: boolean;
  /** Whether something of it may run. */
  readonly hasBegun: boolean;
  abort(reason: unknown): void;
  /** What it rejects with when it waits. */
  interruption(): unknown;
  /** Tells of trouble with the checkpoint where another end of the run comes first. */
  report(problem: unknown): void;
}

/** Under which ids a run is read and written. */
export interface CheckpointIds {
  readonly read: string;
  readonly write: string;
}

export interface JournalSettings {
  readonly store: CheckpointStore | undefined;
  readonly ids: CheckpointIds | undefined;
  readonly isStepwise: boolean;
  readonly keepCheckpoint: boolean;
  readonly codec: ValueCodec;
}

/** How often a takeover looks again. */
const mostTries = 1_000;

/**
 * Writes one run down in a store: claims its checkpoint before anything runs, saves where that is due, and lets go of the
 * checkpoint at the end. Whoever else writes under its id takes the run away from it. Without a store it only knows of a
 * stop that was asked for.
 */
export class CheckpointJournal implements Journal {
  requested: { readonly id: string; readonly info: unknown } | undefined = undefined;
  readonly #settings: JournalSettings;
  #runKey: string | undefined = undefined;
  #run: JournaledRun | undefined = undefined;
  #version: number | undefined = undefined;
  #answered: readonly string[] = [];
  /** The run as it was saved last, as text. */
  #saved: string | undefined = undefined;
  /** What a document of the run begins with as long as it runs. */
  #head: string | undefined = undefined;
  /** What a put that failed may have written. */
  #attempted: Uint8Array | undefined = undefined;
  /** The save that waits for the one under way. */
  #queued: Promise<void> | undefined = undefined;
  /** The claim or the save that is under way. */
  #writing: Promise<unknown> | undefined = undefined;
  #lost: KumikoError | undefined = undefined;
  #ending: Promise<unknown> | undefined = undefined;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(settings: JournalSettings) {
    this.#settings = settings;
  }

  /** Made when it is asked for: a run that is resumed has one. */
  get runKey(): string {
    this.#runKey ??= randomId();
    return this.#runKey;
  }

  get isStepwise(): boolean {
    return this.#settings.isStepwise && this.#settings.ids !== undefined;
  }

  get isStopRequested(): boolean {
    return this.requested !== undefined;
  }

  get checkpointId(): string | undefined {
    return this.#settings.ids?.write;
  }

  /** The run that it is about, from its start on. */
  attach(run: JournaledRun): void {
    this.#run = run;
  }

  /** Somebody outside asks the run to stop; after the time limit, what still runs is cut off. */
  requestStop(timeoutMs: number | undefined): void {
    this.requested = { id: randomId(), info: { kind: "requested" } };
    if (timeoutMs === undefined) return;
    // before it has begun there is nothing to cut off: it will stop at its start
    const cut = (): void => {
      if (this.#run?.hasBegun === true) this.#run.abort(this.#run.interruption());
    };
    if (timeoutMs === 0) cut();
    else this.#timer = setTimeout(cut, timeoutMs);
  }

  // claims

  // (Here and in what is called after each step, one async function does what could be several: each of them takes as long as
  // a good part of the rest.)

  /** Claims the id for a new run. */
  claimNew(options: ClaimOptions): Promise<undefined> | undefined {
    const { ids, store } = this.#settings;
    if (ids === undefined || store === undefined) return undefined;
    const claiming = this.#claimNew(ids.write, store, options);
    this.#writing = claiming;
    return claiming;
  }

  /** Mostly nothing stands there yet: then one call of the store is enough. */
  async #claimNew(id: string, store: CheckpointStore, options: ClaimOptions): Promise<undefined> {
    if (options.forceNewRun !== true) {
      const data = this.#document("running");
      try {
        this.#version = await store.put(id, data, undefined);
        this.#writing = undefined;
        return undefined;
      } catch (error) {
        const failure = this.#putFailed(id, data, error);
        if (!isConflict(failure)) throw failure;
      }
    }
    await this.#persistently(options, () => this.#claimFree(id, options));
    this.#writing = undefined;
    return undefined;
  }

  /** Claims an id under which there is no unfinished run, or one that is given up. */
  async #claimFree(id: string, { forceNewRun = false, takeover = false }: ClaimOptions): Promise<void> {
    const row = await this.#get(id);
    // what cannot be read may be claimed, and may be unfinished
    if (row !== undefined && !(forceNewRun && takeover)) {
      const document = this.#read(id, row);
      if (document.owner !== undefined && !takeover) await this.#checkOwner(id, document.owner);
      const isOpen = document.status !== "finished" && document.root !== undefined;
      if (isOpen && !forceNewRun) throw pendingCheckpoint(id);
    }
    await this.#claim(id, row?.version);
  }

  /** An owner that is at work may write between a look and the claim: whoever takes over looks again. */
  async #persistently<T>({ takeover }: ClaimOptions, claim: () => Promise<T>): Promise<T> {
    for (let left = takeover === true ? mostTries : 1; ; left--) {
      try {
        return await claim();
      } catch (error) {
        if (left <= 1 || !(KumikoError.is(error) && error.code === "CHECKPOINT_IN_USE")) throw error;
      }
    }
  }

  /** Reads a run that stopped. `prepare` makes it ready to go on, or throws, before it is claimed. */
  claimStopped(options: ClaimOptions, prepare: Prepare): Promise<RunSnapshot> {
    const { ids, store } = this.#settings;
    if (ids === undefined || store === undefined) throw unknownCheckpoint("");
    const claim = (): Promise<RunSnapshot> => this.#claimOpen(ids, store, options, prepare);
    const claiming = options.takeover === true ? this.#persistently(options, claim) : claim();
    this.#writing = claiming;
    return claiming;
  }

  async #claimOpen(
    ids: CheckpointIds,
    store: CheckpointStore,
    options: ClaimOptions,
    prepare: Prepare,
  ): Promise<RunSnapshot> {
    let row: StoredCheckpoint | undefined;
    try {
      row = await store.get(ids.read);
    } catch (error) {
      throw storeError("read", ids.read, error);
    }
    if (row === undefined) throw unknownCheckpoint(ids.read);
    const document = this.#read(ids.read, row);
    if (document.owner !== undefined && options.takeover !== true) await this.#checkOwner(ids.read, document.owner);
    if (document.status === "finished") throw finishedCheckpoint(ids.read);
    const { root } = document;
    if (root === undefined) throw nothingSaved(ids.read);
    const preparing = prepare(document);
    const answers = preparing instanceof Promise ? await preparing : preparing;
    this.#runKey = document.runKey;
    this.#answered = document.answered.length === 0 ? answers : [...document.answered, ...answers];
    this.#head = undefined;
    this.#saved = writeRun(root, this.#settings.codec);
    const data = this.#document("running");
    try {
      this.#version = await store.put(ids.read, data, row.version);
    } catch (error) {
      throw this.#claimFailed(ids.read, data, error);
    }
    if (ids.write !== ids.read) await this.#move(ids, row, options);
    this.#writing = undefined;
    return root;
  }

  /** The run goes on under another id; the first one stays as it was. */
  async #move({ read, write }: CheckpointIds, row: StoredCheckpoint, options: ClaimOptions): Promise<void> {
    const claimed = this.#version;
    this.#version = undefined;
    try {
      await this.#claimFree(write, options);
    } finally {
      await callStore("write", read, () => this.#settings.store?.put(read, row.data, claimed));
    }
  }

  async #claim(id: string, version: number | undefined): Promise<void> {
    const data = this.#document("running");
    try {
      this.#version = await this.#settings.store?.put(id, data, version);
      this.#attempted = undefined;
    } catch (error) {
      throw this.#claimFailed(id, data, error);
    }
  }

  #claimFailed(id: string, data: Uint8Array, error: unknown): KumikoError {
    const failure = this.#putFailed(id, data, error);
    return isConflict(failure) ? checkpointInUse(id, undefined) : failure;
  }

  async #checkOwner(id: string, owner: string): Promise<void> {
    const { store } = this.#settings;
    const isAlive =
      store?.isOwnerAlive === undefined ||
      (await callStore("ask for the owner of", id, () => store.isOwnerAlive?.(owner)));
    if (isAlive !== false) throw checkpointInUse(id, owner);
  }

  #read(id: string, row: StoredCheckpoint): CheckpointDocument {
    try {
      return readDocument(row.data, this.#settings.codec);
    } catch (error) {
      throw KumikoError.is(error) ? inCheckpoint(id, error) : error;
    }
  }

  // saves

  commit(isAlone = false): Promise<void> | undefined {
    const { isStepwise, ids, store } = this.#settings;
    if (!isStepwise || ids === undefined || store === undefined || this.#run === undefined) return undefined;
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (this.#ending !== undefined) return undefined;
    if (!isAlone || this.#writing !== undefined || this.#queued !== undefined) {
      this.#queued ??= this.#next(this.#run, ids.write, store);
      return this.#queued;
    }
    const saving = this.#saveRunning(this.#run, ids.write, store);
    this.#writing = saving;
    return saving;
  }

  /** One save at a time. What is asked for while one is under way waits for the next, which then has it all. */
  async #next(run: JournaledRun, id: string, store: CheckpointStore): Promise<void> {
    await this.#idle();
    const own = this.#queued;
    this.#queued = undefined;
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#ending !== undefined) return;
    this.#writing = own;
    await this.#saveRunning(run, id, store);
  }

  /** What a run does that is saved after each step. */
  async #saveRunning(run: JournaledRun, id: string, store: CheckpointStore): Promise<void> {
    try {
      if (run.canBeSaved) this.#saved = writeRun(run.snapshot(), this.#settings.codec);
      const data = this.#document("running");
      try {
        this.#version = await store.put(id, data, this.#version);
        this.#attempted = undefined;
      } catch (error) {
        await this.#putAgain(id, data, error);
      }
    } finally {
      this.#writing = undefined;
    }
  }

  /** Until what is under way has come to its end, however that is; in any case until what now runs has returned. */
  #idle(): Promise<unknown> | undefined {
    return this.#writing?.then(ignore, ignore);
  }

  /** The run has its result. */
  finished(): Promise<void> {
    this.#ending ??= this.#finish();
    return this.#ending as Promise<void>;
  }

  async #finish(): Promise<void> {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    if (this.#writing !== undefined) await this.#idle();
    const { ids, store, keepCheckpoint } = this.#settings;
    if (ids === undefined || store === undefined || this.#version === undefined) return;
    if (this.#lost !== undefined) throw this.#lost;
    try {
      if (keepCheckpoint) await this.#write("finished");
      else await store.delete(ids.write, this.#version);
    } catch (error) {
      const problem = this.#fenced(storeError("remove", ids.write, error));
      if (isLost(problem)) throw problem;
      // the result is there: what was left over is no reason to lose it
      this.#run?.report(problem);
    }
  }

  /** The run has ended without one. Gives what it rejects with. */
  stopped(failure: unknown, hasSettled = false): Promise<unknown> {
    this.#ending ??= this.#stop(failure, hasSettled);
    return this.#ending;
  }

  async #stop(failure: unknown, hasSettled: boolean): Promise<unknown> {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    if (!hasSettled || this.#writing !== undefined) await this.#idle();
    if (this.#lost !== undefined) return this.#lost;
    const { ids, store } = this.#settings;
    if (this.#version === undefined || ids === undefined || store === undefined) return failure;
    try {
      const run = this.#run;
      if (run?.canBeSaved === true) this.#saved = writeRun(run.snapshot(), this.#settings.codec);
      if (this.#saved === undefined) {
        await this.#remove(ids.write, store);
        return failure;
      }
      const data = this.#document("stopped");
      try {
        this.#version = await store.put(ids.write, data, this.#version);
        this.#attempted = undefined;
      } catch (error) {
        await this.#putAgain(ids.write, data, error);
      }
      return failure;
    } catch (problem) {
      await this.#release();
      if (isInterrupt(failure) || isLost(problem)) return problem;
      this.#run?.report(problem);
      return failure;
    }
  }

  /** The last save stands, and others may go on from it. */
  async #release(): Promise<void> {
    if (this.#lost === undefined) await this.#write("stopped").then(undefined, ignore);
  }

  async #write(status: CheckpointDocument["status"]): Promise<void> {
    const { ids, store } = this.#settings;
    if (ids === undefined || store === undefined) return;
    if (status === "stopped" && this.#saved === undefined) {
      await this.#remove(ids.write, store);
      return;
    }
    const data = this.#document(status);
    try {
      this.#version = await store.put(ids.write, data, this.#version);
      this.#attempted = undefined;
    } catch (error) {
      await this.#putAgain(ids.write, data, error);
    }
  }

  async #putAgain(id: string, data: Uint8Array, error: unknown): Promise<void> {
    const failure = this.#putFailed(id, data, error);
    if (!isConflict(failure)) throw failure;
    // at once: whatever else is ready in this turn would begin before the run is stopped
    if (this.#attempted === undefined) throw this.#lose(failure);
    if (!(await this.#findOwnWrite(id))) throw this.#lose(failure);
    try {
      this.#version = await this.#settings.store?.put(id, data, this.#version);
      this.#attempted = undefined;
    } catch (again) {
      throw this.#fenced(this.#putFailed(id, data, again));
    }
  }

  async #remove(id: string, store: CheckpointStore): Promise<void> {
    try {
      await store.delete(id, this.#version);
    } catch (error) {
      throw this.#fenced(storeError("remove", id, error));
    }
  }

  /** A write that failed may have been written all the same: then what stands there is ours. */
  async #findOwnWrite(id: string): Promise<boolean> {
    const attempted = this.#attempted;
    const row = attempted === undefined ? undefined : await this.#get(id);
    if (row === undefined || attempted === undefined || !isSame(row.data, attempted)) return false;
    this.#version = row.version;
    return true;
  }

  /** A write that finds another version: the run was taken over. */
  #fenced(error: unknown): unknown {
    return isConflict(error) ? this.#lose(error) : error;
  }

  #lose(conflict: unknown): KumikoError {
    this.#lost = checkpointLost(this.#settings.ids?.write ?? "", conflict);
    this.#run?.abort(this.#lost);
    return this.#lost;
  }

  #putFailed(id: string, data: Uint8Array, error: unknown): KumikoError {
    if (!isConflict(error)) this.#attempted = data;
    return storeError("write", id, error);
  }

  #document(status: CheckpointDocument["status"]): Uint8Array {
    return bytesOf(`${this.#headOf(status)}${this.#saved ?? "null"}}`);
  }

  /** Kept where a run is saved at every step: until its last save it is the same. */
  #headOf(status: CheckpointDocument["status"]): string {
    const isRunning = status === "running";
    if (isRunning && this.#head !== undefined) return this.#head;
    const head = writeHead({
      runKey: this.runKey,
      status,
      owner: isRunning ? processOwner() : undefined,
      answered: this.#answered,
      requested: status === "stopped" ? this.requested?.id : undefined,
    });
    if (isRunning && this.isStepwise) this.#head = head;
    return head;
  }

  async #get(id: string): Promise<StoredCheckpoint | undefined> {
    try {
      return await this.#settings.store?.get(id);
    } catch (error) {
      throw storeError("read", id, error);
    }
  }
}

/** Makes a run ready to go on; gives the ids of the questions that are answered now. */
type Prepare = (document: CheckpointDocument) => readonly string[] | Promise<readonly string[]>;

export interface ClaimOptions {
  readonly forceNewRun?: boolean | undefined;
  readonly takeover?: boolean | undefined;
}

function ignore(): void {}
