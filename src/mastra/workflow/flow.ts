import type { NodeContext } from "../../components/context.js";
import { isPlainObject } from "../../is.js";
import { Context } from "../../run/context.js";
import type { Scope } from "../../run/scope.js";
import { kindOf } from "../../wording.js";
import type { AnyMastra } from "../any-mastra.js";
import { invalidStep } from "../errors.js";
import type { StepResult } from "./step-result.js";
import type { WorkflowEvent } from "./workflow-event.js";

/** The state of the graph of a run, which is saved with it. */
export interface FlowState {
  /** The input of the workflow. */
  input: unknown;
  steps: Record<string, StepResult>;
  /** The values that the steps of a run share. Inner workflows use those of the outermost one. */
  shared: Record<string, unknown>;
  /** The result of the step that ended the workflow early with `bail`. */
  bailed?: { readonly value: unknown } | undefined;
  /** The number of iterations of each loop. */
  turns: Record<string, number>;
  /** Whether each loop runs its step again. */
  repeats: Record<string, boolean>;
}

export function newFlowState(): FlowState {
  return { input: undefined, steps: {}, shared: {}, turns: {}, repeats: {} };
}

/** A run of a workflow in this process. Nodes get it in their call options. */
export interface LiveRun {
  readonly workflowId: string;
  readonly runId: string;
  /** The ids of the steps that lead to this workflow, if it is an inner one. */
  readonly path: readonly string[];
  /** The item of `.foreach` that this workflow runs for. */
  readonly item: ItemPosition | undefined;
  readonly outermost: LiveRun | undefined;
  readonly mastra: AnyMastra;
  readonly validatesInputs: boolean;
  readonly validatesOutputs: boolean;
  /** The steps at which this run is resumed, and their resume data. */
  readonly resumed: readonly ResumedStep[];
  /** A segment drives it: an answer that does not fit fails nothing, and its question is open again. */
  readonly isDriven: boolean;
  /** It has failed before, and is tried again. */
  readonly isRetry: boolean;
  /** The thrown errors by step; the saved ones have fewer fields. */
  readonly errors: Map<string, unknown>;
  /** The failure that ended the run. */
  failure: { readonly error: unknown } | undefined;
  /** The state; set by the first node. */
  state: FlowState | undefined;
  /** What is aborted to stop the run; set by the first node. */
  scope: Scope | undefined;
  /** Why the run was aborted, perhaps before its first node. */
  aborted: { readonly reason: unknown } | undefined;
  abort(): void;
  /** Those who get its events. */
  readonly watchers: ReadonlySet<unknown>;
  emit(event: WorkflowEvent): void;
}

/** A step that gets an answer. */
export interface ResumedStep {
  readonly path: readonly string[];
  readonly data: unknown;
}

type GivenParts = "workflowId" | "runId" | "mastra" | "resumed" | "isDriven" | "validatesInputs" | "validatesOutputs";

/** A run that has not begun in this process. */
export function newLiveRun(
  given: Pick<LiveRun, GivenParts | "abort" | "watchers" | "emit"> &
    Partial<Pick<LiveRun, "path" | "item" | "outermost" | "isRetry">>,
): LiveRun {
  return {
    path: [],
    item: undefined,
    outermost: undefined,
    isRetry: false,
    ...given,
    errors: new Map(),
    failure: undefined,
    state: undefined,
    scope: undefined,
    aborted: undefined,
  };
}

/** The position of an item of `.foreach`. */
export interface ItemPosition {
  readonly index: number;
}

/** A run and its state. */
export interface Flow {
  readonly live: LiveRun;
  readonly state: FlowState;
}

/** Returns the run that a node belongs to. */
export function flowOf(ctx: NodeContext): Flow {
  const { run } = ctx.options as { readonly run: LiveRun };
  if (run.state === undefined) {
    run.state = ctx.state as FlowState;
    if (run.outermost === undefined && ctx instanceof Context) run.scope = ctx.scope;
    if (run.aborted !== undefined) throw run.aborted.reason;
  }
  return { live: run, state: run.state };
}

/** Stops a run. No signal is made for it, which would cost more than a short run. */
export function abortRun(run: LiveRun, reason: unknown): void {
  run.aborted ??= { reason };
  run.scope?.abort(reason);
}

/** The values that the steps of a run share. */
export function sharedOf({ live, state }: Flow): Record<string, unknown> {
  return (live.outermost?.state ?? state).shared;
}

export function setShared({ live, state }: Flow, values: unknown): void {
  if (!isPlainObject(values)) {
    throw invalidStep(`setState takes an object with some of the shared values (got ${kindOf(values)}).`);
  }
  const owner = live.outermost?.state ?? state;
  owner.shared = { ...owner.shared, ...values };
}
