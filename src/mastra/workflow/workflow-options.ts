import type { Handler } from "../../callbacks/handler.js";
import type { Runtime } from "../../compose/runtime.js";
import type { AnySchema } from "./any-schema.js";
import type { AnyStep } from "./step.js";

/** Options of `createWorkflow`. */
export interface WorkflowOptions<
  InputSchema extends AnySchema | undefined = AnySchema | undefined,
  OutputSchema extends AnySchema | undefined = AnySchema | undefined,
> {
  /** The name of the workflow in checkpoints, and as a step of another workflow. */
  readonly id: string;
  /** The purpose of the workflow. Required if it becomes a tool of an `MCPServer`. */
  readonly description?: string | undefined;
  /** Validates the input before a run starts. */
  readonly inputSchema?: InputSchema | undefined;
  /** The schema of the output. Not checked unless `validateOutputs` is set for its steps. */
  readonly outputSchema?: OutputSchema | undefined;
  /** Validates `initialState` of a run. */
  readonly stateSchema?: AnySchema | undefined;
  /** The steps of the workflow; only checked for duplicate ids. */
  readonly steps?: readonly AnyStep[] | undefined;
  /** The number of retries of failed steps, and the delay between them in milliseconds. @default no retries */
  readonly retryConfig?: { readonly attempts?: number | undefined; readonly delay?: number | undefined } | undefined;
  /** Whether the outputs of steps are validated by their `outputSchema`. @default false */
  readonly validateOutputs?: boolean | undefined;
  /** More options of the workflow. */
  readonly options?:
    | {
        /** Whether inputs are validated by their `inputSchema`. @default true */
        readonly validateInputs?: boolean | undefined;
        /** The same as the option `validateOutputs` of the workflow, which wins. */
        readonly validateOutputs?: boolean | undefined;
      }
    | undefined;
  /** When a run is saved: `"exit"` only when it stops, `"step"` also after each step. @default "exit" */
  readonly durability?: "exit" | "step" | undefined;
  /** Handlers for every run. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** The runtime of the runs. @default the default runtime */
  readonly runtime?: Runtime | undefined;
}
