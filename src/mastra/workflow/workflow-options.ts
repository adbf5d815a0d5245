import type { Handler } from "../../callbacks/handler.js";
import type { Runtime } from "../../compose/runtime.js";
import type { AnySchema } from "./any-schema.js";
import type { AnyStep } from "./step.js";

/** What a workflow is made of. */
export interface WorkflowOptions<
  InputSchema extends AnySchema | undefined = AnySchema | undefined,
  OutputSchema extends AnySchema | undefined = AnySchema | undefined,
> {
  /** Its name where it is a step of another one, and in checkpoints. */
  readonly id: string;
  /** What it is for: needed where it becomes a tool of an `MCPServer`. */
  readonly description?: string | undefined;
  /** Input that does not fit never starts a run. */
  readonly inputSchema?: InputSchema | undefined;
  /** The schema of the output. Not checked unless `validateOutputs` is set for its steps. */
  readonly outputSchema?: OutputSchema | undefined;
  /** What `initialState` of a run must be. */
  readonly stateSchema?: AnySchema | undefined;
  /** The steps that it will have. */
  readonly steps?: readonly AnyStep[] | undefined;
  /** How often a step is tried again that fails, and after how many milliseconds. @default no times */
  readonly retryConfig?: { readonly attempts?: number | undefined; readonly delay?: number | undefined } | undefined;
  /** Whether the outputs of steps are checked by their `outputSchema`. @default false */
  readonly validateOutputs?: boolean | undefined;
  readonly options?:
    | {
        /** Whether inputs are checked by their `inputSchema`. @default true */
        readonly validateInputs?: boolean | undefined;
        readonly validateOutputs?: boolean | undefined;
      }
    | undefined;
  /** When a run is saved: where it stops, or after each step too. @default "exit" */
  readonly durability?: "exit" | "step" | undefined;
  readonly callbacks?: readonly Handler[] | undefined;
  readonly runtime?: Runtime | undefined;
}
