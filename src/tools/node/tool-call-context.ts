import type { HandlerList } from "../../callbacks/handler-list.js";
import type { RunInfo } from "../../callbacks/run-info.js";
import { RunRecord } from "../../callbacks/run-info.js";
import type { Span } from "../../callbacks/span.js";
import type { Journal } from "../../checkpoint/journal/journal.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { ToolContext } from "../../components/tool.js";
import { type AnyToolOptions, mergeToolOptions } from "../../components/tool-options.js";
import type { Runtime } from "../../compose/runtime.js";
import { addressName, addressPart } from "../../run/address.js";
import { Children } from "../../run/children.js";
import { type CallOptions, Context } from "../../run/context.js";
import type { Environment } from "../../run/environment.js";
import type { Scope } from "../../run/scope.js";
import type { StateCell } from "../../run/state-cell.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { SchemaValidator, UncheckedPart } from "../../schema/schema-validator.js";
import type { Suspension } from "../define/tool-stages.js";
import { suspendCall } from "./suspend-call.js";

/** What a context needs to know of its call. */
export interface ContextCall {
  readonly nodeContext: Context;
  /** As the model called it. */
  readonly name: string;
  readonly toolName: string;
  readonly toolType: string;
  readonly toolOptions: AnyToolOptions | undefined;
  readonly callId: string;
  /** The position of the call in its message. */
  readonly index: number;
  readonly text: string;
  readonly messages: readonly AgenticMessage[];
  /** What the call is stopped with. */
  readonly scope: Scope;
  /** The same, if there is one yet. */
  readonly openedScope: Scope | undefined;
  readonly suspension: Suspension | undefined;
  readonly validator: SchemaValidator | undefined;
  unchecked(part: UncheckedPart, schema: string): void;
  readonly resumeData: unknown;
  /** It has its result, or has failed. */
  readonly isSettled: boolean;
  /** Of the tool, while it runs. */
  readonly span: Span | undefined;
}

/** One call of one tool: the `ctx` of `execute`, of middlewares and of the node's handlers. */
export class ToolCallContext<Call extends ContextCall = ContextCall> extends Context implements ToolContext {
  readonly call: Call;
  private record: RunInfo | undefined = undefined;
  private mergedOptions: object | undefined = undefined;
  private ownChildren: Children | undefined = undefined;

  constructor(call: Call) {
    super();
    this.call = call;
  }

  /** A tool that runs again (a middleware may do that) is a run of its own. */
  renew(): RunInfo {
    this.record = this.newRecord();
    return this.record;
  }

  get toolCallId(): string {
    return this.call.callId;
  }

  get toolName(): string {
    return this.call.toolName;
  }

  get rawArguments(): string {
    return this.call.text;
  }

  get messages(): readonly AgenticMessage[] {
    return this.call.messages;
  }

  get agent(): ToolContext["agent"] {
    return this.call.nodeContext.callingAgent;
  }

  get abortSignal(): AbortSignal {
    return this.scope.signal;
  }

  get suspend(): ToolContext["suspend"] {
    return (payload) => suspendCall(this, this.call.suspension, payload);
  }

  get resumeData(): unknown {
    return this.call.resumeData;
  }

  get options(): unknown {
    const { toolOptions } = this.call;
    if (toolOptions === undefined) return undefined;
    this.mergedOptions ??= mergeToolOptions(toolOptions, this.callOptions.tool);
    return this.mergedOptions;
  }

  get address(): string {
    const { nodeContext, name, callId } = this.call;
    return `${nodeContext.address};tool:${addressName(name)}:${addressPart(callId)}`;
  }

  get runInfo(): RunInfo {
    this.record ??= this.newRecord();
    return this.record;
  }

  get scope(): Scope {
    return this.call.scope;
  }

  get openedScope(): Scope | undefined {
    return this.call.openedScope;
  }

  get around(): Context {
    return this.call.nodeContext;
  }

  get isOver(): boolean {
    return this.call.isSettled;
  }

  get journal(): Journal | undefined {
    return this.call.nodeContext.journal;
  }

  get span(): Span | undefined {
    return this.call.span;
  }

  get enclosingSpan(): Span | undefined {
    return this.call.span ?? this.call.nodeContext.enclosingSpan;
  }

  /** Before the tool runs, what there is to tell is told of the node. */
  override get progress(): (event: unknown) => void {
    return (event) => (this.span ?? this.call.nodeContext.span)?.event({ kind: "progress", event });
  }

  get handlers(): HandlerList | undefined {
    return this.call.nodeContext.handlers;
  }

  get environment(): Environment {
    return this.call.nodeContext.environment;
  }

  get nodePath(): readonly string[] {
    return this.call.nodeContext.nodePath;
  }

  get stateCell(): StateCell | undefined {
    return this.call.nodeContext.stateCell;
  }

  get state(): unknown {
    return this.call.nodeContext.state;
  }

  get callOptions(): CallOptions {
    return this.call.nodeContext.callOptions;
  }

  get runtime(): Runtime {
    return this.call.nodeContext.runtime;
  }

  /** A few words for logs: the run around a call has no end. */
  toJSON(): object {
    const { toolName, toolCallId, address } = this;
    return { toolName, toolCallId, address };
  }

  get children(): Children {
    this.ownChildren ??= new Children();
    return this.ownChildren;
  }

  get openedChildren(): Children | undefined {
    return this.ownChildren;
  }

  get invocation(): Invocation {
    const { nodeContext, index, callId } = this.call;
    return nodeContext.invocation.invocationOfCall(index, callId, this.address);
  }

  get openedInvocation(): Invocation | undefined {
    return this.call.nodeContext.openedInvocation?.findCall(this.call.index)?.invocation;
  }

  get invocationPath(): string {
    return this.call.nodeContext.invocationPath;
  }

  noteStop(): void {
    this.invocation.hasStopped = true;
    this.call.nodeContext.noteStop();
  }

  private newRecord(): RunInfo {
    const { nodeContext, name, toolType, callId } = this.call;
    return new RunRecord(nodeContext.runInfo, "tool", name, toolType, this, callId);
  }
}
