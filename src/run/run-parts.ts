import type { GraphInfo } from "../callbacks/graph-info.js";
import { HandlerList } from "../callbacks/handler-list.js";
import { type Addressed, describesGraph, type RunInfo, type RunMeta, RunRecord } from "../callbacks/run-info.js";
import { Span } from "../callbacks/span.js";
import type { NodeStop, RunSnapshot, TaskSnapshot } from "../checkpoint/document/snapshot.js";
import type { Continuation } from "../checkpoint/errors.js";
import type { Journal } from "../checkpoint/journal/journal.js";
import type { Invocation, Part } from "../checkpoint/pause/invocation.js";
import type { Plan, PlanNode } from "../compose/plan/plan.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { Context } from "./context.js";
import type { Environment } from "./environment.js";
import type { LocalRun } from "./local.js";
import type { Delivery, InvocationKeeper, Task } from "./task.js";

/** Thrown where nothing new may start; `Run.end` turns it into the run's interrupt or abort reason. */
export const halt: unique symbol = Symbol("halt");

/** The abort message for work that is still running when END has its input. */
export const resultIsThere = "Stopped, because the run has its result.";

/** Records the tasks of a run, so that it can be resumed. */
export interface RunLedger extends InvocationKeeper {
  /** Looks for questions in the invocations of its tasks. */
  readonly part: Part;
  /** Whether a snapshot can be taken. */
  readonly canBeSaved: boolean;
  /** The finished tasks from which the run begins: START, or those of a snapshot. */
  begin(input: unknown, from: RunSnapshot | undefined): readonly Task[];
  /** With `durability: "step"`, saves the input before the first node starts. */
  saveStart(first: readonly Task[]): Promise<void> | undefined;
  /** Before a task starts: `"ended"` if its outcome is known, `"blocked"` if it still waits for an answer. */
  start(task: Task, inbox: readonly Delivery[]): "ended" | "blocked" | undefined;
  /** A task has its output. Returns a promise if it must be saved before anything follows. */
  ended(task: Task, isAlone: boolean): Promise<void> | undefined;
  /** {@link ended} after the run has failed or was aborted: the output is kept if it is complete. */
  endedLate(task: Task): void;
  /** A task has failed. `handled`: its error branch takes the failure as its output; otherwise it is to run again. */
  failed(task: Task, handled: boolean): void;
  /** The branches after a task are still choosing, or have asked something. Returns a promise if its output is being saved. */
  choosing(task: Task): Promise<void> | undefined;
  /** The targets of a task are known. Returns a promise if they, or its stream, must be saved before anything follows. */
  routed(task: Task): Promise<void> | undefined;
  /** The mapped input of a node: made now, or kept from an earlier execution of its invocation. */
  prepareMapped(join: (input: unknown, task: Task) => unknown, task: Task): unknown;
  /** A task waits for an answer. */
  stopped(task: Task): void;
  /** Waits for what an invocation has started; `undefined` if all of it has settled. */
  settleInvocation(task: Task): Promise<void> | undefined;
  /** Stores the result of a child run with its parent, which may be entered again. Returns the result to hand on. */
  keepResult(result: unknown): unknown;
  snapshot(): RunSnapshot;
  /** Waits for running tasks, and for the rest of streams that are still needed. */
  settle(): Promise<void> | undefined;
}

/** The scheduler, as the run sees it; a run in the fast lane has none. */
export interface RunScheduler {
  /** Resolves when nothing is running; rejects if something has failed. */
  idle(): Promise<void>;
  /** A question was withdrawn: nodes that were held back may start. */
  wakeUp(): void;
}

/** A run's progress through the `interruptBefore` and `interruptAfter` of its graph. */
export interface RunStops {
  /** Where the run stops, until that is answered. */
  readonly stop: NodeStop | undefined;
  /** Stops that the run has passed. */
  readonly passed: readonly string[];
}

