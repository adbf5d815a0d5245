import type { HandlerList } from "../callbacks/handler-list.js";
import {
  type Addressed,
  type ComponentKind,
  LazyRecord,
  type RunInfo,
  type RunMeta,
  RunRecord,
} from "../callbacks/run-info.js";
import { Span } from "../callbacks/span.js";
import type { Journal } from "../checkpoint/journal/journal.js";
import { Invocation } from "../checkpoint/pause/invocation.js";
import type { NodeFailure } from "../components/policies.js";
import type { PlanNode } from "../compose/plan/plan.js";
import type { Runtime } from "../compose/runtime.js";
import { Children } from "./children.js";
import { type CallOptions, Context, copyOf } from "./context.js";
import type { Environment } from "./environment.js";
import type { Places } from "./policies/places.js";
import type { Scope } from "./scope.js";
import type { StateCell } from "./state-cell.js";

/** What one task gives to a node: a value, or a reader in a run on streams. */
export interface Delivery {
  readonly source: Task;
  readonly value: unknown;
}

/** A node's stream, as the run of its graph sees it. */
export interface TaskStream {
  readonly task: Task;
  /** Whether nothing more comes. Known some time after {@link look}, if it is so. */
  readonly ended: boolean;
  look(): void;
  /** Calls back within a microtask if the last read failed with this very error. */
  ifFailedWith(error: unknown, found: () => void): void;
  cancel(reason: unknown): void;
}

/** What the policies around a node know of a task that may fail. */
export interface Tried {
  readonly attempts: number;
  /** What it gave is what its `fallback` gave. */
  readonly fellBack: boolean;
  /** What the node got, as a whole. */
  wholeInput(): unknown;
  /** Set when the input failed while the node read it: that is the failure of another node. */
  readonly inputFailure: { readonly error: unknown } | undefined;
}

/** Keeps what the handlers around a node made, so that a task which is entered again does not repeat them. */
export interface InvocationKeeper {
  /** What `before` makes of the input of a task, now or when it was entered earlier. */
  prepare(before: (input: unknown, task: Task) => unknown, input: unknown, task: Task): unknown;
  /** What the node gives for `after`, now or when it was entered earlier. */
  produce(node: (input: unknown, task: Task) => unknown, input: unknown, task: Task): unknown;
}

/** What the record of a task needs to know of the run of its graph. */
interface RecordSource {
  /** The record that tasks name as their parent; `undefined` when the run is its only task (a lambda run alone). */
  readonly recordAround: RunInfo | undefined;
  node(index: number): PlanNode;
  addressOf(index: number): string;
}

/** What a task needs to know of the run of its graph. */
export interface TaskOwner extends RecordSource {
  readonly scope: Scope;
  readonly around: Context | undefined;
  readonly journal: Journal | undefined;
  readonly environment: Environment;
  readonly stateCell: StateCell | undefined;
  readonly callOptions: CallOptions;
  readonly runtime: Runtime;
  /** The step that its tasks are in. */
  readonly steps: number;
  readonly invocationPath: string;
  /** Where the run can be resumed. */
  readonly ledger: InvocationKeeper | undefined;
  /** The keys of the nodes on the way to the graph itself. */
  readonly nodePath: readonly string[];
  readonly ownState: unknown;
  /** The parent of the spans of tasks. */
  readonly enclosingSpan: Span | undefined;
  noteStop(task: Task): void;
  /** Whether this is how a node stops to wait, and no failure. */
  isStop(error: unknown): boolean;
  /** Whether a node waits for an answer, or the run was asked to stop from outside: nothing new starts. */
  readonly expectsStop: boolean;
  /** The name of the graph that was run. */
  readonly rootName: string;
  /** Whether an error branch stands behind a node. */
  handlesFailure(index: number): boolean;
  /** The failure of a task with the place where it began. */
  locateFailure(error: unknown, task: Task): Promise<unknown>;
  /** How many bodies may run at a time; `undefined` without a limit. */
  readonly places: Places | undefined;
  /** `made`: what the function gave that works out the node's own. */
  optionsOf(index: number, made?: object): object | undefined;
  handlersOf(index: number): HandlerList | undefined;
  /** Runs a function alone with the state of the graph. */
  useState(use: (state: unknown) => unknown, task: Task): unknown;
  /** Locates what a node threw. */
  blame(error: unknown, index: number): unknown;
  /** The same for a node somewhere inside, by the keys on the way from here. */
  blameAt(error: unknown, path: readonly string[]): unknown;
  /** If an error came out of a node's stream: that error, located. */
  findOrigin(error: unknown): Promise<unknown>;
  /** Remembers a stream of a node: an error may come from it, and it must not stay open. */
  addStream(stream: TaskStream): void;
  /** Stops the streams of the run with this scope and of what is nested in it. */
  cancelStreams(reason: unknown, within: Scope): void;
}

