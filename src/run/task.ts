import type { HandlerList } from "../callbacks/handler-list.js";
import { type RunInfo, RunRecord } from "../callbacks/run-info.js";
import { Span } from "../callbacks/span.js";
import type { Journal } from "../checkpoint/journal/journal.js";
import { Invocation } from "../checkpoint/pause/invocation.js";
import type { NodeFailure } from "../components/policies.js";
import type { Runtime } from "../compose/runtime.js";
import { Children } from "./children.js";
import { type CallOptions, Context } from "./context.js";
import type { Environment } from "./environment.js";
import type { LocalRun } from "./local.js";
import type { Permit, Semaphore } from "./policies/semaphore.js";
import type { Tried } from "./policies/tried.js";
import type { Scope } from "./scope.js";
import { componentKindOf, type RecordSource, recordOf } from "./spans/task-record.js";
import type { StateCell } from "./state-cell.js";
import { StateMarks } from "./state-mark.js";

/** The output of one task on its way to a node: a value, or in a run on streams a reader. */
export interface Delivery {
  readonly source: Task;
  readonly value: unknown;
}

/** A node's stream, as the run of its graph sees it. */
export interface TaskStream {
  readonly task: Task;
  /** Whether it has ended. Updated a microtask after {@link look}. */
  readonly ended: boolean;
  look(): void;
  /** Calls back within a microtask if the last read failed with this very error. */
  ifFailedWith(error: unknown, found: () => void): void;
  cancel(reason: unknown): void;
}

/** Keeps the results of the state handlers around a node, so that re-entering a task does not repeat them. */
export interface InvocationKeeper {
  /** The result of `before`: computed now, or kept from an earlier execution of the task. */
  prepare(before: (input: unknown, task: Task) => unknown, input: unknown, task: Task): unknown;
  /** The output of the node, for `after`: computed now, or kept from an earlier execution of the task. */
  produce(node: (input: unknown, task: Task) => unknown, input: unknown, task: Task): unknown;
}

/** The list whose items are the tasks of a run. */
export interface ItemList {
  /** The task of the node that got the list. */
  readonly at: Task;
  /** Whether all items have ended. */
  readonly isOver: boolean;
}

/** The open streams of a run's nodes. */
export interface StreamsOfTasks {
  /** Registers a node's stream, to find the origin of errors and to cancel it with the run. */
  add(stream: TaskStream): void;
  /** Locates an error at the node whose stream it came from, if there is one; otherwise returns it unchanged. */
  findOrigin(error: unknown): Promise<unknown>;
  /** Cancels the streams whose tasks are inside a scope. */
  cancel(reason: unknown, within: Scope): void;
}

/** The run of a graph, as its tasks see it. */
export interface TaskOwner extends RecordSource, LocalRun {
  /** Set if its tasks are the items of a list: then a task is a part of the node that got the list. */
  readonly items: ItemList | undefined;
  readonly scope: Scope;
  readonly around: Context | undefined;
  readonly environment: Environment;
  readonly stateCell: StateCell | undefined;
  readonly callOptions: CallOptions;
  readonly runtime: Runtime;
  /** The current step. */
  readonly steps: number;
  readonly invocationPath: string;
  /** Set if the run can be resumed. */
  readonly ledger: InvocationKeeper | undefined;
  readonly mode: "invoke" | "stream" | "collect" | "transform";
  /** The keys of the nodes on the way to the graph itself. */
  readonly nodePath: readonly string[];
  readonly ownState: unknown;
  /** The parent of the spans of tasks. */
  readonly enclosingSpan: Span | undefined;
  noteStop(task: Task): void;
  /** Undoes {@link noteStop}: what the task has asked is not waited for any more. */
  withdrawStop(task: Task): void;
  /** Whether the error is an interrupt of this run rather than a failure. */
  isStop(error: unknown): boolean;
  /** Whether a node waits for an answer, or the run was asked to stop from outside: nothing new starts. */
  readonly expectsStop: boolean;
  /** Tells the cached outputs of the outermost graph from those of others. */
  readonly cacheName: string;
  /** Whether a node has an error branch. */
  handlesFailure(index: number): boolean;
  /** Locates the failure of a task at the node where it began. */
  locateFailure(error: unknown, task: Task): Promise<unknown>;
  /** How many bodies may run at a time; `undefined` without a limit. */
  readonly semaphore: Semaphore | undefined;
  /** `made`: what the function gave that works out the node's own. */
  optionsOf(index: number, made?: object): object | undefined;
  handlersOf(index: number): HandlerList | undefined;
  /** Calls a function with exclusive access to the state of the graph. */
  useState(use: (state: unknown) => unknown, task: Task): unknown;
  /** Locates an error at a node. */
  blame(error: unknown, index: number): unknown;
  /** Locates an error at a nested node, by its path from here. */
  blameAt(error: unknown, path: readonly string[]): unknown;
  readonly openStreams: StreamsOfTasks;
}

