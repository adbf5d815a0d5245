import type { Clock } from "../../components/clock.js";
import { pause } from "../../components/pause.js";
import { KumikoError } from "../../errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";
import type { CheckpointDocument } from "../document/document.js";
import type { Interrupt } from "../pause/interrupt.js";
import type { RunStatus } from "../runs/run-index.js";
import { type OnStop, withGrace } from "./grace.js";

/** The row of a run as a segment has read it. */
export interface FoundRun {
  readonly row: StoredCheckpoint;
  readonly document: CheckpointDocument;
}

/** How a run stood when it ended. */
export interface EndedRun {
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly since: number;
  readonly attempts: number;
  readonly error: unknown;
  readonly interrupts: readonly Interrupt[];
}

/** A run that `segment` starts or goes on with: how it is claimed, how long it bears a store that is away, and how it ended. */
export class DrivenRun {
  /** `undefined`: it is new, and its row is created. */
  readonly found: FoundRun | undefined;
  /** How many claims in a row were taken from dead processes, this one included. */
  readonly attempts: number;
  readonly patience: Patience;
  /** It belongs to a turn of a thread, which says how it stands: its run goes when it has finished. */
  readonly isOfTurn: boolean;
  /** Whether its row was claimed: a failure before that is one of the call, not of the run. */
  isClaimed = false;
  ended: EndedRun | undefined = undefined;

  constructor(found: FoundRun | undefined, attempts: number, patience: Patience, isOfTurn = false) {
    this.isOfTurn = isOfTurn;
    this.found = found;
    this.attempts = attempts;
    this.patience = patience;
  }
}

const shortest = 50;
const longest = 1_000;

/** How long to wait before something is looked at again: longer each time. */
export const waitMs = (attempt: number): number => Math.min(longest, shortest * 2 ** Math.min(attempt, 10));

/** Tries calls of a store again while it is away, up to a time since its last success. */
export class Patience {
  readonly #storeWaitMs: number;
  readonly #clock: Clock;
  #lastSuccess: number;

  constructor(storeWaitMs: number, clock: Clock) {
    this.#storeWaitMs = storeWaitMs;
    this.#clock = clock;
    this.#lastSuccess = clock.now();
  }

  /** Once the signal is aborted, a store that does not answer is waited for only a moment more. */
  async try<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        const result = await (signal === undefined ? call() : this.#graced(call(), signal));
        this.#lastSuccess = this.#clock.now();
        return result;
      } catch (error) {
        if (!isStoreFailure(error) || signal?.aborted === true || this.isOver) throw error;
        await pause(waitMs(attempt), this.#clock, signal);
      }
    }
  }

  async #graced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    const onStop: OnStop = (listener) => {
      const stop = (): void => listener(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      return () => signal.removeEventListener("abort", stop);
    };
    const known = work.then((value) => ({ value }));
    const ended = await withGrace<{ value: T } | undefined>(known, onStop, this.#clock, () => undefined);
    if (ended === undefined) throw signal.reason;
    return ended.value;
  }

  /** Whether the store has been away for too long. */
  get isOver(): boolean {
    return this.#clock.now() - this.#lastSuccess >= this.#storeWaitMs;
  }
}

/** Whether a store did not do what it was asked, as when it is away. */
export function isStoreFailure(error: unknown): boolean {
  return KumikoError.is(error) && error.code === "STORE_FAILED" && error.nodePath.length === 0;
}

/** How many rows of a store, and for how long, wait for a release. */
const mostRows = 1_000;
const longestWait = 600_000;

interface LeftClaims {
  readonly releases: Map<string, () => Promise<void>>;
  readonly until: number;
}

const left = new WeakMap<CheckpointStore, LeftClaims>();

/**
 * Releases the claim of a run that has ended while its store was away, once the store answers. One loop for each store; it keeps no
 * process alive, and ends after ten minutes: then the claim ends with the process.
 */
export function releaseLater(store: CheckpointStore, id: string, release: () => Promise<void>, clock: Clock): void {
  const known = left.get(store);
  if (known !== undefined) {
    if (known.releases.size < mostRows) known.releases.set(id, release);
    return;
  }
  const claims: LeftClaims = { releases: new Map([[id, release]]), until: clock.now() + longestWait };
  left.set(store, claims);
  void releaseAll(store, claims, clock);
}

async function releaseAll(store: CheckpointStore, { releases, until }: LeftClaims, clock: Clock): Promise<void> {
  while (releases.size > 0 && clock.now() < until) {
    await idle(longest, clock);
    for (const [id, release] of releases) {
      try {
        await release();
      } catch (error) {
        if (isStoreFailure(error)) break;
      }
      releases.delete(id);
    }
  }
  left.delete(store);
}

function idle(milliseconds: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(resolve, milliseconds);
    (timer as { unref?(): void }).unref?.();
  });
}
