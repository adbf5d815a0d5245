import type { HandlerList } from "../../callbacks/handler-list.js";
import { checkOptions } from "../../check-options.js";
import { type InterruptError, waitsAt } from "../../checkpoint/pause/interrupt.js";
import { interruptsAt } from "../../checkpoint/pause/interrupts-of.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { ToolContext, ToolOutput } from "../../components/tool.js";
import type { Context } from "../../run/context.js";
import { Scope } from "../../run/scope.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import type { ToolError } from "../define/errors.js";
import { callIdsOf } from "./call-ids.js";
import { invalidCall, noToolCall, notAssistant } from "./errors.js";
import type { ToolsNodeSettings } from "./node-settings.js";
import type { ToolsNodeOptions } from "./options.js";
import { rememberResults } from "./results-of.js";
import { prepareCall, startTool } from "./run-tool.js";
import { type CallOwner, ToolRun } from "./tool-run.js";
import type { ToolKit, ToolTable } from "./tool-table.js";

/** Starts the calls of a batch in place of the batch itself, and is notified of their ends. */
export interface BatchFollower {
  /** Runs a call that has begun. The call must settle in any case. */
  start(run: ToolRun): void;
  /** A call has settled. The follower must close it. */
  onSettled(run: ToolRun): void;
  /** The run around the batch was stopped. */
  onStopped?(reason: unknown): void;
}

/**
 * The calls of one message. First all are prepared, then they start in order, as many at once as the node allows. After a failure
 * that does not become a result, no further calls start.
 */
export class CallBatch extends Scope implements CallOwner {
  readonly settings: ToolsNodeSettings;
  readonly nodeContext: Context;
  readonly handlers: HandlerList | undefined;
  readonly message: AgenticMessage;
  readonly agent: ToolContext["agent"];
  readonly runs: readonly ToolRun[];
  /** The run was stopped, or every call has settled. */
  isOver = false;
  private readonly options: ToolsNodeOptions;
  /** The names of the available tools, for error messages. */
  private readonly toolNames: readonly string[];
  private follower: BatchFollower | undefined = undefined;
  /** Why the calls were stopped, other than by the run around. */
  private stopped: { readonly reason: unknown } | undefined = undefined;
  /** A call has failed the node. */
  private hasFailed = false;
  /** A call waits for an answer. */
  private hasPending = false;
  /** A call asked a question while it was being prepared, so no call may run yet. */
  private hasAsked = false;
  private unsettled: number;
  private active = 0;
  private nextIndex = 0;
  private isStarting = false;
  private resolve: ((results: AgenticMessage[]) => void) | undefined = undefined;
  private reject: ((error: unknown) => void) | undefined = undefined;

  /** `options` and `agent`: of an agent whose node it is. */
  constructor(
    kit: ToolKit,
    message: AgenticMessage,
    nodeContext: Context,
    options: ToolsNodeOptions = toolsNodeOptionsOf(nodeContext.options),
    agent?: ToolContext["agent"],
  ) {
    super(nodeContext.openedScope);
    const calls = callsIn(message);
    const ids = haveOwnIds(calls) ? undefined : callIdsOf(calls);
    const { settings } = kit;
    const { entries, names } = tableOf(kit, options);
    this.settings = settings;
    this.nodeContext = nodeContext;
    this.handlers = nodeContext.handlers;
    this.message = message;
    this.agent = agent;
    this.options = options;
    this.toolNames = names;
    this.unsettled = calls.length;
    const runs = new Array<ToolRun>(calls.length);
    for (let index = 0; index < calls.length; index++) {
      const { name, callId, arguments: text = "" } = calls[index] as FunctionToolCall;
      const entry = entries.get(name) ?? settings.unknownTools;
      runs[index] = new ToolRun(this, index, name, ids?.[index] ?? callId, text, entry);
    }
    this.runs = runs;
    const invocation = nodeContext.openedInvocation;
    if (invocation !== undefined) this.restore(invocation);
    if (ids !== undefined) this.reportIds(calls, ids);
  }

  get messages(): readonly AgenticMessage[] {
    return this.options.messages ?? [this.message];
  }

  /** Takes over what an earlier execution of the node has done. */
  private restore(invocation: Invocation): void {
    for (const run of this.runs) {
      run.restore(invocation);
      if (run.phase === "settled") this.unsettled--;
      if (run.isPending) this.hasPending = true;
    }
  }

