import type { NodeContext } from "../../components/context.js";
import type { RequestContext } from "../../components/request-context.js";
import type { AnyStandardSchema, SchemaOutput } from "../../schema/standard-schema.js";
import type { AnyMastra } from "../any-mastra.js";
import type { Untyped } from "../untyped.js";
import type { AcceptedBy, AnySchema, ParsedBy } from "./any-schema.js";
import type { Flow, ItemPlace } from "./flow.js";
import type { StepRef } from "./run-options.js";

/** Tells those who watch a run about something on the way. */
export interface StepWriter {
  write(chunk: unknown): Promise<void>;
  custom(chunk: unknown): Promise<void>;
}

/** What `execute` of a step gets. */
export interface StepParams<
  out In = unknown,
  out Resume = unknown,
  in Suspend = never,
  State = Record<string, Untyped>,
> {
  /** What came from the step before, validated by the `inputSchema`. */
  readonly inputData: In;
  /** What the step was resumed with; `undefined` in its first execution. */
  readonly resumeData: Resume | undefined;
  /** What the step was suspended with, once it is resumed. */
  readonly suspendData: unknown;
  /** Values that all steps of a run share, and inner workflows too. */
  readonly state: State;
  /** Sets some of the shared values; others stay. */
  readonly setState: (values: Partial<State>) => Promise<void>;
  /** Stops the run here until it is resumed; then the step runs again, with `resumeData`. It never returns. */
  readonly suspend: (payload?: Suspend) => Promise<never>;
  /** Ends the workflow here, with this result: `return bail(result)`. */
  readonly bail: (result?: unknown) => never;
  /** The output of an earlier step; `null` when it did not run. */
  readonly getStepResult: (step: StepRef) => Untyped;
  /** What the workflow was started with. */
  readonly getInitData: <Data = Untyped>(workflow?: unknown) => Data;
  readonly mastra: AnyMastra;
  readonly runId: string;
  readonly workflowId: string;
  readonly requestContext: RequestContext;
  /** The older name of `requestContext`. */
  readonly runtimeContext: RequestContext;
  readonly abortSignal: AbortSignal;
  /** Cancels the run. */
  readonly abort: () => void;
  readonly writer: StepWriter;
  /** How often this step was tried before. */
  readonly retryCount: number;
  /** The node that runs: for `once`, `progress` and child runs. */
  readonly ctx: NodeContext;
}

export const stepBody: unique symbol = Symbol.for("kumiko/mastra/step-body") as never;

/** One execution of a step. */
export interface StepCall {
  readonly params: StepParams<unknown, unknown, unknown>;
  readonly ctx: NodeContext;
  readonly flow: Flow;
  readonly step: AnyStep;
  /** The item of `.foreach` that it runs for. */
  readonly item: ItemPlace | undefined;
}

/** A step of a workflow, as `createStep` makes it. A workflow is one too. */
export interface Step<in In = never, out Out = unknown> {
  readonly id: string;
  readonly description?: string | undefined;
  readonly inputSchema?: AnySchema | undefined;
  readonly outputSchema?: AnySchema | undefined;
  readonly resumeSchema?: AnySchema | undefined;
  readonly suspendSchema?: AnySchema | undefined;
  readonly stateSchema?: AnySchema | undefined;
  /** How often it is tried again after a failure. @default what the workflow says, else 0 */
  readonly retries?: number | undefined;
  /** What it takes and gives; only in types. */
  readonly types?: ((input: In) => Out) | undefined;
  readonly [stepBody]: (call: StepCall) => unknown;
}

export type AnyStep = Step<never, unknown>;

/** What `createStep` takes to make a step of a function. */
export interface StepOptions<
  InputSchema extends AnySchema | undefined,
  OutputSchema extends AnySchema | undefined,
  ResumeSchema extends AnySchema | undefined,
  SuspendSchema extends AnySchema | undefined,
  StateSchema extends AnySchema | undefined,
> {
  /** Its name in results; one per workflow. */
  readonly id: string;
  readonly description?: string | undefined;
  /** Input that does not fit fails the step. */
  readonly inputSchema?: InputSchema | undefined;
  /** Checked where the workflow says `validateOutputs: true`. */
  readonly outputSchema?: OutputSchema | undefined;
  /** What `resume` is given must fit it. */
  readonly resumeSchema?: ResumeSchema | undefined;
  /** What `suspend` is given must fit it. */
  readonly suspendSchema?: SuspendSchema | undefined;
  readonly stateSchema?: StateSchema | undefined;
  readonly retries?: number | undefined;
  execute(
    params: StepParams<
      ParsedBy<InputSchema>,
      ParsedBy<ResumeSchema>,
      AcceptedBy<SuspendSchema>,
      StateSchema extends AnyStandardSchema ? SchemaOutput<StateSchema> : Record<string, Untyped>
    >,
  ): AcceptedBy<OutputSchema> | Promise<AcceptedBy<OutputSchema>>;
}

export function isStep(value: unknown): value is AnyStep {
  return (typeof value === "object" || typeof value === "function") && value !== null && stepBody in value;
}
