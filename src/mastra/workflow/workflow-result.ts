import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { StepResult } from "./step-result.js";

/** The fields of every workflow result. @internal */
export interface ResultFields {
  /** The id of the run. */
  readonly runId: string;
  /** The input of the workflow. */
  readonly input: unknown;
  /** The result of each step, by id. */
  readonly steps: Readonly<Record<string, StepResult>>;
  /** The values that the steps share, as they were when the run stopped. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** The result of a workflow run. */
export type WorkflowResult<Out = unknown> = ResultFields &
  (
    | {
        /** How the run ended, or that it is suspended. */
        readonly status: "success";
        /** The output of the workflow. */
        readonly result: Out;
      }
    | { readonly status: "failed"; readonly error: Error }
    | {
        readonly status: "suspended";
        /** The paths of the suspended steps, such as `["inner", "step"]`. */
        readonly suspended: readonly (readonly string[])[];
        /** The payloads passed to `suspend`, by the outermost step. */
        readonly suspendPayload: Readonly<Record<string, unknown>>;
        /** Every interrupt; its id can be passed to `resume({ interruptId, resumeData })`. */
        readonly interrupts: readonly Interrupt[];
      }
    | { readonly status: "canceled" }
  );
