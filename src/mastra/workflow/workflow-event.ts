/** Something that happened in a run of a workflow. */
export interface WorkflowEvent {
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
  readonly runId: string;
  /** `USER` for what a step wrote with its `writer`. */
  readonly from: "WORKFLOW" | "USER";
  readonly payload: WorkflowEventPayload;
}

export interface WorkflowEventPayload {
  /** The step, with the workflows around it: `inner.step`. */
  readonly id?: string | undefined;
  readonly stepName?: string | undefined;
  readonly status?: string | undefined;
  readonly [detail: string]: unknown;
}
