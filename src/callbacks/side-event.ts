/** The kind of a side event. */
export type SideEventKind =
  | "progress"
  | "retry"
  | "state_kept"
  | "fallback"
  | "cache_failed"
  | "branch"
  | "model_warning"
  | "cache_hit"
  | "repaired_arguments"
  | "duplicate_call_id"
  | "late_result"
  | "checkpoint_error"
  | "unchecked_schema"
  | "output_validation"
  | "hook_error";

/** The value of `onEvent`: something that happened beside inputs and outputs. `ctx.progress(event)` sends `{ kind: "progress", event }`. */
export interface SideEvent {
  /** The kind of event; further fields depend on it. */
  readonly kind: SideEventKind;
  readonly [field: string]: unknown;
}
