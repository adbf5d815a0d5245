import { type ComponentKind, LazyRecord, type RunInfo, RunRecord } from "../../callbacks/run-info.js";
import type { Watch } from "../../callbacks/watch.js";
import type { Watchers } from "../../callbacks/watchers.js";
import type { Journal } from "../interrupt/journal.js";
import { Visit } from "../interrupt/visit.js";
import type { PlanNode } from "../plan/plan.js";
import type { Runtime } from "../runtime.js";
import { Children } from "./children.js";
import type { Environment } from "./environment.js";
import { type CallOptions, PlaceContext } from "./place-context.js";
import type { Scope } from "./scope.js";
import type { StateCell } from "./state-cell.js";

/** A node's stream, as the run of its graph sees it. */
export interface TaskStream {
  readonly ctx: TaskContext;
  /** Whether nothing more comes. Known some time after {@link look}, if it is so. */
  readonly ended: boolean;
  look(): void;
  /** Calls back within a microtask if the last read failed with this very error. */
  ifFailedWith(error: unknown, found: () => void): void;
  cancel(reason: unknown): void;
}

/** What a task needs to know of the run of its graph. */
export interface TaskOwner {
  readonly scope: Scope;
  /** The same, if there is one yet. */
  readonly openedScope: Scope | undefined;
  readonly journal: Journal | undefined;
  readonly environment: Environment;
  readonly stateCell: StateCell | undefined;
  readonly callOptions: CallOptions;
  readonly runtime: Runtime;
  /** The step that its tasks are in. */
  readonly steps: number;
  readonly visitPath: string;
  /** Whether what its tasks get is kept, so that they can be entered again. */
  readonly isTracked: boolean;
  /** A task stops, to wait for somebody. */
  noteStop(task: TaskContext): void;
  /** The path of the graph itself. */
  readonly nodePath: readonly string[];
  readonly ownState: unknown;
  node(index: number): PlanNode;
  /** The record that tasks name as their parent; `undefined` when the run is its only task (a lambda run alone). */
  readonly recordAround: RunInfo | undefined;
  addressOf(index: number): string;
  optionsOf(index: number): object | undefined;
  watchersOf(index: number): Watchers | undefined;
  /** The parent of the watches of tasks. */
  readonly watchAround: Watch | undefined;
  /** Runs a function alone with the state of the graph. */
  useState(use: (state: unknown) => unknown): unknown;
  /** Gives what a node threw its place. */
  blame(error: unknown, index: number): unknown;
  /** If an error came out of a node's stream: that error with its place. */
  findOrigin(error: unknown): Promise<unknown>;
  /** Remembers a stream of a node: an error may come from it, and it must not stay open. */
  addStream(stream: TaskStream): void;
  /** Says that something still runs which does not feed the result. */
  leaveRest(): void;
  /** Stops the streams of the run with this scope and of what is nested in it. */
  cancelStreams(reason: unknown, within: Scope): void;
}

/** One node in one step: the `ctx` of its function. */
export class TaskContext extends PlaceContext {
  readonly owner: TaskOwner;
  readonly index: number;
  readonly step: number;
  protected ownWatch: Watch | undefined;
  private extras: Extras | undefined;

  constructor(owner: TaskOwner, index: number) {
    super();
    this.owner = owner;
    this.index = index;
    this.step = owner.steps;
    this.ownWatch = undefined;
    this.extras = undefined;
  }

  override get scope(): Scope {
    return this.owner.scope;
  }

  override get openedScope(): Scope | undefined {
    return this.owner.openedScope;
  }

  override get journal(): Journal | undefined {
    return this.owner.journal;
  }

  override get environment(): Environment {
    return this.owner.environment;
  }

  override get stateCell(): StateCell | undefined {
    return this.owner.stateCell;
  }

  override get callOptions(): CallOptions {
    return this.owner.callOptions;
  }