/** How a run that stops now can be continued. */
export function continuationOf(
  run: { readonly program: { readonly plan: Plan }; readonly ledger: RunLedger | undefined },
  journal: Journal | undefined,
): Continuation {
  const { store } = run.program.plan;
  if (journal?.checkpointId !== undefined && run.ledger?.canBeSaved === false) {
    const unsaved = "it was stopped before its input stream had ended, so nothing was saved. Start it again";
    return { checkpointId: undefined, unsaved };
  }
  const missing = store === undefined ? "compile with a store and give" : "give";
  return { checkpointId: journal?.checkpointId, unsaved: `nothing was saved: ${missing} the run a checkpointId` };
}

/** Without a ledger: waits for what the paused tasks of a run have started. */
export async function settleStopped(
  run: { readonly scheduler: RunScheduler | undefined; blame(error: unknown, index: number): unknown },
  stopped: ReadonlySet<Task>,
): Promise<void> {
  await run.scheduler?.idle();
  for (const task of stopped) {
    try {
      await task.settle();
    } catch (error) {
      throw run.blame(error, task.index);
    }
  }
}

/** The invocations of paused tasks. */
export function invocationsOf(tasks: Iterable<Task> | undefined): Invocation[] {
  return [...(tasks ?? [])].map((task) => task.invocation);
}

/** The paused tasks of a run without a ledger, in order of declaration: only their open questions are known. */
export function waitingTasks(stopped: Iterable<Task> | undefined, nodeOf: (task: Task) => PlanNode): TaskSnapshot[] {
  const waiting = [...(stopped ?? [])].sort((a, b) => a.index - b.index);
  return waiting.map((task) => ({
    node: nodeOf(task).key,
    kind: nodeOf(task).component,
    step: task.step,
    done: false,
    output: undefined,
    chunks: undefined,
    targets: undefined,
    visit: task.invocation.snapshot(),
    route: undefined,
  }));
}

/** The run of a graph, as its record sees it. */
interface RecordedRun extends Addressed, LocalRun {
  readonly program: { readonly plan: Plan; readonly info: () => GraphInfo };
  readonly environment: Environment;
}

/** The `RunInfo` of a graph's run. */
export class GraphRecord extends RunRecord {
  private readonly run: RecordedRun;

  constructor(parent: RunInfo | undefined, run: RecordedRun) {
    const { component, name } = run.program.plan;
    super(parent, component, name, "", run);
    this.run = run;
  }

  override get meta(): RunMeta | undefined {
    const { program, environment, local } = this.run;
    const own = program.plan.meta?.(local?.value);
    if (this.parent !== undefined) return own;
    const { runKey, journal } = environment;
    const { name: graph } = program.plan;
    return withoutUndefined({ ...own, runKey, checkpointId: journal?.checkpointId, graph, info: program.info });
  }

  get [describesGraph](): () => GraphInfo {
    return this.run.program.info;
  }
}

/** The parts of a run that decide which span it has. */
interface SpannedRun {
  readonly handlers: HandlerList | undefined;
  readonly nested: boolean;
  readonly parentContext: Context | undefined;
  readonly program: { readonly plan: Plan };
  readonly recordAround: RunInfo | undefined;
}

/** The span of a run's graph; for a nested run or a lone node, one that only tracks what is open inside. */
export function spanOf(run: SpannedRun): Span {
  const { handlers, nested, parentContext, program } = run;
  if (nested && parentContext?.span !== undefined) return parentContext.span;
  const own = nested || program.plan.bare ? undefined : handlers;
  const around = parentContext?.enclosingSpan;
  return new Span(own ?? around?.handlers ?? HandlerList.none, run.recordAround ?? noInfo, around);
}

/** For a span that reports to no handler. */
const noInfo: RunInfo = Object.freeze({
  runId: "",
  parentRunId: undefined,
  name: "",
  type: "",
  component: "graph",
  address: "",
});

/** Where a run takes place. */
export interface Surroundings {
  /** The task of the outer graph whose node this run is, or the context given as `parent`. */
  readonly parentContext: Context | undefined;
  /** Whether it is a node of the outer graph, rather than a child run with a `parent`. */
  readonly nested: boolean;
}
