import { type CheckpointStore, RunControl } from "kumiko";
import { gate } from "../run/gate.js";
import { watchedStore } from "./watched-store.js";

/**
 * How a process is stopped: it is killed; its run is aborted, asked to stop, or asked to stop at once; or the work, or the
 * write of the store, that has this moment fails.
 */
export type StopKind = "kill" | "abort" | "request" | "cut off" | "work fails" | "store fails";

export interface Stop {
  readonly kind: StopKind;
  /** At which of its moments. */
  readonly at: number;
}

/** What a stop throws. */
export class Stopped extends Error {
  constructor(kind: StopKind) {
    super(`stopped: ${kind}`);
  }
}

/**
 * What a process does, moment by moment: the beginning and the end of each piece of work, and the time before and after each
 * put. At one of them it may be stopped. Nothing goes on in a process that was killed or has ended, and no work in a run that
 * was aborted or cut off.
 */
export class Process {
  readonly control = new RunControl();
  readonly signal: AbortSignal;
  readonly killed: Promise<void>;
  readonly #abort = new AbortController();
  readonly #kill = gate();
  readonly #stop: Stop | undefined;
  #moments = 0;
  #over = false;
  #workIsOver = false;

  constructor(stop: Stop | undefined) {
    this.#stop = stop;
    this.signal = this.#abort.signal;
    this.killed = this.#kill.promise;
  }

  /** Whether its stop has come. */
  get wasStopped(): boolean {
    return this.#stop !== undefined && this.#moments > this.#stop.at;
  }

  /** Nothing that is still under way in it goes on. */
  end(): void {
    this.#over = true;
  }

  async moment(of: "work" | "store" = "work"): Promise<void> {
    if (this.#over || (this.#workIsOver && of === "work")) return frozen();
    if (this.#moments++ !== this.#stop?.at) return undefined;
    const { kind } = this.#stop;
    switch (kind) {
      case "kill":
        this.#over = true;
        this.#kill.open();
        return frozen();
      case "abort":
        this.#workIsOver = true;
        this.#abort.abort(new Stopped(kind));
        return of === "work" ? frozen() : undefined;
      case "request":
        this.control.interrupt();
        return undefined;
      case "cut off":
        this.#workIsOver = true;
        this.control.interrupt({ timeoutMs: 0 });
        return of === "work" ? frozen() : undefined;
      case "work fails":
      case "store fails":
        if (kind === `${of} fails`) throw new Stopped(kind);
        return undefined;
      default:
        return kind satisfies never;
    }
  }

  /** The store, as this process sees it. */
  store(rows: CheckpointStore, isOwnerAlive?: (owner: string) => boolean): CheckpointStore {
    return watchedStore(
      {
        before: ({ kind }) => (this.#over || kind !== "get" ? this.moment("store") : undefined),
        after: ({ kind }) => (this.#over || kind === "put" ? this.moment("store") : undefined),
        ...(isOwnerAlive && { isOwnerAlive }),
      },
      rows,
    );
  }
}

const frozen = (): Promise<never> => new Promise(() => undefined);
