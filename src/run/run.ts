import type { HandlerList } from "../callbacks/handler-list.js";
import type { RunInfo } from "../callbacks/run-info.js";
import type { Span } from "../callbacks/span.js";
import type { RunSnapshot } from "../checkpoint/document/snapshot.js";
import { causedByInterrupt, InterruptError } from "../checkpoint/pause/interrupt.js";
import { type InnerRun, type Part, partOfRun } from "../checkpoint/pause/invocation.js";
import type { RunOptions } from "../compose/options.js";
import { END_INDEX, type PlanNode, START_INDEX } from "../compose/plan/plan.js";
import type { Runtime } from "../compose/runtime.js";
import { addressPart } from "./address.js";
import type { Body, Mode } from "./body.js";
import type { CallOptions, Context } from "./context.js";
import { Environment } from "./environment.js";
import { maxStepsExceeded, strayInterrupt } from "./errors.js";
import { locate } from "./failure.js";
import { givenLocal, type Local } from "./local.js";
import { mergeCallOptions, type NodeCallOptionsTree, type Overrides } from "./options/call-options.js";
import { Semaphore } from "./policies/semaphore.js";
import type { KeyedInputs, Program } from "./program.js";
import {
  GraphRecord,
  halt,
  invocationsOf,
  type RunLedger,
  type RunScheduler,
  type RunStops,
  type Surroundings,
  spanOf,
  waitingTasks,
} from "./run-parts.js";
import { abortError, Scope } from "./scope.js";
import { givesHandlers, handlersAt, handlersOfRun } from "./spans/run-handlers.js";
import { StateCell } from "./state-cell.js";
import { OpenStreams } from "./streams/open-streams.js";
import { type ItemList, type StreamsOfTasks, Task, type TaskOwner } from "./task.js";

/** One run of one graph: its identity, what its tasks can see, and its progress. */
export class Run extends Scope implements TaskOwner, InnerRun {
  readonly program: Program;
  readonly mode: Mode;
  readonly environment: Environment;
  readonly parentContext: Context | undefined;
  readonly nested: boolean;
  readonly overrides: Overrides | undefined;
  readonly nodeCallOptions: NodeCallOptionsTree | undefined;
  readonly handlers: HandlerList | undefined;
  readonly observed: boolean;
  readonly bodies: readonly Body[];
  readonly semaphore: Semaphore | undefined;
  readonly maxSteps: number;
  private readonly cell: StateCell | undefined;
  private ownRecord: RunInfo | undefined = undefined;
  private ownStreams: OpenStreams | undefined = undefined;
  /** A value that the library keeps with the run. */
  local: Local | undefined;
  /** It has its outcome: an abort from now on only stops leftover work. */
  hasEnded = false;
  /** The graph's own span, or one that only tracks what is open inside. */
  span: Span | undefined = undefined;
  /** Replaces a signal of its own when only the caller's signal can abort anything here. */
  callerSignal: AbortSignal | undefined = undefined;
  /** It was aborted, or something in it waits for an answer: no new node starts. */
  halted = false;
  /** The tasks that are waiting for an answer, or to be resumed. */
  stopped: Set<Task> | undefined = undefined;
  /** Keeps what is needed to resume the run; `undefined` if nothing can. */
  ledger: RunLedger | undefined = undefined;
  scheduler: RunScheduler | undefined = undefined;
  /** The graph's `interruptBefore` and `interruptAfter`, if it was compiled with them. */
  stops: RunStops | undefined = undefined;
  /** Called when the resulting stream has ended. */
  onStreamEnd: (() => void) | undefined = undefined;
  private madeInnerKey: string | undefined = undefined;
  /** The current step. A resume continues the count. */
  steps = 0;
  /** The last step that it may take. */
  private lastStep: number;
  hasRest = false;

