import { checkOptions } from "../check-options.js";
import type { RunQuery, RunRow } from "../checkpoint/runs/run-index.js";
import type { Clock } from "../components/clock.js";
import { RunControl } from "../compose/run-control.js";
import type { SavedRun, SegmentOptions } from "../compose/segment.js";
import { KumikoError } from "../errors.js";
import { isPromiseLike } from "../is.js";
import { allRows, findRows } from "./find-rows.js";
import { Owners } from "./owners.js";
import type { WorkerParts } from "./worker-app.js";
import type { WorkerOptions } from "./worker-options.js";

/** How long a run is left alone whose segment was rejected. */
const leftAloneMs = 60_000;
/** How often it looks at everything, however often it is told of single runs. */
const wholeLookMs = 1_000;
/** How long runs that a look has found are tried without another look. */
const foundMs = 200;
/** How long after the last node an interrupted run may take to be saved. */
const savingMs = 1_000;

interface ActiveRun {
  readonly row: RunRow;
  readonly stopping: AbortController;
  control: RunControl;
  isCancelled: boolean;
}

/** Looks for runs and drives their segments. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  readonly #concurrency: number;
  readonly #pollMs: number;
  readonly #query: Pick<RunQuery, "graph" | "prefix">;
  readonly #owners: Owners;
  readonly #active = new Map<string, ActiveRun>();
  readonly #work = new Set<Promise<void>>();
  /** Until when runs are left alone. */
  readonly #leftAlone = new Map<string, number>();
  #timer: unknown;
  #unlisten: (() => void) | undefined = undefined;
  #looking: Promise<void> | undefined = undefined;
  #wants: "nothing" | "ready" | "all" = "nothing";
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Runs that the last look has found beside those that it took, and when. */
  #found: { readonly rows: readonly RunRow[]; readonly at: number } = { rows: [], at: 0 };
  /** Runs of dead processes, or whose deadlines have passed, were left for the next free place. */
  #hasMore = false;
  /** The last look has found nothing to do. */
  #foundNothing = false;
  /** The store has failed since it was read last. */
  #isAway = false;
  #isSeeking = false;
  #idlers: (() => void)[] = [];
  #stopped: Promise<void> | undefined = undefined;

  constructor(parts: WorkerParts, options: WorkerOptions) {
    const { concurrency = 10, pollMs = 1_000, prefix = "" } = options;
    this.#parts = parts;
    this.#options = options;
    this.#concurrency = concurrency;
    this.#pollMs = pollMs;
    this.#query = { graph: [...parts.apps.keys()], prefix };
    this.#owners = new Owners(parts.store, this.#clock, () => this.#look("all"));
  }

  get #clock(): Clock {
    return this.#parts.runtime.clock;
  }

  start(): void {
    try {
      this.#unlisten = this.#parts.store.changes?.((row) => this.#hear(row));
    } catch (error) {
      this.#report(error);
    }
    this.#poll();
  }

  #poll(): void {
    if (this.#stopped !== undefined) return;
    this.#look("all");
    this.#timer = this.#clock.setTimer(() => this.#poll(), this.#pollMs);
  }

  #hear(row: RunRow | undefined): void {
    if (row === undefined) {
      this.#look("all");
      void this.#seekCancelled();
    } else if (row.status === "cancelled") this.#hearCancelled(row);
    else if (row.status === "ready" && this.#parts.apps.has(row.graph)) this.#look("ready");
  }

  #hearCancelled({ id, since }: RunRow): void {
    const active = this.#active.get(id);
    if (active === undefined || since < active.row.since) return;
    active.isCancelled = true;
    active.stopping.abort(new Error(`The run "${id}" was cancelled.`));
  }

  /** The store cannot say what has changed: runs that are worked on may have been cancelled. */
  async #seekCancelled(): Promise<void> {
    const { store } = this.#parts;
    if (this.#isSeeking || this.#active.size === 0 || store.runs === undefined) return;
    this.#isSeeking = true;
    const first = Math.min(...[...this.#active.values()].map(({ row }) => row.since));
    const after: RunRow = { id: "", graph: "", status: "cancelled", since: first };
    try {
      for await (const row of allRows(store, { ...this.#query, status: "cancelled", after })) this.#hearCancelled(row);
    } catch {
      // the store is away: the run notices at its next save
    }
    this.#isSeeking = false;
  }

  // looking

  #look(wants: "ready" | "all"): void {
    if (this.#stopped !== undefined) return;
    if (this.#wants !== "all") this.#wants = wants;
    this.#looking ??= this.#lookWhileWanted();
  }

  async #lookWhileWanted(): Promise<void> {
    await undefined; // what is said in one go is looked for once
    while (this.#wants !== "nothing" && this.#free > 0 && this.#stopped === undefined) {
      const isWhole = this.#wants === "all" || this.#hasMore || this.#clock.now() - this.#lookedAt >= wholeLookMs;
      this.#wants = "nothing";
      try {
        await this.#lookOnce(isWhole);
        this.#isAway = false;
      } catch (error) {
        this.#foundNothing = false;
        if (!this.#isAway && this.#stopped === undefined) this.#report(error);
        this.#isAway = true;
      }
    }
    this.#looking = undefined;
    if (this.#foundNothing) this.#settleIdlers();
  }

  get #free(): number {
    return this.#concurrency - this.#active.size;
  }

  async #lookOnce(isWhole: boolean): Promise<void> {
    const now = this.#clock.now();
    for (const [id, until] of this.#leftAlone) if (until <= now) this.#leftAlone.delete(id);
    // more than there is room for: others take some of them, and what is left is tried without another look
    const most = Math.max(3 * this.#free, this.#concurrency);
    const limit = most + this.#active.size + this.#leftAlone.size;
    const first: RunRow[] = [];
    if (isWhole) {
      first.push(...(await this.#dead()), ...(await this.#find({ status: "waiting", dueBefore: now + 1, limit })));
      this.#lookedAt = now;
    }
    const ready = isWhole ? [] : this.#stillFound(now);
    if (ready.length === 0) ready.push(...this.#takeable(await this.#find({ status: "ready", limit })));
    const urgent = this.#shuffled(this.#takeable(first));
    this.#hasMore = urgent.length > this.#free;
    const chosen = [...urgent, ...this.#shuffled(ready.slice(0, most))];
    this.#foundNothing = isWhole && chosen.length === 0 && !this.#owners.isAsking;
    // whether there is really nothing to do is asked once nothing is ready
    if (!isWhole && chosen.length === 0 && this.#idlers.length > 0) this.#wants = "all";
    this.#found = { rows: chosen.slice(Math.max(urgent.length, this.#free)), at: now };
    for (const row of chosen) if (this.#free > 0 && this.#stopped === undefined) this.#take(row);
  }

  /** If another worker has taken one of them, its segment does nothing: that costs no more than another look. */
  #stillFound(now: number): RunRow[] {
    const { rows, at } = this.#found;
    return now - at < foundMs ? this.#takeable(rows) : [];
  }

  /** The runs of processes that are gone. */
  async #dead(): Promise<readonly RunRow[]> {
    const { store } = this.#parts;
    if (store.isOwnerAlive === undefined) return [];
    const running: RunRow[] = [];
    for await (const row of allRows(store, { ...this.#query, status: "running" })) running.push(row);
    const owners = new Set(running.map(({ owner }) => owner).filter((owner) => owner !== undefined));
    const dead = await this.#owners.dead(owners);
    return running.filter(({ owner }) => owner !== undefined && dead.has(owner));
  }

  #find(query: RunQuery): Promise<readonly RunRow[]> {
    return findRows(this.#parts.store, { ...this.#query, ...query });
  }

  #takeable(rows: readonly RunRow[]): RunRow[] {
    return rows.filter(({ id }) => !this.#active.has(id) && !this.#leftAlone.has(id));
  }

  /** Several workers that look at the same time take different ones. */
  #shuffled(rows: RunRow[]): RunRow[] {
    for (let last = rows.length - 1; last > 0; last--) {
      const other = Math.floor(this.#parts.runtime.random() * (last + 1));
      const [a, b] = [rows[last], rows[other]];
      if (a !== undefined && b !== undefined) [rows[last], rows[other]] = [b, a];
    }
    return rows;
  }

  // working

  #take(row: RunRow): void {
    const active = { row, stopping: new AbortController(), control: new RunControl(), isCancelled: false };
    this.#active.set(row.id, active);
    const work = this.#drive(active).then(() => {
      this.#active.delete(row.id);
      this.#work.delete(work);
      this.#look("ready");
    });
    this.#work.add(work);
  }

  async #drive(active: ActiveRun): Promise<void> {
    const { row, stopping } = active;
    try {
      const { signal, control = active.control, ...given } = this.#options.options?.(row) ?? {};
      active.control = control;
      const both = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]);
      const options: SegmentOptions<never> = { ...given, control, signal: both, onBusy: "return" };
      const run = await this.#parts.apps.get(row.graph)?.segment(row.id, options);
      // nothing has happened, which the next look would not change
      if (run !== undefined && isUnchanged(run, row)) this.#leftAlone.set(row.id, this.#clock.now() + this.#pollMs);
    } catch (error) {
      if (active.isCancelled || stopping.signal.aborted || (await this.#isGone(row, error))) return;
      this.#leftAlone.set(row.id, this.#clock.now() + leftAloneMs);
      this.#report(error, row);
    }
  }

  /** Whether the run has been removed by the one who was first. */
  async #isGone({ id }: RunRow, error: unknown): Promise<boolean> {
    if (!KumikoError.is(error) || error.code !== "UNKNOWN_CHECKPOINT") return false;
    return this.#parts.store.get(id).then(
      (found) => (found ?? undefined) === undefined,
      () => false,
    );
  }

  #report(error: unknown, row?: RunRow): void {
    const { onError = reportToConsole } = this.#options;
    const failed = (thrown: unknown): void => reportToConsole(thrown, row);
    try {
      const told: unknown = row === undefined ? onError(error) : onError(error, row);
      if (isPromiseLike(told)) told.then(undefined, failed);
    } catch (thrown) {
      failed(thrown);
    }
  }

  // the end

  stop(options: { readonly timeoutMs?: number | undefined } = {}): Promise<void> {
    checkOptions("stop of a worker", options, {
      timeoutMs: [
        (value) => typeof value === "number" && value >= 0 && value <= 2_000_000_000,
        "a number of milliseconds",
      ],
    });
    this.#stopped ??= this.#stop(options.timeoutMs ?? 10_000);
    return this.#stopped;
  }

  async #stop(timeoutMs: number): Promise<void> {
    this.#clock.clearTimer(this.#timer);
    this.#unlisten?.();
    for (const { control } of this.#active.values()) control.interrupt({ timeoutMs });
    let timer: unknown;
    const late = new Promise<void>((resolve) => {
      timer = this.#clock.setTimer(resolve, timeoutMs + savingMs);
    });
    const settled = Promise.all(this.#work);
    await Promise.race([Promise.all([settled, this.#looking]), late]);
    for (const { stopping } of this.#active.values()) stopping.abort(new Error("The worker was stopped."));
    await settled;
    this.#clock.clearTimer(timer);
    this.#settleIdlers();
  }

  idle(): Promise<void> {
    if (this.#stopped !== undefined) return this.#stopped;
    return new Promise((resolve) => {
      this.#idlers.push(resolve);
      this.#foundNothing = false;
      this.#look("all");
    });
  }

  #settleIdlers(): void {
    if (this.#active.size > 0) return;
    for (const resolve of this.#idlers.splice(0)) resolve();
  }
}

/**
 * Whether a segment has left the row as it was. The run of a turn may be over, or another one may just claim it, although its row
 * does not say so yet.
 */
function isUnchanged(run: SavedRun, { id, status, since }: RunRow): boolean {
  if (run.id !== id) return true; // another turn of the thread runs
  const isOthers = run.status !== "ready" && run.status !== "waiting";
  return (run.status === status || isOthers) && run.changedAt.getTime() === since;
}

function reportToConsole(error: unknown, row?: RunRow): void {
  console.error(
    row === undefined ? "A worker could not look for runs:" : `A worker could not go on with "${row.id}":`,
    error,
  );
}
