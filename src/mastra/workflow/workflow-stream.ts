import { StreamReader } from "../../schema/stream/reader.js";
import type { EventChannel } from "./event-channel.js";
import type { WorkflowEvent } from "./workflow-event.js";
import type { WorkflowResult } from "./workflow-result.js";

/**
 * The events of a workflow run. The run has already started, and continues if the loop is left early.
 *
 * @example
 * import { createStep, createWorkflow } from "kumiko/mastra";
 *
 * const find = createStep({ id: "find", execute: async ({ inputData }) => inputData.city });
 * const workflow = createWorkflow({ id: "search" }).then(find).commit();
 * const stream = workflow.createRun().stream({ inputData: { city: "Kyoto" } });
 * for await (const { type, payload } of stream.fullStream) console.log(type, payload.id);
 * console.log((await stream.result).status);
 */
export class WorkflowStream<Out = unknown> extends StreamReader<WorkflowEvent> {
  readonly runId: string;
  readonly workflowId: string;
  /** The result of the run. */
  readonly result: Promise<WorkflowResult<Out>>;
  #status: WorkflowResult["status"] | "running" = "running";

  constructor(
    { runId, workflowId }: { readonly runId: string; readonly workflowId: string },
    channel: EventChannel,
    result: Promise<WorkflowResult<Out>>,
  ) {
    super(channel);
    this.runId = runId;
    this.workflowId = workflowId;
    this.result = result;
    result.then(
      ({ status }) => {
        this.#status = status;
      },
      () => {
        this.#status = "failed";
      },
    );
  }

  /** The events; the stream itself. */
  get fullStream(): this {
    return this;
  }

  get status(): WorkflowResult["status"] | "running" {
    return this.#status;
  }
}