  constructor(
    program: Program,
    mode: Mode,
    { parentContext, nested }: Surroundings,
    options: RunOptions | undefined,
    overrides: Overrides | undefined,
    nodeCallOptions: NodeCallOptionsTree | undefined,
  ) {
    super(parentContext?.scope);
    const { plan } = program;
    this.program = program;
    this.mode = mode;
    this.parentContext = parentContext;
    this.nested = nested;
    this.environment =
      parentContext?.environment.for(options?.requestContext) ?? new Environment(options?.requestContext);
    this.overrides = overrides;
    this.nodeCallOptions = nodeCallOptions;
    this.local = options === undefined ? undefined : givenLocal(options);
    const given = options?.callbacks;
    const mayAddHandlers = !nested && (program.hasHandlers || given !== undefined || parentContext !== undefined);
    this.handlers = mayAddHandlers ? handlersOfRun(plan, parentContext, given) : parentContext?.handlers;
    const hasNodeHandlers = program.nestedHandlers || (nodeCallOptions !== undefined && givesHandlers(nodeCallOptions));
    this.observed = this.handlers !== undefined || hasNodeHandlers;
    const limit = options?.maxConcurrency;
    this.semaphore = limit === undefined ? parentContext?.semaphore : new Semaphore(limit, parentContext?.semaphore);
    this.bodies = program.bodies(mode, this.observed, this.semaphore !== undefined);
    this.maxSteps = options?.maxSteps ?? plan.maxSteps;
    this.lastStep = this.maxSteps;
    this.cell =
      plan.state === undefined
        ? parentContext?.stateCell
        : StateCell.open(plan.state, parentContext?.stateCell, this.nodePath);
    if (this.observed) this.span = spanOf(this);
  }

  get scope(): Scope {
    return this;
  }

  get openedScope(): Scope {
    return this;
  }

  get items(): ItemList | undefined {
    return undefined;
  }

  override get signal(): AbortSignal {
    return this.callerSignal ?? super.signal;
  }

  override abort(reason: unknown): void {
    this.halted = true;
    super.abort(reason);
  }

  /** A lone node that is called inside a run has the runtime of that run. */
  get runtime(): Runtime {
    const { bare, runtime } = this.program.plan;
    return bare ? (this.parentContext?.runtime ?? runtime) : runtime;
  }

  get stateCell(): StateCell | undefined {
    return this.cell;
  }

  /** Whether finished work is kept for the next attempt of an enclosing node. */
  get retains(): boolean {
    return this.parentContext?.retains ?? false;
  }

  get ownState(): unknown {
    return this.program.plan.state === undefined ? undefined : this.cell?.value;
  }

  get callOptions(): CallOptions {
    return { tool: this.overrides?.kinds?.tool };
  }

  get nodePath(): readonly string[] {
    return this.parentContext?.nodePath ?? [];
  }

  get around(): Context | undefined {
    return this.parentContext;
  }

  /** A `RunControl` has asked the run to stop: nothing new starts. */
  get isStopRequested(): boolean {
    return this.environment.stopRequest?.requested !== undefined;
  }

  /** Continues after this step, which an earlier process finished. */
  goToStep(step: number): void {
    this.steps = step;
    this.lastStep = step + this.maxSteps;
  }

  /** Counts one more step, for these nodes; throws if that exceeds `maxSteps`. */
  nextStep(ready: readonly { readonly target: number }[]): void {
    if (this.steps === this.lastStep) throw this.stepLimit(ready.map(({ target }) => target));
    this.steps += 1;
  }

  /** The error for one step too many. The fast lane counts its steps itself. */
  stepLimit(targets: readonly number[]): unknown {
    const names = targets.map((target) => this.program.keys[target] ?? "");
    return this.blame(maxStepsExceeded(this.nodePath, this.maxSteps, names), START_INDEX);
  }

  get isAtLastStep(): boolean {
    return this.steps === this.lastStep;
  }

  /** The output of a node in a run on values: under its output key, if it has one. */
  keyed(index: number, output: unknown): unknown {
    const key = this.program.outputKeys[index];
    return key === undefined || this.mode !== "invoke" ? output : { [key]: output };
  }