/**
 * One node in one step, or one item of its list: the `ctx` of its function, and for the scheduler its outcome. Owner, index,
 * item and step say which one it is. All else follows from these and from {@link Extras}, which its copies share: no kind of
 * task overrides what it is.
 */
export class Task extends Context implements Delivery {
  readonly owner: TaskOwner;
  readonly index: number;
  /** Its position, if it is an item of a list. */
  readonly item: number;
  readonly step: number;
  /** A resume repeats it, and what it wrote to a state was kept. */
  keepsState: boolean;
  /** The output for its targets, once it has ended: a value, under its output key if it has one, or a reader. */
  output: unknown;
  /** Where the output goes, once that is decided. */
  targets: readonly number[] | undefined;
  private ended: boolean;
  /** Its function returned a stream, and runs while that is read. */
  isStreaming: boolean;
  private ownSpan: Span | undefined;
  private extras: Extras | undefined;

  constructor(owner: TaskOwner, index: number, item = 0, step = owner.steps) {
    super();
    this.owner = owner;
    this.index = index;
    this.item = item;
    this.step = step;
    this.output = undefined;
    this.targets = undefined;
    this.ended = false;
    this.isStreaming = false;
    this.keepsState = false;
    this.ownSpan = undefined;
    this.extras = undefined;
  }

  /** In a run on values, a task serves as its own delivery. */
  get source(): Task {
    return this;
  }

  get value(): unknown {
    return this.output;
  }

  /** Locates an error at its node. */
  locate(error: unknown): unknown {
    return this.owner.blame(error, this.index);
  }

  get isOver(): boolean {
    return this.ended || this.owner.items?.isOver === true;
  }

  set isOver(isOver: boolean) {
    this.ended = isOver;
  }

  override get localRun(): LocalRun {
    return this.owner;
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
    return this.owner.environment.journal;
  }

  get environment(): Environment {
    return this.owner.environment;
  }

  get stateCell(): StateCell | undefined {
    return this.owner.stateCell;
  }

  override get semaphore(): Semaphore | undefined {
    return this.owner.semaphore;
  }

  get callOptions(): CallOptions {
    return this.owner.callOptions;
  }

  get runtime(): Runtime {
    return this.owner.runtime;
  }

  get nodePath(): readonly string[] {
    const { nodePath, items } = this.owner;
    return items === undefined ? [...nodePath, this.owner.node(this.index).key] : nodePath;
  }

  get state(): unknown {
    const { owner, extras } = this;
    const { stateCell } = owner;
    if (stateCell !== undefined && (owner.ledger ?? extras?.tried) !== undefined) this.usesState(stateCell);
    return owner.ownState;
  }

