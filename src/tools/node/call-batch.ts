import type { HandlerList } from "../../callbacks/handler-list.js";
import { type InterruptError, waitsAt } from "../../checkpoint/pause/interrupt.js";
import { interruptsAt } from "../../checkpoint/pause/interrupts-of.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { ToolOutput } from "../../components/tool.js";
import type { Context } from "../../run/context.js";
import { Scope } from "../../run/scope.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { outputReader } from "../define/contract-stages.js";
import type { ToolError } from "../define/errors.js";
import { isToolStream } from "../define/producer.js";
import { toolOutputOf } from "../define/tool-output.js";
import { callsIn, newCallIds } from "./call-ids.js";
import type { ToolsNodeSettings } from "./node-settings.js";
import type { ToolsNodeOptions } from "./options.js";
import { rememberResults } from "./results-of.js";
import { prepareCall, startTool } from "./run-tool.js";
import { type CallOwner, ToolRun } from "./tool-run.js";
import type { ToolTable } from "./tool-table.js";
import { type ToolKit, toolsNodeOptionsOf } from "./tool-table.js";

/**
 * The calls of one message. First all are prepared, then they run, as many at once as the node allows, in their order;
 * a failure that is not turned into a result keeps those that have not started from doing so.
 */
export abstract class CallBatch extends Scope implements CallOwner {
  readonly settings: ToolsNodeSettings;
  readonly nodeContext: Context;
  readonly handlers: HandlerList | undefined;
  readonly message: AgenticMessage;
  readonly options: ToolsNodeOptions;
  readonly table: ToolTable;
  readonly runs: readonly ToolRun[];
  /** The run was stopped, or every call has settled. */
  protected over = false;
  /** A call has failed the node. */
  protected failed = false;
  /** A call waits for somebody. */
  protected hasPending = false;
  /** Somebody is asked before any call may run. */
  private hasAsked = false;
  private unsettled: number;
  private active = 0;
  private nextIndex = 0;
  private starting = false;

  constructor(kit: ToolKit, message: AgenticMessage, nodeContext: Context) {
    super(nodeContext.openedScope);
    const calls = callsIn(message);
    const ids = newCallIds(calls);
    const { settings } = kit;
    const options = toolsNodeOptionsOf(nodeContext);
    const table = kit.tableFor(options);
    this.settings = settings;
    this.nodeContext = nodeContext;
    this.handlers = nodeContext.handlers;
    this.message = message;
    this.options = options;
    this.table = table;
    this.unsettled = calls.length;
    const runs = new Array<ToolRun>(calls.length);
    for (let index = 0; index < calls.length; index++) {
      const { name, callId, arguments: text = "" } = calls[index] as FunctionToolCall;
      const entry = table.find(name) ?? settings.unknownTools;
      runs[index] = new ToolRun(this, index, name, ids?.[index] ?? callId, text, entry);
    }
    this.runs = runs;
    if (nodeContext.openedInvocation !== undefined) this.restore(nodeContext.openedInvocation);
    if (ids !== undefined) this.reportIds(calls, ids);
  }

  /** What an earlier execution of the node has done is not done again. */
  private restore(invocation: Invocation): void {
    for (const run of this.runs) {
      run.restore(invocation);
      if (run.state === "settled") this.unsettled--;
      if (run.isPending) this.hasPending = true;
    }
  }

  get messages(): readonly AgenticMessage[] {
    return this.options.messages ?? [this.message];
  }

  /** The run around was stopped. */
  override abort(reason: unknown): void {
    this.stopCalls(reason);
    super.abort(reason);
  }

  /** Runs one call that has begun. Whatever comes of it, it settles. */
  protected abstract start(run: ToolRun): void;
  /** One call has settled. */
  protected abstract onSettled(run: ToolRun): void;
  /** All calls have settled. */
  protected abstract onFinished(): void;
  /** The run around was stopped. */
  protected abstract onStopped(reason: unknown): void;

  /** Prepares all calls; gives a promise, which never rejects, when something must be awaited. */
  protected prepareCalls(): Promise<unknown> | undefined {
    let pending: Promise<void>[] | undefined;
    for (const run of this.runs) {
      if (run.state === "settled") continue;
      const preparing = prepareCall(run, this.table.names);
      if (preparing === undefined) continue;
      pending ??= [];
      pending.push(preparing);
    }
    return pending === undefined ? undefined : Promise.all(pending);
  }

  /** Runs the prepared calls, or none of them when one has failed already. */
  protected startCalls(): void {
    if (this.failed) this.skipRest();
    else if (this.hasAsked) this.postponeRest();
    else this.startMore();
    if (this.unsettled === 0) this.finish();
  }

  /** The calls are no longer wanted: those that run are told to stop, and no more are started. */
  protected stopCalls(reason: unknown): void {
    if (this.over) return;
    this.over = true;
    this.close();
    for (const run of this.runs) run.abort(reason);
    this.remember(reason);
    this.onStopped(reason);
  }

  /** For those who ask, because the error says nothing of it. */
  protected remember(reason: unknown): void {
    rememberResults(this.message, reason, () => this.results());
  }

  /** What the node gives back, or would give back: a message per call. */
  protected results(): AgenticMessage[] {
    const results = new Array<AgenticMessage>(this.runs.length);
    for (const run of this.runs) results[run.index] = run.message();
    return results;
  }

  /**
   * What the node rejects with: the error of the first call that failed, with the results of all; or, when calls wait for
   * somebody, all that they ask.
   */
  protected rejection(): ToolError | InterruptError | undefined {
    const first = this.failed ? this.firstFailed() : undefined;
    if (first?.failure !== undefined) return Object.assign(first.failure, { results: this.results() });
    if (!this.runs.some(({ isPending }) => isPending)) return undefined;
    const { address, invocation, environment } = this.nodeContext;
    const interrupts = interruptsAt(invocation.snapshot(), environment.runKey);
    const interrupt = waitsAt(address, interrupts, environment);
    this.remember(interrupt);
    return interrupt;
  }