/** One node in one step: the `ctx` of its function, and for the scheduler what came of it. */
export class Task extends Context implements Delivery {
  readonly owner: TaskOwner;
  readonly index: number;
  readonly step: number;
  /** What the nodes behind it get, once it has ended: a value under its output key, or a reader. */
  output: unknown;
  /** Where the output goes, once that is decided. */
  targets: readonly number[] | undefined;
  isOver: boolean;
  /** Its function gave a stream, and runs as long as that is read. */
  isStreaming: boolean;
  private ownSpan: Span | undefined;
  private extras: Extras | undefined;

  constructor(owner: TaskOwner, index: number) {
    super();
    this.owner = owner;
    this.index = index;
    this.step = owner.steps;
    this.output = undefined;
    this.targets = undefined;
    this.isOver = false;
    this.isStreaming = false;
    this.ownSpan = undefined;
    this.extras = undefined;
  }

  /** In a run on values a task is what it delivers. */
  get source(): Task {
    return this;
  }

  get value(): unknown {
    return this.output;
  }

  get scope(): Scope {
    return this.owner.scope;
  }

  get openedScope(): Scope {
    return this.owner.scope;
  }

  get around(): Context | undefined {
    return this.owner.around;
  }

  get journal(): Journal | undefined {
    return this.owner.journal;
  }

  get environment(): Environment {
    return this.owner.environment;
  }

  get stateCell(): StateCell | undefined {
    return this.owner.stateCell;
  }

  override get places(): Places | undefined {
    return this.owner.places;
  }

  get callOptions(): CallOptions {
    return this.owner.callOptions;
  }

  get runtime(): Runtime {
    return this.owner.runtime;
  }

  get nodePath(): readonly string[] {
    return [...this.owner.nodePath, this.owner.node(this.index).key];
  }

  get state(): unknown {
    return this.owner.ownState;
  }

  get address(): string {
    return this.owner.addressOf(this.index);
  }

  get span(): Span | undefined {
    return this.ownSpan;
  }

  /** Opens the task's span; `undefined` when no handler listens. */
  openSpan(): Span | undefined {
    const { owner, handlers } = this;
    if (handlers === undefined) return undefined;
    this.ownSpan = new Span(handlers, this.extras?.record ?? this.newRecord(), owner.enclosingSpan);
    return this.ownSpan;
  }

  get enclosingSpan(): Span | undefined {
    return this.ownSpan ?? this.owner.enclosingSpan;
  }

  get handlers(): HandlerList | undefined {
    return this.owner.handlersOf(this.index);
  }

  get options(): unknown {
    const known = this.extras?.options;
    if (known !== undefined) return known;
    const options = this.owner.optionsOf(this.index);
    if (options === undefined) return noOptions;
    this.extras ??= new Extras();
    this.extras.options = options;
    return options;
  }

  /** The node's own call options, given or worked out. */
  get ownOptions(): object | undefined {
    const { options } = this.owner.node(this.index).settings;
    return typeof options === "function" ? this.extras?.madeOptions : options;
  }

  /** The node's own call options were worked out: those of the run are laid over them. */
  takeOptions(made: object | undefined): void {
    this.extras ??= new Extras();
    this.extras.madeOptions = made;
    this.extras.options = this.owner.optionsOf(this.index, made) ?? noOptions;
  }

  get runInfo(): RunInfo {
    if (this.ownSpan !== undefined) return this.ownSpan.info;
    this.extras ??= new Extras();
    this.extras.record ??= this.newRecord();
    return this.extras.record;
  }

  /** Who it is for handlers. */
  protected newRecord(): RunInfo {
    return recordOf(this.owner, this.index, this);
  }

