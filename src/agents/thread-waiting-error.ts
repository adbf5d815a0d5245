import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import { KumikoError } from "../errors.js";

const waitingBrand = Symbol.for("kumiko/ThreadWaitingError");

/**
 * A thread waits for answers, and something new was asked in it.
 *
 * @example
 * try {
 *   await agent.generate("And now?", { threadId: "u-1" });
 * } catch (error) {
 *   if (!ThreadWaitingError.is(error)) throw error;
 *   console.log(error.interrupts.map(({ info }) => info));
 * }
 */
export class ThreadWaitingError extends KumikoError {
  override readonly name: string = "ThreadWaitingError";
  readonly [waitingBrand] = true;
  /** The questions that it waits for. */
  readonly interrupts: readonly [Interrupt, ...Interrupt[]];

  constructor(id: string, interrupts: readonly [Interrupt, ...Interrupt[]]) {
    super(
      "THREAD_WAITING",
      `Thread "${id}" waits for ${interrupts.length === 1 ? "an answer" : `${interrupts.length} answers`}. ` +
        'Answer with resume({ threadId }, …), or close the questions with generate(prompt, { threadId, onWaiting: "close" }).',
    );
    this.interrupts = interrupts;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is ThreadWaitingError {
    return typeof value === "object" && value !== null && waitingBrand in value;
  }
}

/** A turn that waits has what it waits for in its record. */
export const threadWaiting = (id: string, interrupts: readonly Interrupt[] = []): ThreadWaitingError =>
  new ThreadWaitingError(id, interrupts as readonly [Interrupt, ...Interrupt[]]);
