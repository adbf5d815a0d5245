import { HandlerList } from "../callbacks/handler-list.js";
import { type Addressed, type RunInfo, RunRecord } from "../callbacks/run-info.js";
import { Span } from "../callbacks/span.js";
import type { NodeStop, RunSnapshot, TaskSnapshot } from "../checkpoint/document/snapshot.js";
import type { Invocation, Part } from "../checkpoint/pause/invocation.js";
import type { Plan, PlanNode } from "../compose/plan/plan.js";
import type { NodeCallOptionsTree } from "./call-options.js";
import type { Context } from "./context.js";
import type { Delivery, InvocationKeeper, Task } from "./task.js";

/** Thrown where nothing more may start; `Run.end` says what it means. */
export const halt: unique symbol = Symbol("halt");

/** Why what is left is stopped when END has its input. */
export const resultIsThere = "Stopped, because the run has its result.";

/** What remembers the tasks of a run that can be resumed. */
export interface RunLedger extends InvocationKeeper {
  /** What can be said of the run from what is inside it. */
  readonly part: Part;
  /** Whether all that a snapshot needs is there. */
  readonly canBeSaved: boolean;
  /** The tasks that have ended when the run begins: START, or those from which an earlier process went on. */
  begin(input: unknown, from: RunSnapshot | undefined): readonly Task[];
  /** Saves the input before the first node starts, where every finished task is saved. */
  saveStart(first: readonly Task[]): Promise<void> | undefined;
  /** A task is about to start: not if it is known how it ended, or if it waits and nobody has answered. */
  start(task: Task, inbox: readonly Delivery[]): "ended" | "blocked" | undefined;
  /** A task has its output. A promise where it is saved before anything follows. */
  ended(task: Task, isAlone: boolean): Promise<void> | undefined;
  /** A task has failed, and its error branch takes that as its output; or, not `handled`, it does not after all. */
  failed(task: Task, handled: boolean): void;
  /** The same after the run has failed or was stopped: kept where it is there as a whole. */
  endedLate(task: Task): void;
  /** The targets of a task are known. A promise where its stream is saved before anything follows. */
  routed(task: Task): Promise<void> | undefined;
  /** What a node's mapping makes of its inputs, now or when it was entered earlier. */
  prepareMapped(join: (input: unknown, task: Task) => unknown, task: Task): unknown;
  /** A task waits for an answer. */
  stopped(task: Task): void;
  /** Waits for what began in an invocation; a promise only where something has not settled. */
  settleInvocation(task: Task): Promise<void> | undefined;
  /** The result of a child run, remembered where its parent may be entered again. */
  keepResult(result: unknown): unknown;
  snapshot(): RunSnapshot;
  /** Waits for what runs in it, and for streams that somebody will need. */
  settle(): Promise<void> | undefined;
}

/** What runs the tasks of a run, if not the fast lane. */
export interface RunScheduler {
  /** Resolves when nothing runs any more; rejects when something has failed. */
  idle(): Promise<void>;
}

/** The stops before and after nodes that a graph was compiled with. */
export interface RunStops {
  /** Where the run stops, until that is answered. */
  readonly stop: NodeStop | undefined;
  /** Stops that are behind the run. */
  readonly passed: readonly string[];
}

/** What the tasks that wait remember. */
export function invocationsOf(tasks: Iterable<Task> | undefined): Invocation[] {
  return [...(tasks ?? [])].map((task) => task.invocation);
}

/** The tasks of a run without a ledger that wait, in order of declaration: only what is asked can be told of them. */
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

/** Who a run of a graph is for handlers. */
export function recordOf(
  { component, name, meta }: Plan,
  parent: RunInfo | undefined,
  at: Addressed,
  nodes: NodeCallOptionsTree | undefined,
): RunInfo {
  const describe = meta && (() => meta((key) => nodes?.inside.get(key)?.options));
  return new RunRecord(parent, component, name, "", at, undefined, describe);
}

/** What of a run decides which span it has. */
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

/** Stands for a run that nobody is told of. */
const noInfo: RunInfo = Object.freeze({
  runId: "",
  parentRunId: undefined,
  name: "",
  type: "",
  component: "graph",
  address: "",
});

/** How a run stands to what is around it. */
export interface Surroundings {
  /** Where it runs: the node of the outer graph, or the context given as `parent`. */
  readonly parentContext: Context | undefined;
  /** Whether it is a node of the outer graph, and not a run of its own. */
  readonly nested: boolean;
}