  override get runtime(): Runtime {
    return this.owner.runtime;
  }

  override get nodePath(): readonly string[] {
    return [...this.owner.nodePath, this.owner.node(this.index).key];
  }

  override get state(): unknown {
    return this.owner.ownState;
  }

  override get address(): string {
    return this.owner.addressOf(this.index);
  }

  override get watch(): Watch | undefined {
    return this.ownWatch;
  }

  /** Set by the executor when somebody watches this task. */
  override set watch(watch: Watch) {
    this.ownWatch = watch;
  }

  override get watchAround(): Watch | undefined {
    return this.watch ?? this.owner.watchAround;
  }

  override get watchers(): Watchers | undefined {
    return this.owner.watchersOf(this.index);
  }

  override get options(): unknown {
    const known = this.extras?.options;
    if (known !== undefined) return known;
    const options = this.owner.optionsOf(this.index);
    if (options === undefined) return noOptions;
    this.extras ??= new Extras();
    this.extras.options = options;
    return options;
  }

  override get runInfo(): RunInfo {
    if (this.watch !== undefined) return this.watch.info;
    this.extras ??= new Extras();
    this.extras.record ??= recordOf(this.owner, this.index, this);
    return this.extras.record;
  }

  override get visit(): Visit {
    this.extras ??= new Extras();
    this.extras.visit ??= new Visit(this.address);
    return this.extras.visit;
  }

  override get openedVisit(): Visit | undefined {
    return this.extras?.visit;
  }

  /** The task goes on where a former run of it stopped. */
  restoreVisit(visit: Visit): void {
    this.extras ??= new Extras();
    this.extras.visit = visit;
  }

  override get visitPath(): string {
    const { visitPath } = this.owner;
    return visitPath === "" ? String(this.step) : `${visitPath}.${this.step}`;
  }

  override noteStop(): void {
    this.visit.hasStopped = true;
    this.owner.noteStop(this);
  }

  /** The copy shares what belongs to the task: its record and its children. */
  override get with(): PlaceContext["with"] {
    this.extras ??= new Extras();
    return super.with;
  }

  override get children(): Children {
    this.extras ??= new Extras();
    this.extras.children ??= new Children();
    return this.extras.children;
  }

  override get openedChildren(): Children | undefined {
    return this.extras?.children;
  }
}

const noOptions = Object.freeze({});

/** What only few tasks need: made when it is first asked for. */
class Extras {
  record: RunInfo | undefined = undefined;
  options: object | undefined = undefined;
  children: Children | undefined = undefined;
  visit: Visit | undefined = undefined;
}

/** Who a task is for handlers. */
export function recordOf(owner: TaskOwner, index: number, place: TaskContext): RunInfo {
  if (owner.recordAround !== undefined) return new TaskRecord(owner, index);
  const { name, type } = owner.node(index);
  return new RunRecord(undefined, kindOf(owner, index), name, type, place);
}

/** The record of a task in a graph: it looks everything up when it is asked. */
class TaskRecord extends LazyRecord {
  private readonly owner: TaskOwner;
  private readonly index: number;

  constructor(owner: TaskOwner, index: number) {
    super();
    this.owner = owner;
    this.index = index;
  }

  override get component(): ComponentKind {
    return kindOf(this.owner, this.index);
  }

  override get name(): string {
    return this.owner.node(this.index).name;
  }

  override get type(): string {
    return this.owner.node(this.index).type;
  }

  override get address(): string {
    return this.owner.addressOf(this.index);
  }

  override get toolCallId(): undefined {
    return undefined;
  }

  protected override get parent(): RunInfo | undefined {
    return this.owner.recordAround;
  }

  /** Only roots are asked, and a task in a graph is none. */
  protected override newId(): string {
    return "";
  }
}

function kindOf(owner: TaskOwner, index: number): ComponentKind {
  const { component } = owner.node(index);
  return component === "passthrough" ? "lambda" : component;
}