  /** {@link keyed}, but without the key if the target builds the record itself: see `joinInputs`. */
  delivered(index: number, output: unknown): unknown {
    if (this.program.outputKeys[index] === undefined || this.mode !== "invoke") return output;
    const target = this.program.routes[index]?.plain[0] ?? START_INDEX;
    return this.joinsKeyed(target) === undefined ? this.keyed(index, output) : output;
  }

  /** The template of the record that a node builds from all its sources. Not with a ledger, which stores keyed outputs. */
  joinsKeyed(target: number): KeyedInputs | undefined {
    return this.ledger === undefined && this.mode === "invoke" ? this.program.keyedInputs(target) : undefined;
  }

  get address(): string {
    const { parentContext } = this;
    if (this.nested && parentContext !== undefined) return parentContext.address;
    return parentContext === undefined ? this.ownAddress : `${parentContext.address};${this.ownAddress}`;
  }

  protected get ownAddress(): string {
    return `runnable:${addressPart(this.program.plan.name)}`;
  }

  get invocationPath(): string {
    const { parentContext } = this;
    if (parentContext === undefined) return "";
    return this.nested ? parentContext.invocationPath : `${parentContext.invocationPath}.${this.innerKey}`;
  }

  /** The key under which the parent context's invocation stores its progress and result. */
  get innerKey(): string {
    if (this.nested || this.parentContext === undefined) return "";
    this.madeInnerKey ??= this.parentContext.invocation.nextChild(this.childKey);
    return this.madeInnerKey;
  }

  /** The name of a child run among its siblings. */
  get childKey(): string {
    return this.program.plan.name;
  }

  /** Marks the task and every enclosing run as paused. */
  noteStop(task: Task): void {
    this.halted = true;
    this.stopped ??= new Set();
    this.stopped.add(task);
    this.environment.notifyHalt();
    const { parentContext } = this;
    if (parentContext === undefined) return;
    if (this.ledger === undefined) parentContext.invocation.startInner(this.innerKey, this);
    parentContext.noteStop();
  }

  /** Undoes {@link noteStop}. */
  withdrawStop(task: Task): void {
    if (this.stopped?.delete(task) !== true || this.stopped.size > 0) return;
    this.stopped = undefined;
    this.halted = this.aborted;
    this.scheduler?.wakeUp();
    this.parentContext?.dropStop();
  }

