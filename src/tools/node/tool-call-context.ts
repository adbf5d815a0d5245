import { type RunInfo, RunRecord } from "../../callbacks/run-info.js";
import type { Span } from "../../callbacks/span.js";
import type { Slot } from "../../checkpoint/document/snapshot.js";
import type { Journal } from "../../checkpoint/journal/journal.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { ToolContext } from "../../components/tool.js";
import { mergeToolOptions } from "../../components/tool-options.js";
import type { Runtime } from "../../compose/runtime.js";
import { addressName, addressPart } from "../../run/address.js";
import { Children } from "../../run/children.js";
import { type CallOptions, Context } from "../../run/context.js";
import type { Environment } from "../../run/environment.js";
import type { Scope } from "../../run/scope.js";
import type { StateCell } from "../../run/state-cell.js";
import type { ConcatRegistry } from "../../schema/concat/registry.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { SchemaValidator, UncheckedPart } from "../../schema/schema-validator.js";
import type { ToolError } from "../define/errors.js";
import { reportEvent, type StagedEvent } from "../define/tool-stages.js";
import type { ToolEntry } from "./node-settings.js";
import type { ResultLimit } from "./result-limit.js";
import { suspendCall } from "./suspend-call.js";

/**
 * One call of one tool, as the tool, its middlewares and the handlers of its node see it: their `ctx`. It has no fields:
 * what it says is read from the call and from the node around it, or made when it is first asked for.
 */
export abstract class ToolCallContext extends Context implements ToolContext {
  /** Of the tools node. */
  abstract readonly nodeContext: Context;
  /** The position of the call in its message. */
  abstract readonly index: number;
  /** The tool's name as the model called it. */
  abstract readonly name: string;
  abstract readonly callId: string;
  /** The arguments as far as they have come: after aliases, the handler and middlewares. */
  abstract readonly text: string;
  abstract readonly entry: ToolEntry | undefined;
  abstract readonly messages: readonly AgenticMessage[];
  protected abstract readonly openedExtras: Extras | undefined;
  /** What only some calls have; made at the first need, for a copy of the context as well as for itself. */
  protected abstract readonly extras: Extras;

  get toolCallId(): string {
    return this.callId;
  }

  get toolName(): string {
    return this.entry?.known === true ? this.entry.name : this.name;
  }

  get rawArguments(): string {
    return this.text;
  }

  get agent(): ToolContext["agent"] {
    return this.nodeContext.callingAgent;
  }

  get abortSignal(): AbortSignal {
    return this.scope.signal;
  }

  get suspend(): ToolContext["suspend"] {
    return (payload) => suspendCall(this, this.entry?.stages.suspension, payload);
  }

  get resumeData(): unknown {
    return this.openedExtras?.resumeData;
  }

  get options(): unknown {
    const toolOptions = this.entry?.options;
    if (toolOptions === undefined) return undefined;
    this.extras.options ??= mergeToolOptions(toolOptions, this.callOptions.tool);
    return this.extras.options;
  }

  get address(): string {
    return `${this.nodeContext.address};tool:${addressName(this.name)}:${addressPart(this.callId)}`;
  }

  get runInfo(): RunInfo {
    return this.openedExtras?.record ?? this.renewRecord();
  }

  /** A tool that runs again (a middleware may do that) is a run of its own. */
  protected renewRecord(): RunInfo {
    const { nodeContext, name, entry, callId } = this;
    this.extras.record = new RunRecord(nodeContext.runInfo, "tool", name, entry?.type ?? "", this, callId);
    return this.extras.record;
  }

  get around(): Context {
    return this.nodeContext;
  }

  get journal(): Journal | undefined {
    return this.nodeContext.journal;
  }

  /** Of the tool, while it runs. */
  get span(): Span | undefined {
    return this.openedExtras?.span;
  }

  get enclosingSpan(): Span | undefined {
    return this.span ?? this.nodeContext.enclosingSpan;
  }

  /** Before the tool runs, progress is that of the node. */
  override get progress(): (event: unknown) => void {
    return (event) => (this.span ?? this.nodeContext.span)?.event({ kind: "progress", event });
  }

  /** Before the tool runs, events belong to the span of the node. */
  report(event: StagedEvent): void {
    reportEvent(this.span ?? this.nodeContext.span, event);
  }

  /** Tells of a part of a schema that cannot be checked. */
  unchecked({ path, reason }: UncheckedPart, schema: string): void {
    const { toolName, callId } = this;
    this.report({ kind: "unchecked_schema", toolName, callId, schema, path, reason });
  }

  get environment(): Environment {
    return this.nodeContext.environment;
  }

  get nodePath(): readonly string[] {
    return this.nodeContext.nodePath;
  }

  get stateCell(): StateCell | undefined {
    return this.nodeContext.stateCell;
  }

  get state(): unknown {
    return this.nodeContext.state;
  }

  get callOptions(): CallOptions {
    return this.nodeContext.callOptions;
  }

  get runtime(): Runtime {
    return this.nodeContext.runtime;
  }

  get validator(): SchemaValidator | undefined {
    return this.runtime.schemaValidator;
  }

  get registry(): ConcatRegistry | undefined {
    return this.runtime.concat;
  }

  get children(): Children {
    this.extras.children ??= new Children();
    return this.extras.children;
  }

  get openedChildren(): Children | undefined {
    return this.openedExtras?.children;
  }

  get invocation(): Invocation {
    return this.nodeContext.invocation.invocationOfCall(this.index, this.callId, this.address);
  }

  get invocationPath(): string {
    return this.nodeContext.invocationPath;
  }

  /** Whether a question of this key was asked in an earlier execution of this call. */
  hasAsked(key: string): boolean {
    return this.openedInvocation?.findAsk(key) !== undefined;
  }

  noteStop(): void {
    this.invocation.hasStopped = true;
    this.nodeContext.noteStop();
  }

  /** A few words for logs: the run around a call has no end. */
  toJSON(): object {
    const { toolName, toolCallId, address } = this;
    return { toolName, toolCallId, address };
  }
}

/** What only some calls have. */
export class Extras {
  /** Of the tool, while it runs. */
  span: Span | undefined = undefined;
  record: RunInfo | undefined = undefined;
  /** The options of the tool, as this run has them. */
  options: object | undefined = undefined;
  children: Children | undefined = undefined;
  /** Its own, made when somebody asks: many calls that listen to one signal look like a leak. */
  scope: Scope | undefined = undefined;
  /** The reason that its signal has when it ran out of time, or the run around it was stopped. */
  stopped: { readonly reason: unknown } | undefined = undefined;
  /** The run around it was stopped before it had settled. */
  isCutOff = false;
  /** The stream that it is read from. */
  reader: { cancel(reason: unknown): unknown } | undefined = undefined;
  limit: ResultLimit | undefined = undefined;
  /** What its tool threw last, and the error that became of it. */
  blamed: { readonly thrown: unknown; readonly error: ToolError } | undefined = undefined;
  /** What the tool gave in an earlier run, and was not accepted then. */
  keptOutput: Slot | undefined = undefined;
  /** What it was resumed with. */
  resumeData: unknown = undefined;
}
