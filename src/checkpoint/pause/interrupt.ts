import { KumikoError } from "../../errors.js";

/** One pending interrupt: what is asked, and the id under which it is answered. */
export interface Interrupt {
  /** Random, and the same for as long as it is pending. Answers are given under it. */
  readonly id: string;
  /** Where it waits, the same in every run: `runnable:agent;node:tools;tool:pay:call_1`. */
  readonly address: string;
  /** The key of the `ask` that it comes from. */
  readonly key?: string;
  /** What was said about it. */
  readonly info: unknown;
  /** The JSON Schema of an answer, if a schema was given. */
  readonly schema?: object;
  /** What is around it, outwards to the graph that was run. */
  readonly parent?: Interrupt;
}

/** Those that are pending when a run stops: at least one. */
export type Interrupts = readonly [Interrupt, ...Interrupt[]];

const brand = Symbol.for("kumiko/InterruptError");

/**
 * What a run rejects with that stopped to wait: no failure, and so without a stack. Answer with
 * `resume(checkpointId, { [id]: answer })`.
 *
 * @example
 * const app = new Chain<string>()
 *   .append((order, ctx) => ctx.ask<string>("approval", `Send ${order}?`))
 *   .compile({ store: memoryStore() });
 * try {
 *   await app.invoke("20 boxes", { checkpointId: "order-7" });
 * } catch (error) {
 *   if (!isInterrupt(error)) throw error;
 *   const [{ id, info }] = error.interrupts;
 *   console.log(info, await app.resume("order-7", { [id]: "yes" }));
 * }
 */
export class InterruptError extends KumikoError {
  override readonly name = "InterruptError";
  readonly [brand] = true;
  /** Every pending interrupt, in order of declaration: at least one. */
  readonly interrupts: Interrupts;
  /** Under which the run can be resumed; `undefined` when nothing was saved. */
  readonly checkpointId: string | undefined;

  constructor(message: string, interrupts: Interrupts, checkpointId?: string) {
    super("INTERRUPTED", message);
    this.interrupts = interrupts;
    this.checkpointId = checkpointId;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is InterruptError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** What of a run names interrupts of invocations that ask nothing themselves. */
export interface StoppedRun {
  readonly runKey: string;
  /** Knows of a stop that was asked for from outside. */
  readonly stopRequest: { readonly requested: Pick<Interrupt, "id" | "info"> | undefined } | undefined;
}

/** What ends one execution that waits. */
export function waitsAt(address: string, interrupts: readonly Interrupt[], run: StoppedRun): InterruptError {
  return withoutStack(`"${address}" waits for an answer.`, pendingAt(address, interrupts, run));
}

/**
 * The pending interrupts of an invocation or run. One that asks nothing itself (it was asked to stop, or reads a stream that
 * waits) is named by the run and its address, as the parents of interrupts are.
 */
export function pendingAt(
  address: string,
  interrupts: readonly Interrupt[],
  { runKey, stopRequest }: StoppedRun,
): Interrupts {
  const [first, ...others] = interrupts;
  if (first !== undefined) return [first, ...others];
  return [{ id: `${runKey}:${address}`, info: undefined, ...stopRequest?.requested, address }];
}

/**
 * An interrupt is no failure, and its stack would show the scheduler: what matters stands in its addresses. A stack costs
 * more than all the rest of a stop.
 */
export function withoutStack(
  message: string,
  interrupts: Interrupts,
  checkpointId?: string | undefined,
): InterruptError {
  const limit: unknown = Reflect.get(Error, "stackTraceLimit");
  Reflect.set(Error, "stackTraceLimit", 0);
  const error = new InterruptError(message, interrupts, checkpointId);
  Reflect.set(Error, "stackTraceLimit", limit);
  return error;
}

/** Whether a run has stopped to wait for somebody, and did not fail. */
export function isInterrupt(error: unknown): error is InterruptError {
  return InterruptError.is(error);
}

/** The same, also for an error that somebody wrapped around it. */
export function causedByInterrupt(error: unknown): boolean {
  if (InterruptError.is(error)) return true;
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    if (InterruptError.is(current)) return true;
    seen.add(current);
  }
  return false;
}
