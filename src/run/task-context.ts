import type { RunInfo } from "../callbacks/run-info.js";
import { tellEnd, tellStart } from "../callbacks/tell.js";
import { Watch } from "../callbacks/watch.js";
import { Watchers } from "../callbacks/watchers.js";
import type { Journal } from "../checkpoint/journal.js";
import { Visit } from "../checkpoint/visit.js";
import type { Runtime } from "../compose/runtime.js";
import { Children } from "./children.js";
import type { Environment } from "./environment.js";
import { type CallOptions, copyOf, PlaceContext } from "./place-context.js";
import type { Scope } from "./scope.js";
import type { StateCell } from "./state-cell.js";
import { type RecordSource, recordOf, TaskRecord } from "./task-record.js";

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

/** Keeps what tasks were given. */
export interface InputKeeper {
  /** What `before` makes of the input of a task, now or when it was entered before. */
  prepare(before: (input: unknown, ctx: TaskContext) => unknown, input: unknown, ctx: TaskContext): unknown;
}

/** What a task needs to know of the run of its graph. */
export interface TaskOwner extends RecordSource {
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
  /** Where what its tasks get is kept, so that they can be entered again. */
  readonly tracker: InputKeeper | undefined;
  /** A task stops, to wait for somebody. */
  noteStop(task: TaskContext): void;
  /** The path of the graph itself. */
  readonly nodePath: readonly string[];
  readonly ownState: unknown;
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

/**
 * One node in one step: the `ctx` of its function.
 *
 * It has the members of a {@link PlaceContext} by its prototype, and not by `extends`. Inside of a `try`, which all of an
 * async function is, V8 does not see through the constructor of a derived class: it makes each object with two calls of its
 * runtime, which was a twelfth of the price of a node.
 */
export class TaskContext implements PlaceContext {
  readonly owner: TaskOwner;
  readonly index: number;
  readonly step: number;
  /** The record stands for a watch that can still be made. */
  private ownWatch: Watch | TaskRecord | undefined;
  private extras: Extras | undefined;
  declare readonly signal: PlaceContext["signal"];
  declare readonly requestContext: PlaceContext["requestContext"];
  declare readonly progress: PlaceContext["progress"];
  declare readonly processState: PlaceContext["processState"];
  declare readonly taskKey: PlaceContext["taskKey"];
  declare readonly ask: PlaceContext["ask"];
  declare readonly interrupt: PlaceContext["interrupt"];
  declare readonly once: PlaceContext["once"];
  declare readonly resume: PlaceContext["resume"];
  declare readonly settle: PlaceContext["settle"];
  declare readonly commit: PlaceContext["commit"];

  constructor(owner: TaskOwner, index: number) {
    this.owner = owner;
    this.index = index;
    this.step = owner.steps;
    this.ownWatch = undefined;
    this.extras = undefined;
  }

  get scope(): Scope {
    return this.owner.scope;
  }

  get openedScope(): Scope | undefined {
    return this.owner.openedScope;
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

  get watch(): Watch | undefined {
    const { ownWatch } = this;
    return ownWatch instanceof TaskRecord ? this.watchFrom(ownWatch) : ownWatch;
  }

  /** Opens the watch of the task; `undefined` when none of the handlers is meant for it. */
  openWatch(): Watch | undefined {
    const { index, owner, watchers } = this;
    if (watchers === undefined) return undefined;
    const watch = new Watch(watchers, recordOf(owner, index, this), owner.watchAround);
    this.ownWatch = watch;
    return watch;
  }

  /** Tells the only handler of a task that it starts, without a watch, which would double the price of that. */
  start(lane: Watchers, value: unknown, spanAround: unknown): void {
    const record = new TaskRecord(this.owner, this.index, spanAround);
    this.ownWatch = record;
    if (lane.only !== undefined) record.span = tellStart(lane.only, lane, record, value, spanAround);
    // a handler may have stopped the run
    if (this.ownWatch !== record) this.watch?.takeOver(record.span, false);
  }

  end(lane: Watchers, value: unknown): void {
    const { ownWatch } = this;
    if (!(ownWatch instanceof TaskRecord)) {
      ownWatch?.end(value);
      return;
    }
    ownWatch.isOver = true;
    if (lane.only !== undefined) tellEnd(lane.only, lane, ownWatch, value, ownWatch.span);
  }

  private watchFrom(record: TaskRecord): Watch {
    const { owner, watchers = Watchers.none } = this;
    const watch = new Watch(watchers, record, record.isOver ? undefined : owner.watchAround);
    watch.takeOver(record.span, record.isOver);
    this.ownWatch = watch;
    return watch;
  }

  get watchAround(): Watch | undefined {
    return this.watch ?? this.owner.watchAround;
  }

  get watchers(): Watchers | undefined {
    return this.owner.watchersOf(this.index);
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

  get runInfo(): RunInfo {
    const { ownWatch } = this;
    if (ownWatch !== undefined) return ownWatch instanceof TaskRecord ? ownWatch : ownWatch.info;
    this.extras ??= new Extras();
    this.extras.record ??= recordOf(this.owner, this.index, this);
    return this.extras.record;
  }

  get visit(): Visit {
    this.extras ??= new Extras();
    this.extras.visit ??= new Visit(this.address);
    return this.extras.visit;
  }

  get openedVisit(): Visit | undefined {
    return this.extras?.visit;
  }

  /** The task goes on where a former run of it stopped. */
  restoreVisit(visit: Visit): void {
    this.extras ??= new Extras();
    this.extras.visit = visit;
  }

  get visitPath(): string {
    const { visitPath } = this.owner;
    return visitPath === "" ? String(this.step) : `${visitPath}.${this.step}`;
  }

  noteStop(): void {
    this.visit.hasStopped = true;
    this.owner.noteStop(this);
  }

  /** The copy shares what belongs to the task, whoever needs it first: its record, its children and its watch. */
  get with(): PlaceContext["with"] {
    this.extras ??= new Extras();
    void this.watch;
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
Object.setPrototypeOf(TaskContext.prototype, PlaceContext.prototype);

const noOptions = Object.freeze({});

/** What only few tasks need: made when it is first asked for. */
class Extras {
  record: RunInfo | undefined = undefined;
  options: object | undefined = undefined;
  children: Children | undefined = undefined;
  visit: Visit | undefined = undefined;
}
