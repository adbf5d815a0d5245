import type { HandlerList } from "../../callbacks/handler-list.js";
import { Span } from "../../callbacks/span.js";
import { unreadableCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import { causedByInterrupt, type InterruptError, waitsAt } from "../../checkpoint/pause/interrupt.js";
import { interruptsAt } from "../../checkpoint/pause/interrupts-of.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { ToolContext, ToolOutput } from "../../components/tool.js";
import { endsRun, KumikoError } from "../../errors.js";
import { isPromiseLike } from "../../is.js";
import type { Context } from "../../run/context.js";
import { isOfStore } from "../../run/node-failure.js";
import { causesOf } from "../../run/policies/causes-of.js";
import { unusedAnswerOf } from "../../run/questions.js";
import { Scope } from "../../run/scope.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolResult } from "../../schema/message/content-block.js";
import { isAlwaysResult, ToolError, toolThrew } from "../define/errors.js";
import type { OutputValidation } from "../define/tool-settings.js";
import type { CallPolicy, StagedCall } from "../define/tool-stages.js";
import type { Deadline } from "./deadlines.js";
import { callAborted, callNotExecuted, callTimedOut, errorHandlerFailed, unknownToolsHandlerFailed } from "./errors.js";
import type { ToolCall } from "./middleware.js";
import type { ToolEntry, ToolsNodeSettings } from "./node-settings.js";
import { errorBlock, errorText, isKeptResult, type KeptResult, resultBlock, resultMessage } from "./result-block.js";
import { limitedError, ResultLimit } from "./result-limit.js";
import { Extras, ToolCallContext } from "./tool-call-context.js";

/** Runs the calls of one message. */
export interface CallOwner {
  readonly settings: ToolsNodeSettings;
  readonly nodeContext: Context;
  readonly handlers: HandlerList | undefined;
  readonly messages: readonly AgenticMessage[];
  /** The agent whose tools they are. */
  readonly agent: ToolContext["agent"];
  /** Called when a call has its result, has failed, or is postponed. */
  settled(run: ToolRun): void;
  /** Called when a call ends the run: no call gets a result any more. */
  stopCalls(reason: unknown): void;
}

const noPieces: readonly FunctionToolResult[] = Object.freeze([]);

/** One call from the block of the model to the block of its result. It is also the `ctx` of its tool. */
export class ToolRun extends ToolCallContext implements StagedCall {
  readonly owner: CallOwner;
  readonly index: number;
  readonly name: string;
  readonly callId: string;
  readonly entry: ToolEntry | undefined;
  text: string;
  /** The arguments, parsed and validated. */
  input: unknown;
  jsonText: string | undefined;
  phase: "waiting" | "running" | "ending" | "settled";
  hasBegun = false;
  /** The tool was called and has not returned yet, not even a promise. */
  isReturning = false;
  /** It has no result yet, because it or a call before it waits for an answer. */
  isPending = false;
  /** The pieces of the result that the model reads. */
  pieces: readonly FunctionToolResult[] = noPieces;
  /** Why it has no result of its own, if that fails the node. */
  failure: ToolError | undefined = undefined;
  private deadline: Deadline | undefined = undefined;
  openedExtras: Extras | undefined = undefined;

  constructor(
    owner: CallOwner,
    index: number,
    name: string,
    callId: string,
    text: string,
    entry: ToolEntry | undefined,
  ) {
    super();
    this.owner = owner;
    this.index = index;
    this.name = name;
    this.callId = callId;
    this.entry = entry;
    this.text = text;
    this.input = undefined;
    this.jsonText = undefined;
    this.phase = "waiting";
  }

  get extras(): Extras {
    const run = this.origin as ToolRun;
    run.openedExtras ??= new Extras();
    return run.openedExtras;
  }

  get approval(): CallPolicy | undefined {
    return this.openedExtras?.approval;
  }

  override get nodeContext(): Context {
    return this.owner.nodeContext;
  }

  override get handlers(): HandlerList | undefined {
    return this.owner.handlers;
  }

  override get messages(): readonly AgenticMessage[] {
    return this.owner.messages;
  }

  override get agent(): ToolContext["agent"] {
    return this.owner.agent;
  }

  /** The call as middlewares and handlers see it. */
  get call(): ToolCall {
    return { name: this.name, arguments: this.text, callId: this.callId, input: this.input };
  }

  get outputValidation(): OutputValidation | undefined {
    return this.owner.settings.outputValidation;
  }

  get coerceArguments(): boolean {
    return this.owner.settings.coerceArguments;
  }

  /** Its saved questions; only a call that has asked something has one. */
  override get openedInvocation(): Invocation | undefined {
    return this.nodeContext.openedInvocation?.findCall(this.index)?.invocation;
  }

  override get isOver(): boolean {
    return this.phase === "settled";
  }

  get isLate(): boolean {
    return this.phase !== "running" || this.openedInvocation?.hasStopped === true;
  }

  warn(problem: ToolError): void {
    const { kind, message, toolName, callId, issues } = problem;
    if (this.span === undefined) console.warn(message);
    else this.span.event({ kind, toolName, callId, message, issues });
  }

  /** Opens the span of the tool that is about to run; `undefined` without handlers. */
  openSpan(): Span | undefined {
    const { handlers } = this;
    if (handlers === undefined) return undefined;
    const span = new Span(handlers, this.renewRecord(), this.nodeContext.enclosingSpan);
    this.extras.span = span;
    span.start({ arguments: this.text });
    return span;
  }

  /** Takes over the state of this call from an earlier execution of the node. */
  restore(invocation: Invocation): void {
    const saved = invocation.findCall(this.index);
    if (saved?.result !== undefined) this.restoreResult(saved.result.value);
    else if (saved?.invocation?.isBlocked === true) this.postpone();
  }

  private restoreResult(kept: unknown): void {
    if (!isKeptResult(kept)) throw unreadableCheckpoint(`the result of call "${this.callId}" is not a tool result`);
    if ("output" in kept) {
      this.extras.keptOutput = { value: kept.output };
      return;
    }
    this.pieces = kept.pieces;
    this.phase = "settled";
  }

  /** Settles it without running it: it, or a call before it, waits for an answer. */
  postpone(): void {
    this.nodeContext.noteStop();
    this.isPending = true;
    this.phase = "settled";
  }

  /** Whether the thrown error means that the call waits for an answer. */
  waits(thrown: unknown): boolean {
    return this.openedInvocation?.hasStopped === true && causedByInterrupt(thrown);
  }

  /** Whether it is resumed after an interrupt of its own. */
  get isResumed(): boolean {
    return this.openedInvocation?.isRestored === true;
  }

  /** Pauses the call, after everything that runs inside it has ended. */
  private stop(): void {
    this.phase = "ending";
    this.release();
    Promise.resolve(this.settle()).then(
      () => {
        this.openedInvocation?.settleAnswers();
        (this.span ?? this.openSpan())?.interrupt(this.interruption());
        this.isPending = true;
        this.end();
      },
      (thrown) => {
        this.phase = "running";
        this.failWith(thrown);
      },
    );
  }

  private interruption(): InterruptError {
    const { invocation, address, environment } = this;
    return waitsAt(address, interruptsAt(invocation.snapshot(), environment.runKey), environment);
  }

  /** Keeps the result if the run is saved, so that the call does not run again. */
  private keep(result: KeptResult): void {
    const { nodeContext } = this;
    if (nodeContext.journal !== undefined || nodeContext.retains)
      nodeContext.invocation.finishCall(this.index, this.callId, { value: result });
  }

  /** Marks it as running and starts its time limit. From now on it may have side effects. */
  begin(): void {
    this.phase = "running";
    this.hasBegun = true;
    this.openedInvocation?.begin();
    const { timeoutMs } = this;
    if (timeoutMs === undefined) return;
    this.deadline = this.owner.settings.deadlines.add(this, timeoutMs, this.runtime.clock);
  }

  /** The scope of the call, created at first use: many calls that listen to one signal would look like a leak. */
  override get scope(): Scope {
    const { extras } = this;
    extras.scope ??= this.openScope();
    return extras.scope;
  }

  override get openedScope(): Scope | undefined {
    if (this.timeoutMs !== undefined) return this.scope;
    return this.openedExtras?.scope ?? this.nodeContext.openedScope;
  }

  /** Takes the output of the tool, or a piece of it. */
  take(output: ToolOutput): void {
    const { maxResultLength } = this.owner.settings;
    const isJson = this.jsonText !== undefined && output === this.jsonText;
    if (maxResultLength === undefined || (isJson && output.length <= maxResultLength)) {
      this.add(resultBlock(this, output, isJson));
      return;
    }
    const { extras } = this;
    extras.limit ??= new ResultLimit(maxResultLength);
    const now = extras.limit.push(output);
    if (now !== undefined) this.add(resultBlock(this, now, false));
  }

  /** To be called when the tool has returned, or its stream has ended. */
  succeed(): void {
    if (this.phase !== "running") return;
    if (this.openedInvocation?.hasStopped === true) {
      this.stop();
      return;
    }
    const unused = unusedAnswerOf(this);
    if (unused !== undefined) {
      this.phase = "ending";
      this.release();
      this.settleFailed(this.blame(unused));
      return;
    }
    this.takeHeld();
    if (this.pieces.length === 0) this.add(resultBlock(this, "", false));
    const replacing = this.owner.settings.replaceResult?.(this, resultMessage(this, this.pieces));
    if (replacing === undefined) this.end(this.pieces);
    else {
      this.phase = "ending";
      this.release();
      replacing.then((text) => this.end(text === undefined ? this.pieces : [resultBlock(this, text, false)]));
    }
  }

  /** To be called when the tool, a handler or a middleware failed. Only the first failure counts. */
  fail(thrown: unknown): void {
    if (this.phase === "ending" || this.phase === "settled") return;
    // after a question, the failure must not become a result: the question could no longer be answered
    const hasAsked = this.openedInvocation?.hasStopped === true && !this.isAskedAgain(thrown);
    if (this.waits(thrown) || (hasAsked && this.owner.settings.onToolError !== "throw")) this.stop();
    else this.failWith(thrown);
  }

  private failWith(thrown: unknown): void {
    const error = this.blame(thrown);
    if (error.kind === "output_validation") this.keep({ output: error.output });
    this.phase = "ending";
    this.release();
    if (this.span === undefined) this.openSpan()?.error(error);
    const { onToolError } = this.owner.settings;
    // a run that cannot be saved has failed, whoever would have handled the call: a model could do nothing about it
    if (endsRun(thrown)) {
      this.isReturning = false;
      this.owner.stopCalls(thrown);
    } else if (isOfStore(thrown) && this.nodeContext.journal !== undefined) this.settleFailed(error);
    else if (isAlwaysResult(error)) this.answer(error, errorText(this, error));
    else if (this.isAskedAgain(thrown)) this.settleOpen(error);
    else if (onToolError === "throw") this.settleFailed(error);
    else if (onToolError === "result") this.answer(error, errorText(this, error));
    else this.askHandler(onToolError, error);
  }

  /** Whether the tool's own code rejected an answer. Its question is open again, so there is no result for the model. */
  private isAskedAgain(thrown: unknown): boolean {
    if (this.openedInvocation === undefined) return false;
    return causesOf(thrown).some((cause) => KumikoError.is(cause) && cause.code === "ANSWER_MISMATCH");
  }

  /** Fails the node, and leaves the question open: without another answer, the call is not entered again. */
  private settleOpen(error: ToolError): void {
    this.openedInvocation?.settleAnswers();
    this.settleFailed(error);
  }

  /** The tool cannot run for this request. That becomes the result, whatever `onToolError` says, because other arguments would not help. */
  refuse(error: ToolError): void {
    if (this.phase === "ending" || this.phase === "settled") return;
    this.phase = "ending";
    this.openSpan()?.error(error);
    this.answer(error, errorText(this, error));
  }

  /** The time limit has expired. */
  expire(): void {
    const { extras, timeoutMs = 0 } = this;
    const reason = new DOMException(`The call took longer than its timeoutMs of ${timeoutMs} ms.`, "TimeoutError");
    const error = callTimedOut(this, timeoutMs, reason);
    this.span?.error(error);
    extras.stopped = { reason };
    this.fail(error);
    extras.scope?.abort(reason);
    extras.reader?.cancel(reason);
  }

  /** The enclosing run was stopped. A tool that stopped it itself may still return its result. */
  abort(reason: unknown): void {
    if (this.phase === "settled") return;
    const { extras } = this;
    extras.stopped = { reason };
    if (!this.isReturning) this.cutOff();
    extras.scope?.abort(reason);
    extras.reader?.cancel(reason);
  }

  /** To be called when the tool has returned a value or a promise. */
  returned(): void {
    this.isReturning = false;
    const stopped = this.openedExtras?.stopped;
    if (stopped === undefined || this.phase !== "running") return;
    this.cutOff();
    this.extras.reader?.cancel(stopped.reason);
  }

  private cutOff(): void {
    this.phase = "settled";
    this.release();
    this.extras.isCutOff = true;
  }

  /** Throws if the call has ended. To be called after every wait and before the tool may have an effect. */
  throwIfOver(): void {
    if (this.phase !== "running")
      throw this.openedExtras?.stopped?.reason ?? callNotExecuted(this, "its call had already ended");
  }

  /** Settles it without running it, because another call failed. */
  skip(why: string): void {
    this.failure = callNotExecuted(this, why);
    this.phase = "settled";
  }

  /** The result as a message; for a call without a result, an error that says why. */
  message(): AgenticMessage {
    const { pieces } = this;
    const failure = this.failure ?? this.unfinished();
    if (failure === undefined) return resultMessage(this, pieces);
    return resultMessage(this, [...pieces, this.errorPiece(failure, errorText(this, failure))]);
  }

  /**
   * Wraps what was thrown in a `ToolError` of this call; an error that already is one stays. An error rethrown by middlewares
   * gets the same wrapper each time.
   */
  blame(thrown: unknown): ToolError {
    if (ToolError.is(thrown) && thrown.callId === this.callId && thrown.toolName === this.toolName) {
      if (thrown.results.length === 0) return thrown;
    }
    const { extras } = this;
    if (extras.blamed !== undefined && extras.blamed.thrown === thrown) return extras.blamed.error;
    const error = this.errorOf(thrown);
    extras.blamed = { thrown, error };
    return error;
  }

  /** Why it has no result, if the enclosing run was stopped or it waits for an answer. */
  private unfinished(): ToolError | undefined {
    const extras = this.openedExtras;
    if (extras?.isCutOff === true) {
      if (this.hasBegun) return callAborted(this, extras.stopped?.reason);
      return callNotExecuted(this, "the run was stopped before it started");
    }
    return this.isPending ? callNotExecuted(this, "it, or a call before it, waits for an answer") : undefined;
  }

  private errorOf(thrown: unknown): ToolError {
    const { openedScope } = this.nodeContext;
    if (openedScope?.aborted === true) return callAborted(this, openedScope.reason);
    return this.entry?.known === false ? unknownToolsHandlerFailed(this, thrown) : toolThrew(this, thrown);
  }

  private askHandler(handler: Exclude<ToolsNodeSettings["onToolError"], string>, error: ToolError): void {
    const refuse = (cause: unknown): void => this.settleFailed(errorHandlerFailed(this, error, cause));
    try {
      const text: unknown = handler(error, this.call, this);
      if (isPromiseLike(text)) text.then((ready) => this.answer(error, String(ready)), refuse);
      else this.answer(error, String(text));
    } catch (cause) {
      refuse(cause);
    }
  }

  private answer(error: ToolError, text: string): void {
    if (this.phase === "settled") return;
    this.takeHeld();
    this.add(this.errorPiece(error, text));
    this.end(this.pieces);
  }

  private settleFailed(error: ToolError): void {
    if (this.phase === "settled") return;
    this.takeHeld();
    this.failure = error;
    this.end();
  }

  /** Adds a piece. (An array created with one element uses less memory than one that grows from empty.) */
  private add(piece: FunctionToolResult): void {
    if (this.pieces.length === 0) this.pieces = [piece];
    else (this.pieces as FunctionToolResult[]).push(piece);
  }

  private errorPiece(error: ToolError, text: string): FunctionToolResult {
    return errorBlock(this, error, limitedError(text, this.owner.settings.maxResultLength), this.pieces);
  }

  private takeHeld(): void {
    const held = this.openedExtras?.limit?.end();
    if (held !== undefined) this.add(resultBlock(this, held, false));
  }

  /** `result`: to keep, of a call that has one. */
  private end(result?: readonly FunctionToolResult[]): void {
    if (this.phase === "settled") return;
    if (result !== undefined) {
      this.pieces = result;
      this.keep({ pieces: result });
    }
    this.phase = "settled";
    this.release();
    this.owner.settled(this);
  }

  private release(): void {
    this.deadline?.remove();
    this.deadline = undefined;
  }

  /** To be called when nothing reads its output any more. `left` is set if the reader left before the end. */
  close(left?: { readonly reason: unknown }): void {
    const scope = this.openedExtras?.scope;
    if (scope === undefined) return;
    scope.close();
    if (left !== undefined) scope.abort(left.reason);
  }

  private get timeoutMs(): number | undefined {
    const timeoutMs = this.entry?.timeoutMs ?? this.owner.settings.timeoutMs;
    return timeoutMs === Number.POSITIVE_INFINITY ? undefined : timeoutMs;
  }

  private openScope(): Scope {
    const scope = new Scope(this.nodeContext.scope);
    const stopped = this.openedExtras?.stopped;
    if (stopped !== undefined) scope.abort(stopped.reason);
    else if (this.phase !== "settled") scope.open();
    return scope;
  }
}

/** The call of a context, also of a copy of the context. */
export function toolRunOf(ctx: ToolContext): ToolRun | undefined {
  return ctx instanceof ToolRun && ctx.origin instanceof ToolRun ? ctx.origin : undefined;
}
