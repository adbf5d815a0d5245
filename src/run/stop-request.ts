import { randomId } from "../callbacks/random-id.js";
import type { Clock } from "../components/clock.js";
import type { RunControl } from "../compose/run-control.js";

/** The run that is asked to stop. */
export interface StoppableRun {
  readonly runtime: { readonly clock: Clock };
  readonly environment: { tellHalt(): void };
  /** Whether something of it may run. */
  readonly hasBegun: boolean;
  abort(reason: unknown): void;
  /** What it rejects with when it is stopped so that it can be resumed. */
  interruption(): unknown;
}

/** How long a run that has not begun, because its store does not answer, may go on waiting after its time is up. */
const graceMs = 1_000;

/** A stop that a `RunControl` may ask for: no new node starts; after its time limit, what still runs is cut off. */
export class StopRequest {
  /** The stop as an interrupt, once it was asked for. */
  requested: { readonly id: string; readonly info: unknown } | undefined = undefined;
  readonly #run: StoppableRun;
  readonly #unlisten: () => void;
  #timer: unknown = undefined;

  constructor(control: RunControl, run: StoppableRun) {
    this.#run = run;
    this.#unlisten = control.onInterrupt((timeoutMs) => this.#request(timeoutMs));
  }

  close(): void {
    this.#unlisten();
    if (this.#timer !== undefined) this.#run.runtime.clock.clearTimer(this.#timer);
  }

  #request(timeoutMs: number | undefined): void {
    this.requested = { id: randomId(), info: { kind: "requested" } };
    this.#run.environment.tellHalt();
    if (timeoutMs === 0) this.#cut();
    else if (timeoutMs !== undefined) this.#timer = this.#run.runtime.clock.setTimer(() => this.#cut(), timeoutMs);
  }

  /** A run that has not begun stops at its start, unless that does not come. */
  #cut(): void {
    if (this.#run.hasBegun) this.#abort();
    else this.#timer = this.#run.runtime.clock.setTimer(() => this.#abort(), graceMs);
  }

  #abort(): void {
    this.#run.abort(this.#run.interruption());
  }
}