  /** Whether an interrupt thrown here belongs to this run or an enclosing one; otherwise it is an ordinary error. */
  get expectsStop(): boolean {
    if (this.isStopRequested) return true;
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      if (scope instanceof Run && scope.stopped !== undefined) return true;
    }
    return false;
  }

  /** Whether the error is the interrupt of a node in this run, not a failure. */
  isStop(error: unknown): boolean {
    return causedByInterrupt(error) && this.expectsStop;
  }

  /** The error to throw where nothing new may start. */
  get haltReason(): unknown {
    return this.aborted ? this.reason : halt;
  }

  /** Ends the run as paused. */
  interrupt(error: InterruptError): InterruptError {
    this.close();
    this.parentContext?.noteStop();
    return error;
  }

  get part(): Part {
    return this.ledger?.part ?? partOfRun(invocationsOf(this.stopped), this.stops?.stop);
  }

  /** Its progress. Without a ledger that is only its open questions, from which no run can be resumed. */
  snapshot(): RunSnapshot {
    if (this.ledger !== undefined) return this.ledger.snapshot();
    const tasks = waitingTasks(this.stopped, ({ index }) => this.node(index));
    return { address: this.address, base: -1, state: undefined, tasks, stop: this.stops?.stop, passed: [] };
  }

  /** Waits for what is running in it. */
  async settle(): Promise<void> {
    if (this.aborted || this.hasEnded) return;
    if (this.ledger !== undefined) await this.ledger.settle();
    else await this.scheduler?.idle();
  }

  /** The `RunInfo` that its tasks name as their parent: the graph's; for a lone node or a nested run, the enclosing one. */
  get recordAround(): RunInfo | undefined {
    if (this.nested || this.program.plan.bare) return this.parentContext?.runInfo;
    this.ownRecord ??= new GraphRecord(this.parentContext?.runInfo, this);
    return this.ownRecord;
  }

  get enclosingSpan(): Span | undefined {
    return this.span;
  }

  node(index: number): PlanNode {
    return this.program.plan.nodes[index] as PlanNode;
  }

  addressOf(index: number): string {
    const { plan, keys } = this.program;
    if (plan.bare || index <= END_INDEX) return this.address;
    return `${this.address};node:${addressPart(keys[index] ?? "")}`;
  }

  optionsOf(index: number, made?: object): object | undefined {
    const { overrides, nodeCallOptions } = this;
    const node = this.node(index);
    if ((node.settings.options ?? overrides ?? nodeCallOptions) === undefined) return undefined;
    return mergeCallOptions(node, overrides?.kinds, nodeCallOptions?.inside.get(node.key), made);
  }

  handlersOf(index: number): HandlerList | undefined {
    return this.nodeCallOptions === undefined && !this.program.nestedHandlers ? this.handlers : handlersAt(this, index);
  }

  useState(use: (state: unknown) => unknown, task: Task): unknown {
    if (this.cell !== undefined) task.usesState(this.cell, true);
    return this.cell?.use(use, task);
  }

  pathOf(index: number): readonly string[] {
    return index <= END_INDEX || this.program.plan.bare
      ? this.nodePath
      : [...this.nodePath, this.program.keys[index] ?? ""];
  }

  blame(error: unknown, index: number): unknown {
    if (this.aborted && error === this.reason) return error;
    if (InterruptError.is(error) && !this.expectsStop) return strayInterrupt(this.pathOf(index), error);
    return locate(error, this.pathOf(index), this.environment.root);
  }

  blameAt(error: unknown, path: readonly string[]): unknown {
    return locate(error, [...this.nodePath, ...path], this.environment.root);
  }

  /** The run in which this one is a node. */
  private get outerRun(): TaskOwner | undefined {
    return this.nested && this.parentContext instanceof Task ? this.parentContext.owner : undefined;
  }

  /** The open streams of the outermost graph: an error in one passes through all nodes after its origin. */
  get openStreams(): StreamsOfTasks {
    const { outerRun } = this;
    if (outerRun !== undefined) return outerRun.openStreams;
    this.ownStreams ??= new OpenStreams();
    return this.ownStreams;
  }

  get cacheName(): string {
    return this.outerRun?.cacheName ?? this.program.cacheName;
  }

  handlesFailure(index: number): boolean {
    return this.program.routes[index]?.failure !== undefined;
  }

  async locateFailure(error: unknown, { index }: Task): Promise<unknown> {
    return this.blame(this.mode === "transform" ? await this.openStreams.findOrigin(error) : error, index);
  }

  /** Receives the joined output stream as the output schema returned it. */
  keepChecked(_value: unknown): void {}

  /** The run has its result. A streamed one keeps nodes running while it is read, so the scope stays open. */
  completed(result: unknown): unknown {
    if (this.mode !== "transform") this.close();
    return result;
  }

  /** Fails the run: stops what else is running here. Returns what it rejects with: the abort reason, or the error. */
  fail(error: unknown): unknown {
    this.close();
    if (this.aborted && !this.hasEnded) return this.reason;
    this.stopRest("Stopped, because another part of the run has failed.");
    return error;
  }

  /** Stops what is still running after the run has its outcome. */
  stopRest(why: string): void {
    if (this.aborted) return;
    this.hasEnded = true;
    const reason = abortError(why);
    this.span?.abortInside(reason);
    this.openStreams.cancel(reason, this);
    this.abort(reason);
  }
}
