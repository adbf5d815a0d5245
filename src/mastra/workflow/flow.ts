import type { NodeContext } from "../../components/context.js";
import type { AnyMastra } from "../any-mastra.js";
import type { StepResult } from "./step-result.js";
import type { WorkflowEvent } from "./workflow-event.js";

/** What a run of a workflow remembers: the state of its graph, saved with it. */
export interface FlowState {
  /** What the workflow was started with. */
  input: unknown;
  steps: Record<string, StepResult>;
  /** The values that the steps of a run share. Those of an inner workflow are in the outermost one. */
  shared: Record<string, unknown>;
  /** What ended the workflow early. */
  bailed?: { readonly value: unknown } | undefined;
  /** How many turns loops have made, and whether they go on. */
  turns: Record<string, number>;
  repeats: Record<string, boolean>;
}

export function newFlowState(): FlowState {
  return { input: undefined, steps: {}, shared: {}, turns: {}, repeats: {} };
}

/** A run of a workflow in this process. Nodes find it in their call options. */
export interface LiveRun {
  readonly workflowId: string;
  readonly runId: string;
  /** The steps on the way to this workflow, when it is inside another one. */
  readonly path: readonly string[];
  /** The item of `.foreach` that it runs for. */
  readonly item: ItemPlace | undefined;
  readonly outermost: LiveRun | undefined;
  readonly mastra: AnyMastra;
  readonly validatesInputs: boolean;
  readonly validatesOutputs: boolean;
  /** Which step this run is resumed at, and with what. */
  readonly resumed: { readonly path: readonly string[]; readonly data: unknown } | undefined;
  /** The errors themselves; what is saved of them is less. */
  readonly errors: Map<string, unknown>;
  /** The first failure that ended it. */
  failure: { readonly error: unknown } | undefined;
  /** There from the first node on. */
  state: FlowState | undefined;
  abort(): void;
  /** Whether anybody is told of events. */
  readonly isWatched: boolean;
  emit(event: WorkflowEvent): void;
}

/** Which item of a list, and which of those items wait together. */
export interface ItemPlace {
  readonly index: number;
  readonly batch: number;
}

/** A run, with what it remembers. */
export interface Flow {
  readonly live: LiveRun;
  readonly state: FlowState;
}

/** The run that a node belongs to. */
export function flowOf(ctx: NodeContext): Flow {
  const { run } = ctx.options as { readonly run: LiveRun };
  if (run.state === undefined) run.state = ctx.state as FlowState;
  return { live: run, state: run.state };
}

/** The values that the steps of a run share. */
export function sharedOf({ live, state }: Flow): Record<string, unknown> {
  return (live.outermost?.state ?? state).shared;
}

export function setShared({ live, state }: Flow, values: Record<string, unknown>): void {
  const owner = live.outermost?.state ?? state;
  owner.shared = { ...owner.shared, ...values };
}
