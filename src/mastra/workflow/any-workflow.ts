import type { SavedRun, SegmentOptions } from "../../compose/segment.js";
import type { Untyped } from "../untyped.js";
import type { AnySchema } from "./any-schema.js";
import type { ResumeOptions, StartOptions } from "./run-options.js";
import type { WorkflowEvent } from "./workflow-event.js";
import type { WorkflowResult } from "./workflow-result.js";
import type { WorkflowStream } from "./workflow-stream.js";

/** A run of any workflow. */
export interface AnyWorkflowRun {
  /** The id of the run. */
  readonly runId: string;
  /** The id of the workflow. */
  readonly workflowId: string;
  /** Runs until the end, or until a step is suspended. */
  start(options?: StartOptions<Untyped>): Promise<WorkflowResult<Untyped>>;
  /** Resumes a suspended run. */
  resume(options?: ResumeOptions): Promise<WorkflowResult<Untyped>>;
  /** Like `start`, but returns the events as they happen. */
  stream(options?: StartOptions<Untyped>): WorkflowStream<Untyped>;
  /** Like `resume`, but returns the events as they happen. */
  resumeStream(options?: ResumeOptions): WorkflowStream<Untyped>;
  /** Calls back with each event; returns a function that ends this. */
  watch(watcher: (event: WorkflowEvent) => void): () => void;
  /** Cancels the run. */
  cancel(): Promise<void>;
}

/** A {@link Workflow} of any type, as `getWorkflow` of a step or tool returns it. */
export interface AnyWorkflow {
  /** The id of the workflow. */
  readonly id: string;
  /** The workflow's description. */
  readonly description?: string | undefined;
  /** The schema of its input. */
  readonly inputSchema?: AnySchema | undefined;
  /** The schema of its output. */
  readonly outputSchema?: AnySchema | undefined;
  /** Creates a run, which can then be started. */
  createRun(options?: { readonly runId?: string | undefined }): AnyWorkflowRun;
  /** The same, as a promise. */
  createRunAsync(options?: { readonly runId?: string | undefined }): Promise<AnyWorkflowRun>;
  /** Drives a run to its next pause or end; its id begins with that of the workflow and a slash. */
  segment(id: string, options?: SegmentOptions<never>): Promise<SavedRun>;
}
