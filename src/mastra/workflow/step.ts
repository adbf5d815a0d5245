import type { NodeContext } from "../../components/context.js";
import type { RequestContext } from "../../components/request-context.js";
import type { AnyStandardSchema, SchemaOutput } from "../../schema/standard-schema.js";
import type { AnyMastra } from "../any-mastra.js";
import type { Untyped } from "../untyped.js";
import type { AcceptedBy, AnySchema, ParsedBy } from "./any-schema.js";
import type { Flow, ItemPosition } from "./flow.js";
import type { StepRef } from "./run-options.js";

/** Options of `suspend`. */
export interface SuspendOptions {
  /** A name of this question, or several, for `resume({ label, resumeData })`. */
  readonly resumeLabel?: string | readonly string[] | undefined;
}

/** Sends values to the watchers of a run. */
export interface StepWriter {
  /** Writes a value to the stream of the run. */
  write(chunk: unknown): Promise<void>;
  /** The same as `write`. */
  custom(chunk: unknown): Promise<void>;
}

/** The argument of `execute` of a step. */
export interface StepParams<
  out In = unknown,
  out Resume = unknown,
  in Suspend = never,
  State = Record<string, Untyped>,
> {
  /** The output of the previous step, validated by the `inputSchema`. */
  readonly inputData: In;
  /** The data passed to `resume`; `undefined` in the first execution. */
  readonly resumeData: Resume | undefined;
  /** The payload passed to `suspend`, once the step is resumed. */
  readonly suspendData: unknown;
  /** The values that all steps of a run share, including those of inner workflows. */
  readonly state: State;
  /** Sets some of the shared values; the others do not change. */
  readonly setState: (values: Partial<State>) => Promise<void>;
  /** Suspends the run until it is resumed; then the step runs again, with `resumeData`. Never returns. */
  readonly suspend: (payload?: Suspend, options?: SuspendOptions) => Promise<never>;
  /** Ends the workflow with this result: `return bail(result)`. */
  readonly bail: (result?: unknown) => never;
  /** Returns the output of an earlier step, or `null` if it did not run. */
  readonly getStepResult: (step: StepRef) => Untyped;
  /** Returns the input of the workflow. */
  readonly getInitData: <Data = Untyped>(workflow?: unknown) => Data;
  /** The Mastra instance that the workflow is registered with. */
  readonly mastra: AnyMastra;
  /** The id of the run. */
  readonly runId: string;
  /** The id of the workflow. */
  readonly workflowId: string;
  /** The values of this request. */
  readonly requestContext: RequestContext;
  /** The older name of `requestContext`. */
  readonly runtimeContext: RequestContext;
  /** Aborted when the run is canceled. */
  readonly abortSignal: AbortSignal;
  /** Cancels the run. */
  readonly abort: () => void;
  /** Writes values to the stream of the run. */
  readonly writer: StepWriter;
  /** The number of earlier attempts of this step. */
  readonly retryCount: number;
  /** The context of the node: for `once`, `progress` and child runs. */
  readonly ctx: NodeContext;
}

export const stepBody: unique symbol = Symbol.for("kumiko/mastra/step-body") as never;

/** One execution of a step. @internal */
export interface StepCall {
  readonly params: StepParams<unknown, unknown, unknown>;
  readonly ctx: NodeContext;
  readonly flow: Flow;
  readonly step: AnyStep;
  /** The item of `.foreach` that the step runs for. */
  readonly item: ItemPosition | undefined;
}

/** A step of a workflow, made with `createStep`. A workflow is a step too. */
export interface Step<in In = never, out Out = unknown> {
  /** The id of the step, its key in results. */
  readonly id: string;
  /** The step's description. */
  readonly description?: string | undefined;
  /** The schema of its input. */
  readonly inputSchema?: AnySchema | undefined;
  /** The schema of its output. */
  readonly outputSchema?: AnySchema | undefined;
  /** The schema of the data with which it is resumed. */
  readonly resumeSchema?: AnySchema | undefined;
  /** The schema of what it passes to `suspend`. */
  readonly suspendSchema?: AnySchema | undefined;
  /** The schema of the part of the state that it uses. */
  readonly stateSchema?: AnySchema | undefined;
  /** The number of retries after a failure. @default `retryConfig.attempts` of the workflow, or 0 */
  readonly retries?: number | undefined;
  /** The input and output types; not set at run time. */
  readonly types?: ((input: In) => Out) | undefined;
  readonly [stepBody]: (call: StepCall) => unknown;
}

/** A step of any type. */
export type AnyStep = Step<never, unknown>;

/** Options of `createStep`. */
export interface StepOptions<
  InputSchema extends AnySchema | undefined,
  OutputSchema extends AnySchema | undefined,
  ResumeSchema extends AnySchema | undefined,
  SuspendSchema extends AnySchema | undefined,
  StateSchema extends AnySchema | undefined,
> {
  /** The key of the step in results; must be unique in a workflow. */
  readonly id: string;
  /** The step's description. */
  readonly description?: string | undefined;
  /** Validates the input; the step fails if it is invalid. */
  readonly inputSchema?: InputSchema | undefined;
  /** Validates the output if the workflow has `validateOutputs: true`. */
  readonly outputSchema?: OutputSchema | undefined;
  /** Validates the data passed to `resume`. */
  readonly resumeSchema?: ResumeSchema | undefined;
  /** Validates the payload passed to `suspend`. */
  readonly suspendSchema?: SuspendSchema | undefined;
  /** The type of `state`; only for types. */
  readonly stateSchema?: StateSchema | undefined;
  /** The number of retries after a failure. @default `retryConfig.attempts` of the workflow, or 0 */
  readonly retries?: number | undefined;
  /** Does the work of the step, and returns its output. */
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
