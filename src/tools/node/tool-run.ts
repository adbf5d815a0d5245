import type { HandlerList } from "../../callbacks/handler-list.js";
import { Span } from "../../callbacks/span.js";
import { unreadableCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { Slot } from "../../checkpoint/document/snapshot.js";
import { causedByInterrupt, type InterruptError, waitsAt } from "../../checkpoint/pause/interrupt.js";
import { interruptsAt } from "../../checkpoint/pause/interrupts-of.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { ToolOutput } from "../../components/tool.js";
import type { AnyToolOptions } from "../../components/tool-options.js";
import { KumikoError } from "../../errors.js";
import { isPromiseLike } from "../../is.js";
import type { Context } from "../../run/context.js";
import { Scope } from "../../run/scope.js";
import type { ConcatRegistry } from "../../schema/concat/registry.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolResult } from "../../schema/message/content-block.js";
import type { SchemaValidator, UncheckedPart } from "../../schema/schema-validator.js";
import { isAlwaysResult, ToolError, toolThrew } from "../define/errors.js";
import type { OutputValidation } from "../define/tool-settings.js";
import type { StagedCall, StagedEvent, Suspension } from "../define/tool-stages.js";
import type { Deadline, Expiring } from "./deadlines.js";
import { callAborted, callNotExecuted, callTimedOut, errorHandlerFailed, unknownToolsHandlerFailed } from "./errors.js";
import type { ToolCall } from "./middleware.js";
import type { ToolsNodeSettings } from "./node-settings.js";
import { reportEvent } from "./report-event.js";
import {
  type Answered,
  errorBlock,
  isKeptResult,
  type KeptResult,
  resultBlock,
  resultMessage,
} from "./result-block.js";
import { limitedError, ResultLimit } from "./result-limit.js";
import { causeChain } from "./results-of.js";
import { type ContextCall, ToolCallContext } from "./tool-call-context.js";
import type { ToolEntry } from "./tool-entry.js";

/** What runs the calls of one message. */
export interface CallOwner {
  readonly settings: ToolsNodeSettings;
  readonly nodeContext: Context;
  readonly handlers: HandlerList | undefined;
  readonly messages: readonly AgenticMessage[];
  /** A call has its result, or has failed for good. */
  settled(run: ToolRun): void;
}

/** One call on its way: from the block of the model to the block of its result. */
export class ToolRun implements StagedCall, ContextCall, Answered, Expiring {
  readonly owner: CallOwner;
  readonly index: number;
  readonly name: string;
  readonly callId: string;
  readonly entry: ToolEntry | undefined;
  /** The arguments as far as they have come: after aliases, the handler and middlewares. */
  text: string;
  input: unknown = undefined;
  jsonText: string | undefined = undefined;
  state: "waiting" | "running" | "failing" | "settled" = "waiting";
  hasBegun = false;
  /** What the model reads. */
  pieces: readonly FunctionToolResult[] = noPieces;
  /** Why it has no result of its own, when that fails the node. */
  failure: ToolError | undefined = undefined;
  /** It has no result, because it or a call before it waits for somebody. */
  isPending = false;
  /** What the tool gave in a former run, and was not accepted then. */
  keptOutput: Slot | undefined = undefined;
  /** What it was resumed with. */
  resumeData: unknown = undefined;
  span: Span | undefined = undefined;
  /** The stream that it is read from. */
  reader: { cancel(reason: unknown): unknown } | undefined = undefined;
  private cachedContext: ToolCallContext<ToolRun> | undefined = undefined;
  private deadline: Deadline | undefined = undefined;
  private ownScope: Scope | undefined = undefined;
  /** The reason that its signal has when it ran out of time, or the run around it was stopped. */
  private stopped: { readonly reason: unknown } | undefined = undefined;
  private isCutOff = false;
  private limit: ResultLimit | undefined = undefined;
  private blamed: { readonly thrown: unknown; readonly error: ToolError } | undefined = undefined;

  constructor(
    owner: CallOwner,
    index: number,
    name: string,
    callId: string,
    text: string,
    entry: ToolEntry | undefined,
  ) {
    this.owner = owner;
    this.index = index;
    this.name = name;
    this.callId = callId;
    this.text = text;
    this.entry = entry;
  }

  get context(): ToolCallContext<ToolRun> {
    this.cachedContext ??= new ToolCallContext(this);
    return this.cachedContext;
  }

  /** What middlewares and handlers see. */
  get call(): ToolCall {
    return { name: this.name, arguments: this.text, callId: this.callId, input: this.input };
  }

  get toolName(): string {
    return this.entry?.known === true ? this.entry.name : this.name;
  }

  get toolType(): string {
    return this.entry?.type ?? "";
  }

  get toolOptions(): AnyToolOptions | undefined {
    return this.entry?.options;
  }

  get suspension(): Suspension | undefined {
    return this.entry?.stages.suspension;
  }

  get nodeContext(): Context {
    return this.owner.nodeContext;
  }

  get messages(): readonly AgenticMessage[] {
    return this.owner.messages;
  }

  get validator(): SchemaValidator | undefined {
    return this.nodeContext.runtime.schemaValidator;
  }

  get registry(): ConcatRegistry | undefined {
    return this.nodeContext.runtime.concat;
  }

  get outputValidation(): OutputValidation | undefined {
    return this.owner.settings.outputValidation;
  }

  get coerceArguments(): boolean {
    return this.owner.settings.coerceArguments;
  }

  get abortSignal(): AbortSignal {
    return this.scope.signal;
  }

  get isOver(): boolean {
    return this.state !== "running" || this.openedInvocation?.hasStopped === true;
  }

  get isSettled(): boolean {
    return this.state === "settled";
  }

  /** Before the tool runs, what there is to tell is told of the node. An error that nobody hears stands in the console. */
  report(event: StagedEvent): void {
    reportEvent(this.span ?? this.nodeContext.span, event);
  }

  unchecked({ path, reason }: UncheckedPart, schema: string): void {
    const { toolName, callId } = this;
    this.report({ kind: "unchecked_schema", toolName, callId, schema, path, reason });
  }

  hasAsked(key: string): boolean {
    return this.openedInvocation?.findAsk(key) !== undefined;
  }

  warn(problem: ToolError): void {
    const { kind, message, toolName, callId, issues } = problem;
    if (this.span === undefined) console.warn(message);
    else this.span.event({ kind, toolName, callId, message, issues });
  }

  /** The span of the tool that is about to run; `undefined` when nobody looks. */
  openSpan(): Span | undefined {
    const { handlers, nodeContext } = this.owner;
    if (handlers === undefined) return undefined;
    this.span = new Span(handlers, this.context.renew(), nodeContext.enclosingSpan);
    this.span.start({ arguments: this.text });
    return this.span;
  }

  /** Takes over what a former run of the node knows of this call. */
  restore(invocation: Invocation): void {
    const former = invocation.findCall(this.index);
    if (former?.result !== undefined) this.restoreResult(former.result.value);
    else if (former?.invocation?.isBlocked === true) this.postpone();
  }

  private restoreResult(kept: unknown): void {
    if (!isKeptResult(kept)) throw unreadableCheckpoint(`the result of call "${this.callId}" is none`);
    if ("output" in kept) {
      this.keptOutput = { value: kept.output };
      return;
    }
    this.pieces = kept.pieces;
    this.state = "settled";
  }

  /** It does not run now, and is no failure. */
  postpone(): void {
    this.nodeContext.noteStop();
    this.isPending = true;
    this.state = "settled";
  }

  /** Whether it waits for somebody, if this is what its tool threw. */
  waits(thrown: unknown): boolean {
    return this.openedInvocation?.hasStopped === true && causedByInterrupt(thrown);
  }

  /** Whether it goes on after an interrupt of its own, which may have come with data. */
  get isResumed(): boolean {
    return this.openedInvocation?.isRestored === true;
  }

  /** What it remembers; only a call that has asked something does. */
  get openedInvocation(): Invocation | undefined {
    return this.nodeContext.openedInvocation?.findCall(this.index)?.invocation;
  }

  /** It waits: what runs inside it comes to its end first. */
  private stop(): void {
    this.state = "failing";
    this.release();
    Promise.resolve(this.context.settle()).then(
      () => {
        this.openedInvocation?.settleAnswers();
        (this.span ?? this.openSpan())?.interrupt(this.interruption());
        this.isPending = true;
        this.settle();
      },
      (thrown) => {
        this.state = "running";
        this.fail(thrown);
      },
    );
  }

  private interruption(): InterruptError {
    const { environment } = this.nodeContext;
    const interrupts = interruptsAt(this.context.invocation.snapshot(), environment.runKey);
    return waitsAt(this.context.address, interrupts, environment);
  }

  /** Remembers the result, where the run is saved: the call does not run again. */
  private keep(result: KeptResult): void {
    const { nodeContext } = this;
    if (nodeContext.journal !== undefined || nodeContext.retains)
      nodeContext.invocation.finishCall(this.index, this.callId, { value: result });
  }

  /** From now on it may have an effect, and its time runs. */
  begin(): void {
    this.state = "running";
    this.hasBegun = true;
    this.openedInvocation?.begin();
    const { timeoutMs } = this;
    if (timeoutMs === undefined) return;
    this.deadline = this.owner.settings.deadlines.add(this, timeoutMs, this.nodeContext.runtime.clock);
  }

  /** Its own, made when somebody asks: many calls that listen to one signal look like a leak. */
  get scope(): Scope {
    this.ownScope ??= this.openScope();
    return this.ownScope;
  }

  get openedScope(): Scope | undefined {
    return this.timeoutMs === undefined ? (this.ownScope ?? this.nodeContext.openedScope) : this.scope;
  }

  /** Takes what the tool gave, or a piece of it. */
  take(output: ToolOutput): void {
    const { maxResultLength } = this.owner.settings;
    const isJson = this.jsonText !== undefined && output === this.jsonText;
    if (maxResultLength === undefined || (isJson && output.length <= maxResultLength)) {
      this.add(resultBlock(this, output, isJson));
      return;
    }
    this.limit ??= new ResultLimit(maxResultLength);
    const now = this.limit.push(output);
    if (now !== undefined) this.add(resultBlock(this, now, false));
  }

  /** The tool has given all. */
  succeed(): void {
    if (this.state !== "running") return;
    if (this.openedInvocation?.hasStopped === true) {
      this.stop();
      return;
    }
    this.takeHeld();
    if (this.pieces.length === 0) this.add(resultBlock(this, "", false));
    this.keep({ pieces: this.pieces });
    this.settle();
  }

  /** Something on the way of this call has failed. Only the first time counts. */
  fail(thrown: unknown): void {
    if (this.state === "failing" || this.state === "settled") return;
    if (this.waits(thrown)) {
      this.stop();
      return;
    }
    const error = this.blame(thrown);
    if (error.kind === "output_validation") this.keep({ output: error.output });
    this.state = "failing";
    this.release();
    if (this.span === undefined) this.openSpan()?.error(error);
    const { onToolError } = this.owner.settings;
    if (isAlwaysResult(error)) {
      this.answer(error, this.textOf(error));
      return;
    }
    if (this.isAskedAgain(thrown)) this.settleOpen(error);
    else if (onToolError === "throw") this.settleFailed(error);
    else if (onToolError === "result") this.answer(error, this.textOf(error));
    else this.ask(onToolError, error);
  }

  /** Only the code knew that an answer does not fit. Its question is open again, so there is no result to tell a model. */
  private isAskedAgain(thrown: unknown): boolean {
    if (this.openedInvocation === undefined) return false;
    return causeChain(thrown).some((cause) => KumikoError.is(cause) && cause.code === "ANSWER_MISMATCH");
  }

  /** Fails the node, and waits for another answer: without one, the call is not entered again. */
  private settleOpen(error: ToolError): void {
    this.openedInvocation?.settleAnswers();
    this.settleFailed(error);
  }

  /** It cannot run for this request, which is the result, whatever `onToolError` says: arguments do not help. */
  refuse(error: ToolError): void {
    if (this.state === "failing" || this.state === "settled") return;
    this.state = "failing";
    this.openSpan()?.error(error);
    this.answer(error, this.textOf(error));
  }

  /** It has run out of time. */
  expire(): void {
    const { ownScope, reader, timeoutMs = 0 } = this;
    const reason = new DOMException(`The call took longer than its timeoutMs of ${timeoutMs} ms.`, "TimeoutError");
    const error = callTimedOut(this, timeoutMs, reason);
    this.span?.error(error);
    this.stopped = { reason };
    this.fail(error);
    ownScope?.abort(reason);
    reader?.cancel(reason);
  }

  /** The run around it was stopped; nobody is told any more. */
  abort(reason: unknown): void {
    const { state, reader, ownScope } = this;
    if (state === "settled") return;
    this.state = "settled";
    this.isCutOff = true;
    this.release();
    this.stopped = { reason };
    ownScope?.abort(reason);
    reader?.cancel(reason);
  }

  /** To be asked after every wait, before the tool may have an effect: its run, or its time, may be over by now. */
  throwIfOver(): void {
    if (this.state !== "running") throw this.stopped?.reason ?? callNotExecuted(this, "its call had ended before");
  }

  /** It will not run, because another one failed. */
  skip(why: string): void {
    this.failure = callNotExecuted(this, why);
    this.state = "settled";
  }

  /** What the model reads, or would read if it were told. */
  message(): AgenticMessage {
    const { pieces } = this;
    const failure = this.failure ?? this.unfinished();
    if (failure === undefined) return resultMessage(this, pieces);
    return resultMessage(this, [...pieces, this.errorPiece(failure, this.textOf(failure))]);
  }

  /**
   * Errors of this very call stay as they are; everything else becomes the cause of one. What is thrown on, from the tool
   * through its middlewares, becomes the same error each time.
   */
  blame(thrown: unknown): ToolError {
    if (ToolError.is(thrown) && thrown.callId === this.callId && thrown.toolName === this.toolName) {
      if (thrown.results.length === 0) return thrown;
    }
    if (this.blamed !== undefined && this.blamed.thrown === thrown) return this.blamed.error;
    const error = this.errorOf(thrown);
    this.blamed = { thrown, error };
    return error;
  }

  /** Why it has no result, when the run around it was stopped or it waits for an answer. */
  private unfinished(): ToolError | undefined {
    if (this.isCutOff && this.hasBegun) return callAborted(this, this.stopped?.reason);
    if (this.isCutOff) return callNotExecuted(this, "the run was stopped before it");
    return this.isPending ? callNotExecuted(this, "it, or a call before it, waits for an answer") : undefined;
  }

  private errorOf(thrown: unknown): ToolError {
    const { openedScope } = this.nodeContext;
    if (openedScope?.aborted === true) return callAborted(this, openedScope.reason);
    return this.entry?.known === false ? unknownToolsHandlerFailed(this, thrown) : toolThrew(this, thrown);
  }

  private ask(handler: Exclude<ToolsNodeSettings["onToolError"], string>, error: ToolError): void {
    const refuse = (cause: unknown): void => this.settleFailed(errorHandlerFailed(this, error, cause));
    try {
      const text: unknown = handler(error, this.call, this.context);
      if (isPromiseLike(text)) text.then((ready) => this.answer(error, String(ready)), refuse);
      else this.answer(error, String(text));
    } catch (cause) {
      refuse(cause);
    }
  }

  private answer(error: ToolError, text: string): void {
    if (this.state === "settled") return;
    this.takeHeld();
    this.add(this.errorPiece(error, text));
    this.keep({ pieces: this.pieces });
    this.settle();
  }

  private settleFailed(error: ToolError): void {
    if (this.state === "settled") return;
    this.takeHeld();
    this.failure = error;
    this.settle();
  }

  /** A list that starts with one element is smaller than one that grows from nothing. */
  private add(piece: FunctionToolResult): void {
    if (this.pieces.length === 0) this.pieces = [piece];
    else (this.pieces as FunctionToolResult[]).push(piece);
  }

  private errorPiece(error: ToolError, text: string): FunctionToolResult {
    return errorBlock(this, error, limitedError(text, this.owner.settings.maxResultLength), this.pieces);
  }

  private takeHeld(): void {
    const held = this.limit?.end();
    if (held !== undefined) this.add(resultBlock(this, held, false));
  }

  private settle(): void {
    this.state = "settled";
    this.release();
    this.owner.settled(this);
  }

  private release(): void {
    this.deadline?.remove();
    this.deadline = undefined;
  }

  /** Nobody reads what it gave any more: its signal has nothing to follow. `left`: its reader has left before the end. */
  close(left?: { readonly reason: unknown }): void {
    this.ownScope?.close();
    if (left !== undefined) this.ownScope?.abort(left.reason);
  }

  private get timeoutMs(): number | undefined {
    const timeoutMs = this.entry?.timeoutMs ?? this.owner.settings.timeoutMs;
    return timeoutMs === Number.POSITIVE_INFINITY ? undefined : timeoutMs;
  }

  private openScope(): Scope {
    const scope = new Scope(this.nodeContext.scope);
    if (this.stopped !== undefined) scope.abort(this.stopped.reason);
    else if (this.state !== "settled") scope.open();
    return scope;
  }

  private textOf(error: ToolError): string {
    try {
      return String(this.owner.settings.formatError?.(error) ?? error.message);
    } catch {
      return error.message;
    }
  }
}

const noPieces: readonly FunctionToolResult[] = Object.freeze([]);