  private reportIds(calls: readonly FunctionToolCall[], ids: readonly string[]): void {
    const { span } = this.nodeContext;
    if (span === undefined) return;
    for (const [index, { callId, name }] of calls.entries()) {
      if (callId === ids[index] || !callId) continue;
      span.event({ kind: "duplicate_call_id", callId, newCallId: ids[index], toolName: name, index });
    }
  }

  /** Sets the follower. To be called before anything starts. */
  follow(follower: BatchFollower): this {
    this.follower = follower;
    return this;
  }

  /** Runs the calls to whole results; synchronously, if no tool is asynchronous. */
  run(): AgenticMessage[] | Promise<AgenticMessage[]> {
    const preparing = this.prepareCalls();
    if (preparing === undefined) this.startCalls();
    if (this.isOver) return this.outcome();
    const results = new Promise<AgenticMessage[]>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.open();
    preparing?.then(() => this.startCalls());
    return results;
  }

  private outcome(): AgenticMessage[] {
    const { openedScope } = this.nodeContext;
    if (openedScope?.aborted === true) {
      this.remember(openedScope.reason);
      throw openedScope.reason;
    }
    if (this.stopped !== undefined) throw this.stopped.reason;
    const rejection = this.rejection();
    if (rejection !== undefined) throw rejection;
    return this.results();
  }

  /** Prepares all calls. Returns a promise, which never rejects, if something must be awaited. */
  prepareCalls(): Promise<unknown> | undefined {
    let pending: Promise<void>[] | undefined;
    for (const run of this.runs) {
      if (run.phase === "settled") continue;
      const preparing = prepareCall(run, this.toolNames);
      if (preparing === undefined) continue;
      pending ??= [];
      pending.push(preparing);
    }
    return pending === undefined ? undefined : Promise.all(pending);
  }

  /** Starts the prepared calls, or skips all if one has already failed. */
  startCalls(): void {
    if (this.isOver) return;
    if (this.hasFailed) this.skipRest();
    else if (this.hasAsked) this.postponeRest();
    else this.startMore();
    if (this.unsettled === 0) this.finish();
  }

  private startMore(): void {
    if (this.isStarting) return;
    this.isStarting = true;
    const { runs, settings, nodeContext } = this;
    while (this.nextIndex < runs.length && this.active < settings.concurrency && !this.isOver) {
      // until a call makes the node wait, the batch is not attached to the scope and must look itself
      const { openedScope } = nodeContext;
      if (openedScope?.aborted === true) {
        this.stopCalls(openedScope.reason);
        break;
      }
      if (this.hasFailed && this.nextIndex >= settings.concurrency) break;
      const run = runs[this.nextIndex++];
      if (run?.isPending === true && settings.isSequential) this.postponeRest();
      if (run?.phase !== "waiting") continue;
      this.active++;
      run.begin();
      if (this.follower === undefined) startTool(run, false, readToEnd);
      else this.follower.start(run);
    }
    this.isStarting = false;
    if (this.hasFailed) this.skipRest();
  }

  /** Saves a finished call if the run is saved step by step. Nothing follows before the save is done. */
  settled(run: ToolRun): void {
    if (this.isOver) return;
    const isFinished = run.failure === undefined && !run.isPending && run.hasBegun;
    const saved = isFinished && !this.endsWithNode ? this.nodeContext.commit() : undefined;
    if (saved === undefined) this.afterCall(run);
    else {
      saved.then(
        () => this.afterCall(run),
        (error) => this.stopCalls(error),
      );
    }
  }

  /** Whether the call that has just finished is the last one, so that it is saved with the output of the node. */
  private get endsWithNode(): boolean {
    const { hasFailed, hasPending, hasAsked, follower, unsettled, nodeContext } = this;
    return (
      unsettled === 1 && !hasFailed && !hasPending && !hasAsked && follower === undefined && nodeContext.savesOutput
    );
  }

  private afterCall(run: ToolRun): void {
    if (this.isOver) return;
    if (run.failure !== undefined) this.hasFailed = true;
    if (run.isPending) this.hasPending = true;
    if (run.isPending && !run.hasBegun) this.hasAsked = true;
    this.leave(run);
    if (run.hasBegun) {
      this.active--;
      if (run.isPending && this.settings.isSequential) this.postponeRest();
      this.startMore();
    }
    if (this.unsettled === 0) this.finish();
  }

  /** Postpones all calls that have not started: a call before them waits for an answer. */
  private postponeRest(): void {
    for (const run of this.runs) {
      if (run.phase !== "waiting") continue;
      run.postpone();
      this.leave(run);
    }
  }