  /** Only where it may run again: in a run that can be resumed, or with policies. */
  override usesState(cell: StateCell, byHandler = false): void {
    if (this.owner.ledger === undefined && this.extras?.tried === undefined) {
      super.usesState(cell);
      return;
    }
    this.extras ??= new Extras();
    this.extras.states ??= new StateMarks();
    this.extras.states.add(cell, byHandler);
  }

  get hasChangedState(): boolean {
    return this.extras?.states?.hasChanged(this.openedInvocation?.hasQuestions === true) === true;
  }

  /** Reports once that it repeats what it has written to a state, which was kept. */
  reportKeptState(): void {
    this.extras ??= new Extras();
    this.extras.states ??= new StateMarks();
    if (this.extras.states.isReported) return;
    this.extras.states.isReported = true;
    const reason = this.openedInvocation?.hasQuestions === true ? "asked" : "failed";
    this.span?.event({ kind: "state_kept", node: this.nodePath.join("/"), reason });
  }

  get address(): string {
    const { items } = this.owner;
    return items === undefined ? this.owner.addressOf(this.index) : `${items.at.address};item:${this.item}`;
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
    this.madeExtras.options = options;
    return options;
  }

  /** The node's own call options, given or worked out. */
  get ownOptions(): object | undefined {
    const { options } = this.owner.node(this.index).settings;
    return typeof options === "function" ? this.extras?.madeOptions : options;
  }

  /** The node's own call options were worked out: those of the run are laid over them. */
  takeOptions(made: object | undefined): void {
    this.madeExtras.madeOptions = made;
    this.madeExtras.options = this.owner.optionsOf(this.index, made) ?? noOptions;
  }

  get runInfo(): RunInfo {
    if (this.ownSpan !== undefined) return this.ownSpan.info;
    this.madeExtras.record ??= this.newRecord();
    return this.madeExtras.record;
  }

  /** The `RunInfo` that handlers get. */
  private newRecord(): RunInfo {
    const { owner, index } = this;
    if (owner.items === undefined) return recordOf(owner, index, this);
    const { name, type } = owner.node(index);
    return new RunRecord(owner.items.at.runInfo, componentKindOf(owner, index), name, type, this);
  }

  /** That of an item is a call in the invocation of the node that got the list. */
  get invocation(): Invocation {
    const { items } = this.owner;
    if (items !== undefined) return items.at.invocation.invocationOfCall(this.item, "", this.address);
    this.madeExtras.invocation ??= new Invocation(this.address);
    return this.madeExtras.invocation;
  }

  get openedInvocation(): Invocation | undefined {
    const { items } = this.owner;
    if (items !== undefined) return items.at.openedInvocation?.findCall(this.item)?.invocation;
    return this.extras?.invocation;
  }

  /** Continues an earlier execution of the task. */
  restoreInvocation(invocation: Invocation): void {
    this.madeExtras.invocation = invocation;
  }

  /** The context of the branches after the node: answering their questions does not run the node again. */
  get routeContext(): Task {
    const { madeExtras } = this;
    madeExtras.route ??= new Task(this.owner, this.index, this.item, this.step);
    return madeExtras.route;
  }

  get openedRoute(): Task | undefined {
    return this.extras?.route;
  }

  get invocationPath(): string {
    const { invocationPath: outerPath, items } = this.owner;
    if (items !== undefined) return items.at.invocationPath;
    return outerPath === "" ? String(this.step) : `${outerPath}.${this.step}`;
  }

  private get madeExtras(): Extras {
    this.extras ??= new Extras();
    return this.extras;
  }

  /** Makes this another context of the same task: span, invocation and children are shared. */
  protected shareWith(task: Task): void {
    task.extras ??= new Extras();
    this.extras = task.extras;
    this.ownSpan = task.ownSpan;
  }

  /** The record of its policies, for an error branch. */
  get tried(): Tried | undefined {
    return this.extras?.tried;
  }

  set tried(tried: Tried) {
    this.madeExtras.tried = tried;
  }

