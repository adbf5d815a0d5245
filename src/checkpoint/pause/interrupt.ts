import { KumikoError } from "../../errors.js";

/** A pending interrupt: what is asked, and the id to answer it with. */
export interface Interrupt {
  /** Identifies the interrupt in the answers given to `resume`. Random, and the same for as long as it is pending. */
  readonly id: string;
  /** Where in the graph it is pending, the same in every run: `runnable:agent;node:tools;tool:pay:call_1`. */
  readonly address: string;
  /** The key given to `ctx.ask`; left out for `ctx.interrupt`. */
  readonly key?: string;
  /** The information given to `ctx.ask` or `ctx.interrupt`. */
  readonly info: unknown;
  /** The JSON Schema that an answer must match, if a schema was given. */
  readonly schema?: object;
  /** When the deadline given to `ctx.ask` passes, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** The enclosing node, call or graph; its own `parent` leads on to the graph that was run. */
  readonly parent?: Interrupt;
}

/** The interrupts that are pending when a run pauses: at least one. */
export type Interrupts = readonly [Interrupt, ...Interrupt[]];

const brand = Symbol.for("kumiko/InterruptError");

/**
 * The error of a run that paused. It is not a failure, and so has no stack. Answer with
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
  /** The id to resume the run with; `undefined` when nothing was saved. */
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

/** The part of a run from which interrupts without a question of their own get their ids. */
export interface StoppedRun {
  readonly runKey: string;
  /** Holds a stop requested from outside. */
  readonly stopRequest: { readonly requested: Pick<Interrupt, "id" | "info"> | undefined } | undefined;
}

/** The error that ends an execution which waits for an answer. */
export function waitsAt(address: string, interrupts: readonly Interrupt[], run: StoppedRun): InterruptError {
  return withoutStack(`"${address}" waits for an answer.`, pendingAt(address, interrupts, run));
}

/**
 * The pending interrupts of an invocation or run. One that has no question of its own (it was asked to stop, or reads a stream
 * that waits) gets an id from the run and its address, as parents of interrupts do.
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
 * Creates the error without a stack. An interrupt is not a failure, its stack would show only the scheduler, and capturing it
 * costs more than the rest of a stop.
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

/**
 * Whether an error means that a run has paused, not failed.
 *
 * @example
 * const app = new Chain<string>()
 *   .append(async (text, ctx) => ((await ctx.ask("send", { text })) === true ? `sent ${text}` : "kept"))
 *   .compile({ store: memoryStore() });
 * try {
 *   await app.invoke("Hello", { checkpointId: "mail-1" });
 * } catch (error) {
 *   if (!isInterrupt(error)) throw error;
 *   const [question] = error.interrupts;
 *   console.log(await app.resume("mail-1", { [question.id]: true }));
 * }
 */
export function isInterrupt(error: unknown): error is InterruptError {
  return InterruptError.is(error);
}

/** The same, also for an error that has an interrupt as its cause. */
export function causedByInterrupt(error: unknown): boolean {
  if (InterruptError.is(error)) return true;
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    if (InterruptError.is(current)) return true;
    seen.add(current);
  }
  return false;
}