  private skipRest(): void {
    const first = this.firstFailed();
    for (const run of this.runs) {
      if (run.phase !== "waiting" || this.isOver) continue;
      run.skip(`call "${first?.callId}" (tool "${first?.toolName}") failed`);
      this.leave(run);
    }
    if (this.unsettled === 0) this.finish();
  }

  /** A call has settled. */
  private leave(run: ToolRun): void {
    this.unsettled--;
    if (this.follower === undefined) run.close();
    else this.follower.onSettled(run);
  }

  private finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.close();
    if (this.resolve === undefined) return;
    const rejection = this.rejection();
    if (rejection === undefined) this.resolve(this.results());
    else this.reject?.(rejection);
  }

  /** The run around was stopped. */
  override abort(reason: unknown): void {
    this.stopCalls(reason);
    super.abort(reason);
  }

  /** Aborts the running calls, and starts no more. */
  stopCalls(reason: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopped = { reason };
    this.close();
    for (const run of this.runs) run.abort(reason);
    this.remember(reason);
    this.reject?.(reason);
    this.follower?.onStopped?.(reason);
  }

  /**
   * The error that the node rejects with: that of the first failed call, with all results; or, if calls wait for answers, an
   * interrupt with their questions.
   */
  rejection(): ToolError | InterruptError | undefined {
    if (!this.hasFailed && !this.hasPending) return undefined;
    const failure = this.hasFailed ? this.firstFailed()?.failure : undefined;
    if (failure !== undefined) return Object.assign(failure, { results: this.results() });
    if (!this.runs.some(({ isPending }) => isPending)) return undefined;
    const { address, invocation, environment } = this.nodeContext;
    const interrupt = waitsAt(address, interruptsAt(invocation.snapshot(), environment.runKey), environment);
    this.remember(interrupt);
    return interrupt;
  }

  private firstFailed(): ToolRun | undefined {
    return this.runs.find(({ failure }) => failure !== undefined && failure.kind !== "not_executed");
  }

  /** Remembers the results for `resultsOf`, because this error cannot carry them. */
  private remember(reason: unknown): void {
    rememberResults(this.message, reason, () => this.results());
  }

  /** One message per call, finished or not. */
  private results(): AgenticMessage[] {
    const results = new Array<AgenticMessage>(this.runs.length);
    for (const run of this.runs) results[run.index] = run.message();
    return results;
  }
}

/** The calls of an assistant message, in order. Throws if the message has another role, or no call. */
export function callsIn(message: AgenticMessage): readonly FunctionToolCall[] {
  if (message?.role !== "assistant" || !Array.isArray(message.contentBlocks)) throw notAssistant(message);
  const blocks = message.contentBlocks;
  let calls: FunctionToolCall[] | undefined;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    if (block?.type !== "function_tool_call") continue;
    if (typeof block.name !== "string") throw invalidCall(index, "name", block.name);
    if (typeof block.arguments !== "string" && block.arguments !== undefined) {
      throw invalidCall(index, "arguments", block.arguments);
    }
    if (calls === undefined) calls = [block];
    else calls.push(block);
  }
  if (calls === undefined) throw noToolCall();
  return calls;
}

/** Whether no id is missing or repeated, the usual case. */
function haveOwnIds(calls: readonly FunctionToolCall[]): boolean {
  if (calls.length === 1) return calls.every(hasId);
  return calls.every(hasId) && new Set(calls.map(({ callId }) => callId)).size === calls.length;
}

function hasId({ callId }: FunctionToolCall): boolean {
  return typeof callId === "string" && callId !== "";
}

/** The tools available with these call options: usually those of the node. */
export function tableOf(kit: ToolKit, options: ToolsNodeOptions): ToolTable {
  return options.tools === undefined && options.toolAliases === undefined ? kit.table : kit.tableFor(options);
}

const noOptions: ToolsNodeOptions = Object.freeze({});
const callOptionNames: readonly string[] = ["tools", "toolAliases", "messages"] satisfies (keyof ToolsNodeOptions)[];

/** The call options that reached the node. */
export function toolsNodeOptionsOf(options: unknown): ToolsNodeOptions {
  if (typeof options !== "object" || options === null) return noOptions;
  checkOptions("a call of a tools node", options, callOptionNames);
  return options;
}

async function readToEnd(run: ToolRun, reader: StreamReader<ToolOutput>): Promise<void> {
  try {
    for await (const piece of reader) {
      if (run.phase !== "running") return;
      run.take(piece);
    }
    run.succeed();
  } catch (thrown) {
    run.fail(thrown);
  }
}
