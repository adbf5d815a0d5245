/** What a side event is about. */
export type SideEventKind =
  | "progress"
  | "retry"
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

/** What `onEvent` is told: what happened beside inputs and outputs. `ctx.progress(event)` gives `{ kind: "progress", event }`. */
export interface SideEvent {
  readonly kind: SideEventKind;
  readonly [field: string]: unknown;
}
