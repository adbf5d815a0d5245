import { RunControl } from "kumiko";
import { manualClock } from "kumiko/testing";
import { forever, type Stop } from "./spec.js";
import { failureOf } from "./words.js";

/** Something that happened outside of the library. */
export interface Happening {
  readonly kind: "begin" | "effect" | "asked";
  readonly name: string;
  readonly process: number;
  /** How many writes of the store had begun, and how many had been done. */
  readonly begun: number;
  readonly done: number;
}

/** What outlives processes: effects, the clock, services that fail a few times. */
export class World {
  readonly clock = manualClock();
  readonly log: Happening[] = [];
  readonly taskKeys = new Map<string, string>();
  readonly complaints: string[] = [];
  /** Grows whenever something happens: who sees it stand still knows that nothing goes on. */
  activity = 0;
  writesBegun = 0;
  writesDone = 0;
  /** How many functions of nodes and items ran at a time in a process, at most. */
  mostRunning = 0;
  readonly #failures = new Map<string, number>();
  readonly #choices = new Map<string, number>();

  note(kind: Happening["kind"], name: string, process: Process): void {
    this.activity++;
    this.log.push({ kind, name, process: process.number, begun: this.writesBegun, done: this.writesDone });
  }

  /** Whether something that fails so many times fails now. */
  strikes(name: string, times: number): boolean {
    const count = this.#failures.get(name) ?? 0;
    if (count >= times && times !== forever) return false;
    this.#failures.set(name, count + 1);
    return true;
  }

  /** The number of a call with this name, from 0. */
  whim(name: string): number {
    const count = this.#choices.get(name) ?? 0;
    this.#choices.set(name, count + 1);
    return count;
  }
}

const never = new Promise<never>(() => {});

/** One process, which ends at its stop. */
export class Process {
  readonly world: World;
  readonly number: number;
  readonly stop: Stop | undefined;
  readonly control: RunControl | undefined;
  readonly controller = new AbortController();
  readonly gone: Promise<void>;
  isAlive = true;
  wasStopped = false;
  /** Asks the caller to leave the output stream. */
  isLeaving = false;
  onLeave: () => void = () => {};
  #moments = 0;
  #running = 0;
  #die: () => void = () => {};

  constructor(world: World, number: number, stop: Stop | undefined, hasControl: boolean) {
    this.world = world;
    this.number = number;
    this.stop = stop;
    this.control = hasControl || stop?.kind === "request" || stop?.kind === "cut off" ? new RunControl() : undefined;
    this.gone = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** A turn of the event loop, before which the process may be stopped. */
  async turn(): Promise<void> {
    if (!this.isAlive) return never;
    this.world.activity++;
    this.#moments++;
    if (this.stop?.at === this.#moments) setImmediate(() => this.#stopNow());
    await new Promise(setImmediate);
    this.world.activity++;
    if (!this.isAlive) return never;
  }

  #stopNow(): void {
    this.world.activity++;
    const kind = this.stop?.kind;
    if (kind === "request") this.control?.interrupt();
    else if (kind === "cut off") this.control?.interrupt({ timeoutMs: 0 });
    else if (kind === "abort") this.controller.abort(new Error("the caller aborts"));
    else if (kind === "leave") {
      this.isLeaving = true;
      this.onLeave();
    } else return;
    this.wasStopped = true;
  }

  kill(): Promise<never> {
    this.isAlive = false;
    this.wasStopped = true;
    this.#die();
    return never;
  }

  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.world;
    await new Promise<void>((resolve, reject) => {
      const timer = clock.setTimer(resolve, milliseconds);
      const stop = (): void => {
        clock.clearTimer(timer);
        reject(signal.reason);
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
    await this.turn();
  }

  /** Something runs until it is over, or is told to stop. */
  entered(signal: AbortSignal): () => void {
    let isOver = false;
    const leave = (): void => {
      if (!isOver) this.#running--;
      isOver = true;
      signal.removeEventListener("abort", leave);
    };
    this.#running++;
    this.world.mostRunning = Math.max(this.world.mostRunning, this.#running);
    signal.addEventListener("abort", leave);
    return leave;
  }

  failMaybe(visit: string, times: number | undefined): void {
    if (times !== undefined && this.world.strikes(`fails ${visit}`, times)) throw new Error(failureOf(visit));
  }
}
