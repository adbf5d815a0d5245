import type { Flow } from "./flow.js";
import { asError, type StepResult, savedError } from "./step-result.js";
import type { WorkflowEvent } from "./workflow-event.js";

/**
 * Saves the status of a step in the results of its run, and emits events to watchers. Results are frozen: each save compares what
 * could have changed with what it was, and a run has a result for each of its steps.
 */
export class StepLog {
  readonly #flow: Flow;
  readonly #id: string;

  constructor(flow: Flow, id: string) {
    this.#flow = flow;
    this.#id = id;
  }

  began(payload: unknown, resumed?: { readonly data: unknown }): void {
    const previous = this.#flow.state.steps[this.#id];
    const isResumed = previous?.status === "suspended" || resumed !== undefined;
    this.#note({
      status: "running",
      payload,
      startedAt: isResumed && previous !== undefined ? previous.startedAt : Date.now(),
      ...(resumed !== undefined && { resumePayload: resumed.data, resumedAt: Date.now() }),
    });
    this.#emitStatus("workflow-step-start");
  }

  succeeded(output: unknown, status: "success" | "bailed" = "success"): void {
    this.#change({ status, output, endedAt: Date.now() });
    this.#emitStatus("workflow-step-result");
  }

  failed(thrown: unknown): void {
    this.#flow.live.errors.set(this.#id, asError(thrown));
    this.#change({ status: "failed", error: savedError(thrown), endedAt: Date.now() });
    this.#emitStatus("workflow-step-result");
  }

  suspended(suspendPayload: unknown): void {
    this.#change({ status: "suspended", suspendPayload, suspendedAt: Date.now() });
    this.#emitStatus("workflow-step-suspended");
  }

  waits(payload: unknown): void {
    this.#note({ status: "waiting", payload, startedAt: Date.now() });
    this.#emitStatus("workflow-step-waiting");
  }

  wrote(output: unknown): void {
    this.#emit({ type: "workflow-step-output", from: "USER", output });
  }

  /** Reports that an item of `.foreach` has ended. */
  progressed(done: number, total: number): void {
    this.#emit({ type: "workflow-step-progress", from: "WORKFLOW", completedCount: done, totalCount: total });
  }

  #change(fields: Partial<StepResult> & Pick<StepResult, "status">): void {
    this.#note({ payload: undefined, startedAt: Date.now(), ...this.#flow.state.steps[this.#id], ...fields });
  }

  #note(result: StepResult): void {
    this.#flow.state.steps[this.#id] = Object.freeze(result);
  }

  #emitStatus(type: WorkflowEvent["type"]): void {
    if (this.#flow.live.watchers.size > 0) this.#emit({ type, from: "WORKFLOW", ...this.#flow.state.steps[this.#id] });
  }

  #emit({ type, from, ...details }: Pick<WorkflowEvent, "type" | "from"> & Readonly<Record<string, unknown>>): void {
    const { live } = this.#flow;
    const id = [...live.path, this.#id].join(".");
    live.emit({ type, runId: live.runId, from, payload: { stepName: id, id, ...details } });
  }
}
