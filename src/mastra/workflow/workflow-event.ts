/** An event of a workflow run. */
export interface WorkflowEvent {
  /** The kind of event. */
  readonly type:
    | "workflow-start"
    | "workflow-step-start"
    | "workflow-step-result"
    | "workflow-step-suspended"
    | "workflow-step-waiting"
    | "workflow-step-progress"
    | "workflow-step-output"
    | "workflow-finish"
    | "workflow-canceled";
  /** The id of the run. */
  readonly runId: string;
  /** `"USER"` for values that a step wrote with its `writer`. */
  readonly from: "WORKFLOW" | "USER";
  /** The details, which depend on `type`. */
  readonly payload: WorkflowEventPayload;
}

/** The details of an event, which depend on its `type`. */
export interface WorkflowEventPayload {
  /** The path of the step, such as `inner.step`. */
  readonly id?: string | undefined;
  /** The name of the step. */
  readonly stepName?: string | undefined;
  /** How far the step or the workflow is. */
  readonly status?: string | undefined;
  readonly [detail: string]: unknown;
}