  /** Where every finished call is saved, nothing follows it before that is done. */
  settled(run: ToolRun): void {
    if (this.over) return;
    const saved = run.failure === undefined && !run.isPending && run.hasBegun ? this.nodeContext.commit() : undefined;
    if (saved === undefined) this.afterCall(run);
    else {
      saved.then(
        () => this.afterCall(run),
        (error) => this.stopCalls(error),
      );
    }
  }

  private afterCall(run: ToolRun): void {
    if (this.over) return;
    this.unsettled--;
    if (run.failure !== undefined) this.failed = true;
    if (run.isPending) this.hasPending = true;
    if (run.isPending && !run.hasBegun) this.hasAsked = true;
    this.onSettled(run);
    if (run.hasBegun) {
      this.active--;
      if (run.isPending && this.settings.isSequential) this.postponeRest();
      this.startMore();
    }
    if (this.unsettled === 0) this.finish();
  }

  private startMore(): void {
    if (this.starting) return;
    this.starting = true;
    const { runs, settings, nodeContext } = this;
    while (this.nextIndex < runs.length && this.active < settings.concurrency && !this.over) {
      // as long as no call makes the node wait, nobody tells it
      const { openedScope } = nodeContext;
      if (openedScope?.aborted === true) {
        this.stopCalls(openedScope.reason);
        break;
      }
      if (this.failed && this.nextIndex >= settings.concurrency) break;
      const run = runs[this.nextIndex++];
      if (run?.isPending === true && settings.isSequential) this.postponeRest();
      if (run?.state !== "waiting") continue;
      this.active++;
      run.begin();
      this.start(run);
    }
    this.starting = false;
    if (this.failed) this.skipRest();
  }

  /** In sequence, a call that waits keeps those behind it from running. */
  private postponeRest(): void {
    for (const run of this.runs) {
      if (run.state !== "waiting") continue;
      run.postpone();
      this.unsettled--;
      this.onSettled(run);
    }
  }

  private skipRest(): void {
    const first = this.firstFailed();
    for (const run of this.runs) {
      if (run.state !== "waiting" || this.over) continue;
      run.skip(`call "${first?.callId}" (tool "${first?.toolName}") failed`);
      this.unsettled--;
      this.onSettled(run);
    }
    if (this.unsettled === 0) this.finish();
  }

  private firstFailed(): ToolRun | undefined {
    return this.runs.find(({ failure }) => failure !== undefined && failure.kind !== "not_executed");
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    this.close();
    this.onFinished();
  }

  private reportIds(calls: readonly FunctionToolCall[], ids: readonly string[]): void {
    const { span } = this.nodeContext;
    if (span === undefined) return;
    for (const [index, { callId, name }] of calls.entries()) {
      if (callId === ids[index] || !callId) continue;
      span.event({ kind: "duplicate_call_id", callId, newCallId: ids[index], toolName: name, index });
    }
  }
}

/** Runs the calls of a message for their whole results. */
export class InvokeBatch extends CallBatch {
  private resolve: ((results: AgenticMessage[]) => void) | undefined = undefined;
  private reject: ((error: unknown) => void) | undefined = undefined;

  /** Spelled out: the constructor that a compiler makes takes its arguments apart. */
  constructor(kit: ToolKit, message: AgenticMessage, nodeContext: Context) {
    super(kit, message, nodeContext);
  }

  /** At once, when no tool makes it wait. */
  run(): AgenticMessage[] | Promise<AgenticMessage[]> {
    const preparing = this.prepareCalls();
    if (preparing === undefined) this.startCalls();
    if (this.over) return this.outcome();
    const results = new Promise<AgenticMessage[]>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.open();
    if (preparing !== undefined) this.startAfter(preparing);
    return results;
  }

  private startAfter(preparing: Promise<unknown>): void {
    preparing.then(() => {
      if (!this.over) this.startCalls();
    });
  }

  protected override start(run: ToolRun): void {
    startTool(run, false, accept);
  }

  protected override onSettled(run: ToolRun): void {
    run.close();
  }

  protected override onFinished(): void {
    if (this.resolve === undefined) return;
    const rejection = this.failed || this.hasPending ? this.rejection() : undefined;
    if (rejection === undefined) this.resolve(this.results());
    else this.reject?.(rejection);
  }

  protected override onStopped(reason: unknown): void {
    this.reject?.(reason);
  }

  private outcome(): AgenticMessage[] {
    const { openedScope } = this.nodeContext;
    if (openedScope?.aborted === true) {
      this.remember(openedScope.reason);
      throw openedScope.reason;
    }
    const rejection = this.failed || this.hasPending ? this.rejection() : undefined;
    if (rejection !== undefined) throw rejection;
    return this.results();
  }
}

function accept(run: ToolRun, output: unknown): void {
  if (isToolStream(output)) {
    void drain(run, output instanceof StreamReader ? output : outputReader(output, run));
    return;
  }
  if (run.state !== "running") return;
  try {
    run.take(toolOutputOf(output, run));
  } catch (thrown) {
    run.fail(thrown);
    return;
  }
  run.succeed();
}

async function drain(run: ToolRun, reader: StreamReader<ToolOutput>): Promise<void> {
  run.reader = reader;
  try {
    for await (const piece of reader) {
      if (run.state !== "running") return;
      run.take(piece);
    }
    run.succeed();
  } catch (thrown) {
    run.fail(thrown);
  }
}
