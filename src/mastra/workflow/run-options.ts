import type { RunOptions } from "../../compose/options.js";
import type { RequestOptions } from "../call-values.js";

/** A step by itself or by its id. */
export type StepRef = string | { readonly id: string };

/** What every call of a run may be told. */
export interface WorkflowCallOptions extends RequestOptions, Pick<RunOptions, "callbacks" | "timeoutMs"> {
  readonly abortSignal?: AbortSignal | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of `run.start`. */
export interface StartOptions<In = unknown> extends WorkflowCallOptions {
  /** Validated by the `inputSchema` of the workflow before anything runs. */
  readonly inputData?: In | undefined;
  /** The values that the steps share, at first. */
  readonly initialState?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of `run.resume`. */
export interface ResumeOptions extends WorkflowCallOptions {
  /** Which step goes on, with the workflows around it. Not needed where only one place waits. */
  readonly step?: StepRef | readonly StepRef[] | undefined;
  readonly resumeData?: unknown;
  /** Which item of `.foreach`. */
  readonly forEachIndex?: number | undefined;
  /** One question of several in the same step: its id in `interrupts` of the result. */
  readonly interruptId?: string | undefined;
}
