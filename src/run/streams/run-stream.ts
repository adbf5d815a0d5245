import type { Joining } from "../../schema/concat/rule.js";
import { streamCancelled } from "../../schema/errors.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";
import { outputLeftEarly, type RootRun } from "../root-run.js";
import { StreamJoining } from "./joining.js";
import { outputOf } from "./run-output.js";

type Result = IteratorResult<unknown, undefined>;

/** How a read is answered. */
interface Pending {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

export interface Started {
  readonly run: RootRun;
  /** Starts the nodes; returns the reader of the output, or a promise of it. */
  readonly output: () => unknown;
}

/**
 * The output of a run as its caller reads it: starts the run at the first read, locates errors, and ends the run when the
 * stream ends, fails, or is cancelled.
 */
export class RunStream implements ChunkSource<unknown> {
  /** How the output joins, which is known only once the run has started. */
  readonly joining = StreamJoining.later(() => this.#joining);
  readonly #start: () => Started;
  readonly #releaseInput: (reason: unknown) => void;
  #run: RootRun | undefined = undefined;
  #source: ChunkSource<unknown> | undefined = undefined;
  #joining: Joining | undefined = undefined;
  #opening: Promise<void> | undefined = undefined;
  #over = false;
  /** Set by {@link cancel}: later reads reject. */
  #cancelled: { readonly reason: unknown } | undefined = undefined;
  #reader: AsyncIterator<unknown, undefined> | undefined = undefined;
  /** Whether something outside can abort the run. */
  #isGuarded = false;
  #saving: Promise<void> | undefined = undefined;
  /** The reads that are pending, in order. An abort of the run rejects them. */
  #waiting: Pending[] = [];
  /** The reason of an abort while no read was pending: the next read rejects with it. */
  #unreported: { readonly reason: unknown } | undefined = undefined;

  /** `releaseInput` cancels the input stream if the output is cancelled before its first read. */
  constructor(start: () => Started, releaseInput: (reason: unknown) => void) {
    this.#start = start;
    this.#releaseInput = releaseInput;
  }

  next(): Promise<Result> {
    if (this.#over) return this.#afterEnd();
    if (this.#source !== undefined) return this.#read(this.#source);
    return this.#opened(() => this.#source?.next() ?? ended());
  }

  /** A `for await` loop reads from here directly, which saves a call per chunk. */
  loop(reader: AsyncIterator<unknown, undefined>): AsyncIterator<unknown, undefined> {
    this.#reader = reader;
    return this;
  }

  /** The joined output as the output schema returned it. */
  get checked(): { readonly value: unknown } | undefined {
    return this.#run?.checked;
  }

  /** Called when a `for await` loop is left early; its reader cancels the stream. */
  async return(): Promise<Result> {
    return (await this.#reader?.return?.()) ?? ended();
  }

  cancel(reason?: unknown): void {
    this.#cancelled ??= { reason };
    if (this.#over) return;
    const run = this.#run;
    if (run === undefined) this.#releaseInput(reason);
    else if (!run.isOver) run.abort(reason ?? outputLeftEarly());
    this.#over = true;
  }

  /** The save of a run whose output was cancelled, if it is a saved run. */
  get settling(): Promise<void> | undefined {
    return this.#saving;
  }

  /** A read of a run that begins with it. The run may be aborted while it begins, by a node. */
  #opened(read: () => Promise<Result>): Promise<Result> {
    this.#opening ??= this.#open();
    const pulled = this.#guard(this.#opening.then(read));
    if (this.#unreported !== undefined) this.#stopped(this.#unreported.reason);
    return pulled;
  }

  async #open(): Promise<void> {
    try {
      const { run, output } = this.#start();
      this.#run = run;
      this.#isGuarded = run.stoppable;
      run.onStop = this.#stop.bind(this, run);
      run.isRead = this.#isRead.bind(this);
      const reader = (await output()) as StreamReader<unknown>;
      if (this.#over) return void reader.cancel(run.reason);
      this.#joining = reader.joining;
      this.#source = outputOf(run, reader);
    } catch (error) {
      this.#over = true;
      throw error;
    }
  }

  #isRead(): boolean {
    return this.#waiting.length > 0;
  }

  #read(source: ChunkSource<unknown>): Promise<Result> {
    const pulled = source.next();
    return this.#isGuarded ? this.#guard(pulled) : pulled;
  }

  /** A read that rejects as soon as the run is aborted, even if a node ignores the abort. */
  #guard(pulled: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      pulled.then(this.#onRead, this.#onError);
    });
  }

  readonly #onRead = (result: Result): void => this.#waiting.shift()?.resolve(result);
  readonly #onError = (error: unknown): void => this.#waiting.shift()?.reject(error);

  /** Called when the run is aborted; pending reads of a saved run reject after its last save. */
  #stop(run: RootRun, reason: unknown): void {
    const { ownJournal: journal } = run;
    if (journal === undefined) {
      this.#stopped(reason);
      return;
    }
    this.#saving = journal.stopped(reason).then((failure) => this.#stopped(failure));
  }

  #stopped(reason: unknown): void {
    this.#over = true;
    this.#source?.cancel(reason);
    this.#unreported = this.#isRead() ? undefined : { reason };
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  #afterEnd(): Promise<Result> {
    if (this.#cancelled !== undefined) return Promise.reject(streamCancelled(this.#cancelled.reason));
    const unreported = this.#unreported;
    this.#unreported = undefined;
    return unreported === undefined ? ended() : Promise.reject(unreported.reason);
  }
}