  get invocation(): Invocation {
    this.extras ??= new Extras();
    this.extras.invocation ??= new Invocation(this.address);
    return this.extras.invocation;
  }

  get openedInvocation(): Invocation | undefined {
    return this.extras?.invocation;
  }

  /** The task goes on where an earlier execution of it stopped. */
  restoreInvocation(invocation: Invocation): void {
    this.extras ??= new Extras();
    this.extras.invocation = invocation;
  }

  /** The context of the branches behind the node: what they ask does not bring the node itself back. */
  get routeContext(): Task {
    this.extras ??= new Extras();
    this.extras.route ??= new Task(this.owner, this.index);
    return this.extras.route;
  }

  get openedRoute(): Task | undefined {
    return this.extras?.route;
  }

  get invocationPath(): string {
    const { invocationPath: visitPath } = this.owner;
    return visitPath === "" ? String(this.step) : `${visitPath}.${this.step}`;
  }

  /** Makes this another context of the same task: what belongs to the task is shared. */
  protected shareWith(task: Task): void {
    task.extras ??= new Extras();
    this.extras = task.extras;
    this.ownSpan = task.ownSpan;
  }

  /** What its policies know of it, for an error branch. */
  get tried(): Tried | undefined {
    return this.extras?.tried;
  }

  set tried(tried: Tried) {
    this.extras ??= new Extras();
    this.extras.tried = tried;
  }

  /** It has failed, and its error branch takes that: what the target gets. */
  get failure(): NodeFailure | undefined {
    return this.extras?.failure;
  }

  set failure(failure: NodeFailure | undefined) {
    this.extras ??= new Extras();
    this.extras.failure = failure;
  }

  noteStop(): void {
    this.invocation.hasStopped = true;
    this.owner.noteStop(this.origin instanceof Task ? this.origin : this);
  }

  /** Whether it waits for an answer, whatever its function gave. */
  get hasStopped(): boolean {
    return this.extras?.invocation?.hasStopped === true;
  }

  /** The copy shares what belongs to the task, whoever needs it first: its record and its children. */
  override get with(): Context["with"] {
    this.extras ??= new Extras();
    return (fields) => copyOf(this, fields);
  }

  get children(): Children {
    this.extras ??= new Extras();
    this.extras.children ??= new Children();
    return this.extras.children;
  }

  get openedChildren(): Children | undefined {
    return this.extras?.children;
  }
}

const noOptions = Object.freeze({});

/** What only few tasks need: made when it is first asked for. */
class Extras {
  record: RunInfo | undefined = undefined;
  options: object | undefined = undefined;
  madeOptions: object | undefined = undefined;
  children: Children | undefined = undefined;
  invocation: Invocation | undefined = undefined;
  route: Task | undefined = undefined;
  tried: Tried | undefined = undefined;
  failure: NodeFailure | undefined = undefined;
}

/** Who a task is for handlers. */
function recordOf(source: RecordSource, index: number, at: Addressed): RunInfo {
  if (source.recordAround !== undefined) return new TaskRecord(source, index);
  const { name, type } = source.node(index);
  return new RunRecord(undefined, kindOf(source, index), name, type, at);
}

/** The record of a task in a graph: it looks everything up when it is asked. */
class TaskRecord extends LazyRecord {
  private readonly source: RecordSource;
  private readonly index: number;

  constructor(source: RecordSource, index: number) {
    super();
    this.source = source;
    this.index = index;
  }

  get component(): ComponentKind {
    return kindOf(this.source, this.index);
  }

  get name(): string {
    return this.source.node(this.index).name;
  }

  get type(): string {
    return this.source.node(this.index).type;
  }

  get address(): string {
    return this.source.addressOf(this.index);
  }

  get toolCallId(): undefined {
    return undefined;
  }

  get meta(): RunMeta | undefined {
    const { body } = this.source.node(this.index);
    return body.kind === "graph" ? body.plan.meta?.(() => undefined) : undefined;
  }

  get parent(): RunInfo | undefined {
    return this.source.recordAround;
  }

  /** Only roots are asked, and a task in a graph is not a root. */
  newId(): string {
    return "";
  }
}

export function kindOf(source: RecordSource, index: number): ComponentKind {
  const { component } = source.node(index);
  return component === "passthrough" ? "lambda" : component;
}
