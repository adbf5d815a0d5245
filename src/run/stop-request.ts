import { randomId } from "../callbacks/random-id.js";
import { stopInfo } from "../checkpoint/pause/stop-info.js";
import type { Clock } from "../components/clock.js";
import type { RunControl } from "../compose/run-control.js";

/** The run that is asked to stop. */
export interface StoppableRun {
  readonly runtime: { readonly clock: Clock };
  readonly environment: { notifyHalt(): void };
  /** Whether something of it may run. */
  readonly hasBegun: boolean;
  abort(reason: unknown): void;
  /** The rejection of a run that is stopped so that it can be resumed. */
  interruption(): unknown;
}

/** How long a run that has not started yet, because its store does not respond, may go on waiting after its time limit. */
const graceMs = 1_000;

/** Listens for a stop requested by a `RunControl`: no new node starts; after its time limit, the run is aborted. */
export class StopRequest {
  /** The stop as an interrupt, once it was requested. */
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
    this.requested = { id: randomId(), info: stopInfo({ kind: "requested" }) };
    this.#run.environment.notifyHalt();
    if (timeoutMs === 0) this.#cut();
    else if (timeoutMs !== undefined) this.#timer = this.#run.runtime.clock.setTimer(() => this.#cut(), timeoutMs);
  }

  /** A run that has not started yet pauses by itself as soon as it starts; it gets some time for that. */
  #cut(): void {
    if (this.#run.hasBegun) this.#abort();
    else this.#timer = this.#run.runtime.clock.setTimer(() => this.#abort(), graceMs);
  }

  #abort(): void {
    this.#run.abort(this.#run.interruption());
  }
}
