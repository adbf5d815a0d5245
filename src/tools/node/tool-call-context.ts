import { type RunInfo, type RunMeta, RunRecord } from "../../callbacks/run-info.js";
import type { Span } from "../../callbacks/span.js";
import type { Slot } from "../../checkpoint/document/snapshot.js";
import type { Journal } from "../../checkpoint/journal/journal.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { ToolContext } from "../../components/tool.js";
import { mergeToolOptions } from "../../components/tool-options.js";
import type { Runtime } from "../../compose/runtime.js";
import type { Fields } from "../../is.js";
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
import { type CallPolicy, reportEvent, type StagedEvent } from "../define/tool-stages.js";
import type { ToolEntry } from "./node-settings.js";
import type { ResultLimit } from "./result-limit.js";
import { suspendCall } from "./suspend-call.js";

/**
 * One call of one tool, as the tool, its middlewares and the handlers of its node see it: their `ctx`. It has no fields of its
 * own: everything is read from the call and its node, or created at first use.
 */
export abstract class ToolCallContext extends Context implements ToolContext {
  /** The context of the tools node. */
  abstract readonly nodeContext: Context;
  /** The position of the call in its message. */
  abstract readonly index: number;
  /** The tool's name as the model called it. */
  abstract readonly name: string;
  abstract readonly callId: string;
  /** The current text of the arguments: after aliases, the arguments handler and middlewares. */
  abstract readonly text: string;
  abstract readonly entry: ToolEntry | undefined;
  abstract readonly messages: readonly AgenticMessage[];
  abstract readonly agent: ToolContext["agent"];
  protected abstract readonly openedExtras: Extras | undefined;
  /** State that only some calls need; created at first use, and shared with copies of the context. */
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

  get abortSignal(): AbortSignal {
    return this.scope.signal;
  }

  get suspend(): ToolContext["suspend"] {
    return (payload, ...[options]: unknown[]) => suspendCall(this, this.entry?.stages.suspension, payload, options);
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

  /** Makes a new run info: a tool that a middleware runs again counts as a new run. */
  protected renewRecord(): RunInfo {
    const { nodeContext, name, entry, callId } = this;
    const { extras } = this;
    extras.requests = undefined;
    const describe = entry === undefined ? undefined : () => metaOf(entry, extras);
    extras.record = new RunRecord(nodeContext.runInfo, "tool", name, entry?.type ?? "", this, callId, describe);
    return extras.record;
  }

  /** Keeps what a tool asked of a server, for the handlers of its run. */
  noteRequest(request: Fields): void {
    this.extras.requests ??= [];
    this.extras.requests.push(request);
  }

  get around(): Context {
    return this.nodeContext;
  }

  get journal(): Journal | undefined {
    return this.nodeContext.journal;
  }

  /** The span of the tool, while it runs. */
  get span(): Span | undefined {
    return this.openedExtras?.span;
  }

  get enclosingSpan(): Span | undefined {
    return this.span ?? this.nodeContext.enclosingSpan;
  }

  /** Before the tool runs, progress is reported in the span of the node. */
  override get progress(): (event: unknown) => void {
    return (event) => (this.span ?? this.nodeContext.span)?.event({ kind: "progress", event });
  }

  /** Sends an event to handlers, before the tool runs in the span of the node. */
  report(event: StagedEvent): void {
    reportEvent(this.span ?? this.nodeContext.span, event);
  }

  /** Reports a part of a schema that cannot be checked. */
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

  dropStop(): void {
    const { invocation, environment, nodeContext } = this;
    if (invocation.isAsking || environment.stopRequest?.requested !== undefined) return;
    invocation.hasStopped = false;
    nodeContext.dropStop();
  }

  /** A short form for logs, because the whole context refers to the whole run. */
  toJSON(): object {
    const { toolName, toolCallId, address } = this;
    return { toolName, toolCallId, address };
  }
}

/** A tool that is not known has no description: its name is whatever the model wrote. */
function metaOf({ description, known }: ToolEntry, { requests }: Extras): RunMeta {
  return { ...(known && { description }), ...(requests !== undefined && { requests }) };
}

/** State that only some calls need. */
export class Extras {
  /** The span of the tool, while it runs. */
  span: Span | undefined = undefined;
  record: RunInfo | undefined = undefined;
  /** Requests that the tool made to a server. */
  requests: Fields[] | undefined = undefined;
  /** The options of the tool, merged for this run. */
  options: object | undefined = undefined;
  children: Children | undefined = undefined;
  /** The scope of the call, created at first use: many calls that listen to one signal would look like a leak. */
  scope: Scope | undefined = undefined;
  /** The abort reason, once the call has timed out or the enclosing run was stopped. */
  stopped: { readonly reason: unknown } | undefined = undefined;
  /** The enclosing run was stopped before the call had settled. */
  isCutOff = false;
  /** The stream of its output. */
  reader: { cancel(reason: unknown): unknown } | undefined = undefined;
  limit: ResultLimit | undefined = undefined;
  /** The last error that its tool threw, and the `ToolError` made from it. */
  blamed: { readonly thrown: unknown; readonly error: ToolError } | undefined = undefined;
  /** An output from an earlier execution that failed validation then. */
  keptOutput: Slot | undefined = undefined;
  /** What was decided about the call outside of its tool. */
  approval: CallPolicy | undefined = undefined;
  /** The validated answer that the call was resumed with. */
  resumeData: unknown = undefined;
}
