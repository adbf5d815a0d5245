import type { RunOptions } from "../../compose/options.js";
import type { RequestOptions } from "../call-values.js";

/** A step or its id. @internal */
export type StepRef = string | { readonly id: string };

/** Options of every method that runs a workflow. */
export interface WorkflowCallOptions extends RequestOptions, Pick<RunOptions, "callbacks" | "timeoutMs"> {
  /** Stops the run; it is then canceled. */
  readonly abortSignal?: AbortSignal | undefined;
  /** The same as `abortSignal`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `run.start`. */
export interface StartOptions<In = unknown> extends WorkflowCallOptions {
  /** The input, validated by the `inputSchema` of the workflow before the first step runs. */
  readonly inputData?: In | undefined;
  /** The initial values that the steps share. */
  readonly initialState?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of `run.restart`. */
export interface RestartOptions extends WorkflowCallOptions {
  /** Takes the run over from a process that may still have it, such as one that hangs. @default false */
  readonly takeover?: boolean | undefined;
}

/** Options of `run.resume`. */
export interface ResumeOptions extends RestartOptions {
  /** The step to resume, or the path to it through inner workflows. Not needed if only one step is suspended. */
  readonly step?: StepRef | readonly StepRef[] | undefined;
  /** The data for the step, validated by its `resumeSchema`. */
  readonly resumeData?: unknown;
  /** The label that the step gave with `suspend(payload, { resumeLabel })`, in place of the step. */
  readonly label?: string | undefined;
  /** The index of the item of `.foreach` to resume. Needed if several items wait. */
  readonly forEachIndex?: number | undefined;
  /** The id of one interrupt in `interrupts` of the result, if a step has several. */
  readonly interruptId?: string | undefined;
}
