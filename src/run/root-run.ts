import type { Journal } from "../checkpoint/journal/journal.js";
import type { InterruptError } from "../checkpoint/pause/interrupt.js";
import type { RunOptions } from "../compose/options.js";
import { messageOf } from "../errors.js";
import { addressPart } from "./address.js";
import type { Mode } from "./body.js";
import { Context } from "./context.js";
import { duplicateChild, parentIsNoContext } from "./errors.js";
import { checkRunOptions, type Overrides, resolveOverrides } from "./options/call-options.js";
import { checkControl } from "./options/checkpoint-options.js";
import { ChildOptions } from "./options/child-options.js";
import { interruptionOf } from "./outcome.js";
import type { Program } from "./program.js";
import { Run } from "./run.js";
import type { Surroundings } from "./run-parts.js";
import { abortError, timeoutError } from "./scope.js";
import { Subscription } from "./signal-hub.js";
import { StopRequest } from "./stop-request.js";

/**
 * A run started by a call of `invoke`, `stream`, `collect` or `transform` (child runs included): it can be aborted from
 * outside, reports its start and end to the handlers of the graph, and releases its timer, signal and control at the end.
 */
export class RootRun extends Run {
  /** Called when the run is aborted from outside, after its handlers. */
  onStop: ((reason: unknown) => void) | undefined = undefined;
  /** For a stream: whether a read of it is pending. */
  isRead: (() => boolean) | undefined = undefined;
  private subscription: Subscription | undefined = undefined;
  private timer: unknown = undefined;
  private givenKey: string | undefined = undefined;
  private isEnded = false;

  /** The joined output stream as the output schema returned it. */
  checked: { readonly value: unknown } | undefined = undefined;

  constructor(
    program: Program,
    mode: Mode,
    surroundings: Surroundings,
    options: RunOptions | undefined,
    overrides: Overrides | undefined,
  ) {
    super(program, mode, surroundings, options, overrides, overrides?.nodes);
  }

  /** Checks the options and creates the run. Errors are thrown before any handler is called. */
  static prepare(program: Program, mode: Mode, options: RunOptions | undefined): RootRun {
    if (options === undefined) return new RootRun(program, mode, alone, undefined, undefined);
    const overrides = options instanceof ChildOptions ? options.overrides : checked(options, program);
    const { parent } = options;
    if (parent === undefined) return RootRun.start(program, mode, undefined, options, overrides);
    if (!(parent instanceof Context)) throw parentIsNoContext();
    const childKey = options.key ?? program.plan.name;
    const { children } = parent;
    if (children.has(childKey)) throw duplicateChild(childKey, parent.address);
    const run = RootRun.start(program, mode, parent, withReplaced(options, parent), overrides);
    run.givenKey = childKey;
    children.add(childKey, run);
    return run;
  }

  private static start(
    program: Program,
    mode: Mode,
    parentContext: Context | undefined,
    options: RunOptions,
    overrides: Overrides | undefined,
  ): RootRun {
    const { signal } = options;
    if (signal?.aborted) throw signal.reason;
    if (parentContext?.scope.aborted) throw parentContext.scope.reason;
    const run = new RootRun(program, mode, { parentContext, nested: false }, options, overrides);
    run.attach(options);
    return run;
  }

  /** Whether something outside can abort this run or ask it to stop. */
  get stoppable(): boolean {
    const { subscription, timer, parentContext, environment } = this;
    return (subscription ?? timer ?? parentContext ?? environment.stopRequest) !== undefined;
  }

  override keepChecked(value: unknown): void {
    this.checked = { value };
  }

  override completed(result: unknown): unknown {
    if (this.streams) return result;
    this.over();
    if (this.ownsSpan) this.span?.end(result);
    return result;
  }

  override get childKey(): string {
    return this.givenKey ?? super.childKey;
  }

  /** A child's `key` is part of its address, like the id of a tool call: two live children never share an address. */
  protected override get ownAddress(): string {
    const { name } = this.program.plan;
    return this.givenKey === undefined || this.givenKey === name
      ? super.ownAddress
      : `runnable:${addressPart(name)}:${addressPart(this.givenKey)}`;
  }

  override interrupt(error: InterruptError): InterruptError {
    super.interrupt(error);
    this.over();
    if (this.ownsSpan) this.span?.interrupt(error);
    return error;
  }