  /** Set if it failed and its error branch takes the failure: the input of the branch's target. */
  get failure(): NodeFailure | undefined {
    return this.extras?.failure;
  }

  set failure(failure: NodeFailure | undefined) {
    this.madeExtras.failure = failure;
  }

  /** Not with user code in between, which could take its time. */
  override get savesOutput(): boolean {
    const { owner } = this;
    if (owner.ledger === undefined || owner.mode !== "invoke" || this.handlers !== undefined) return false;
    const { policies, settings } = owner.node(this.index);
    return policies === undefined && (settings.after ?? settings.streamAfter) === undefined;
  }

  noteStop(): void {
    this.invocation.hasStopped = true;
    this.owner.noteStop(this.root);
  }

  /** Its failure was handled without an answer: whatever asks inside of it is over. */
  withdrawStop(): void {
    const { openedInvocation: invocation } = this;
    if (invocation === undefined) return;
    invocation.withdraw();
    this.owner.withdrawStop(this.root);
  }

  dropStop(): void {
    const { openedInvocation: invocation, environment } = this;
    if (invocation === undefined || invocation.isAsking || environment.stopRequest?.requested !== undefined) return;
    invocation.hasStopped = false;
    this.owner.withdrawStop(this.root);
  }

  /** The task itself, also for another context of it. */
  private get root(): Task {
    return this.origin instanceof Task ? this.origin : this;
  }

  /** Whether it waits for an answer, even if its function returned. */
  get hasStopped(): boolean {
    return this.openedInvocation?.hasStopped === true;
  }

  /** The extras are created first, so that the copy shares them: record, invocation and children. */
  override get with(): Context["with"] {
    this.extras ??= new Extras();
    return (fields) => new TaskCopy(this, fields);
  }

  get children(): Children {
    this.madeExtras.children ??= new Children();
    return this.madeExtras.children;
  }

  get openedChildren(): Children | undefined {
    return this.extras?.children;
  }
}

/** Another context of a task, or of one of its contexts: everything that it does not replace is that of the task. */
export abstract class TaskView extends Task {
  readonly task: Task;

  constructor(task: Task) {
    super(task.owner, task.index, task.item, task.step);
    this.task = task;
    this.shareWith(task);
  }

  override get origin(): Context {
    return this.task.origin;
  }

  override get scope(): Scope {
    return this.task.scope;
  }

  override get openedScope(): Scope {
    return this.scope;
  }

  override get attempt(): number {
    return this.task.attempt;
  }

  override get retains(): boolean {
    return this.task.retains;
  }

  override get permit(): Permit | undefined {
    return this.task.permit;
  }

  override beat(): void {
    this.task.beat();
  }
}

/**
 * A context of the same task with some fields replaced. It is not made with its task as the prototype: engines give each
 * prototype a hidden class of its own, which costs microseconds and slows down all that reads tasks.
 */
class TaskCopy extends TaskView {
  private readonly replaced: Readonly<Record<string, unknown>>;

  constructor(task: Task, fields: Readonly<Record<string, unknown>>) {
    super(task);
    this.replaced = task instanceof TaskCopy ? { ...task.replaced, ...fields } : fields;
    for (const name in this.replaced) {
      const value = this.replaced[name];
      Object.defineProperty(this, name, { value, enumerable: true, configurable: true, writable: true });
    }
  }

  override get isOver(): boolean {
    return this.task.isOver;
  }
}

const noOptions = Object.freeze({});

/** Fields that few tasks need; created on first use. */
class Extras {
  record: RunInfo | undefined = undefined;
  options: object | undefined = undefined;
  madeOptions: object | undefined = undefined;
  children: Children | undefined = undefined;
  invocation: Invocation | undefined = undefined;
  route: Task | undefined = undefined;
  tried: Tried | undefined = undefined;
  failure: NodeFailure | undefined = undefined;
  states: StateMarks | undefined = undefined;
}
