import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { StepResult } from "./step-result.js";

/** What is known of every run. */
export interface ResultFields {
  readonly runId: string;
  /** What the workflow was started with. */
  readonly input: unknown;
  /** What became of each step, by its id. */
  readonly steps: Readonly<Record<string, StepResult>>;
  /** The values that the steps share, as they were at the end. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** What a run of a workflow came to. */
export type WorkflowResult<Out = unknown> = ResultFields &
  (
    | { readonly status: "success"; readonly result: Out }
    | { readonly status: "failed"; readonly error: Error }
    | {
        readonly status: "suspended";
        /** The steps that wait, each with the workflows around it. */
        readonly suspended: readonly (readonly string[])[];
        /** With what they were suspended, by the outermost step. */
        readonly suspendPayload: Readonly<Record<string, unknown>>;
        /** Every question, with the id by which it can be answered: `resume({ interruptId, resumeData })`. */
        readonly interrupts: readonly Interrupt[];
      }
    | { readonly status: "canceled" }
  );