  override fail(error: unknown): unknown {
    const failure = super.fail(error);
    this.over();
    if (this.ownsSpan) this.span?.error(failure);
    return failure;
  }

  /** The error that it rejects with when it pauses now. */
  interruption(): InterruptError {
    return interruptionOf(this);
  }

  /** Whether it has ended; a run that streams ends with its stream. */
  get isOver(): boolean {
    return this.isEnded;
  }

  /** Whether the caller is waiting: always for a value; for a stream, while a read is pending. */
  get isAwaited(): boolean {
    return this.isRead?.() ?? true;
  }

  /** Whether the result is a stream that outlives the scheduler. */
  get streams(): boolean {
    return this.mode === "transform" || this.mode === "stream";
  }

  /** The journal, if it is this run's to settle: a child is saved with its parent. */
  get ownJournal(): Journal | undefined {
    return this.parentContext === undefined ? this.environment.journal : undefined;
  }

  /** Reports a failed save: an event to the handlers of the graph, or without handlers a warning on the console. */
  report(problem: unknown): void {
    if (this.span === undefined) console.warn(messageOf(problem));
    else this.span.event({ kind: "checkpoint_error", error: problem });
  }

  /** The id of the interrupt that a `RunControl` has requested. */
  get requestedStop(): string | undefined {
    return this.environment.stopRequest?.requested?.id;
  }

  get hasBegun(): boolean {
    return this.ledger !== undefined || this.scheduler !== undefined;
  }

  /** Whether a snapshot can be taken. */
  get canBeSaved(): boolean {
    return this.ledger?.canBeSaved === true;
  }

  /** Whether the graph itself has a span: a lone node has no graph around it. */
  get ownsSpan(): boolean {
    return !this.program.plan.bare && this.handlers !== undefined;
  }

  /** Ends the run: releases its signal, timer, control and child key. */
  over(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.close();
    if (this.parentContext === undefined) this.environment.stopRequest?.close();
    this.subscription?.unsubscribe();
    if (this.timer !== undefined) this.runtime.clock.clearTimer(this.timer);
    if (this.givenKey !== undefined) this.parentContext?.openedChildren?.close(this.givenKey);
  }

  private attach({ signal, timeoutMs, control }: RunOptions): void {
    const { parentContext, program } = this;
    if (signal !== undefined) {
      this.subscription = new Subscription(signal, this);
      const onlyCallerStops = (timeoutMs ?? control ?? parentContext) === undefined && !this.streams;
      if (program.isLinear && onlyCallerStops) this.callerSignal = signal;
    }
    if (control !== undefined) this.environment.stopRequest = new StopRequest(control, this);
    if (timeoutMs !== undefined)
      this.timer = this.runtime.clock.setTimer(() => this.abort(timeoutError(timeoutMs)), timeoutMs);
  }

  /** Aborted from outside: ends the open spans, cancels the streams, and rejects the caller's promise. */
  protected override beforeSignal(reason: unknown): void {
    if (this.isEnded || this.hasEnded) return;
    this.over();
    this.span?.abortInside(reason);
    if (this.ownsSpan) this.span?.fail(reason);
    this.openStreams.cancel(reason, this);
    this.onStop?.(reason);
  }
}

function checked(options: RunOptions, program: Program): Overrides | undefined {
  checkRunOptions(options, program);
  checkControl(options);
  return resolveOverrides(options, program);
}

/** Fields replaced by `ctx.with` apply to child runs too, unless the options set them. */
function withReplaced(options: RunOptions, parent: Context): RunOptions {
  const signal = options.signal ?? replacedIn(parent, "signal");
  const requestContext = options.requestContext ?? replacedIn(parent, "requestContext");
  if (signal === options.signal && requestContext === options.requestContext) return options;
  return { ...options, signal, requestContext };
}

function replacedIn<Name extends "signal" | "requestContext">(parent: Context, name: Name): Context[Name] | undefined {
  return Object.hasOwn(parent, name) ? parent[name] : undefined;
}

const alone = { parentContext: undefined, nested: false };

/** The abort reason when the output stream is cancelled without one. */
export function outputLeftEarly(): DOMException {
  return abortError("The output stream was left before its end.");
}
