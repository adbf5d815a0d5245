import type { AgentEvent, EventError } from "../agents/agent-event.js";
import { checkOptions } from "../check-options.js";
import type { StreamSource } from "../schema/stream/source.js";
import { AgUiEvents, runError } from "./ag-ui-events.js";
import { checkEventStream } from "./check-event-stream.js";
import { invalidUiOption } from "./errors.js";
import type { EventEncoder } from "./event-body.js";
import { eventResponse, type ResponseOptions, responseOptionNames, sseEvent } from "./event-response.js";

/** Options of {@link agUi}. */
export interface AgUiOptions extends ResponseOptions {
  /** The thread id of the client, as `readAgUiRequest` returns it. */
  readonly threadId: string;
  /** The run id of the client, as `readAgUiRequest` returns it. */
  readonly runId: string;
}

/**
 * Streams the events of an agent as a response in AG-UI 1.0, for CopilotKit and other clients of that protocol. Inner agents
 * become subagents, and a waiting run ends with the outcome `interrupt`; `readAgUiRequest` reads the requests of the client. If
 * the client disconnects, the run is aborted, unless it is recorded.
 *
 * @example
 * const response = await agUi(agentEvents, { threadId: "u-1", runId: "run-7" });
 */
export async function agUi(stream: StreamSource<AgentEvent>, options: AgUiOptions): Promise<Response> {
  checkEventStream("agUi", stream);
  checkOptions("agUi", options, [...responseOptionNames, "threadId", "runId"]);
  const { threadId, runId } = options;
  for (const [name, id] of Object.entries({ threadId, runId })) {
    if (typeof id !== "string" || id === "") throw invalidUiOption("agUi", name, "the id that the client sent", id);
  }
  return eventResponse(stream, { where: "agUi", options, encoder: new AgUiEncoder({ threadId, runId }) });
}

class AgUiEncoder implements EventEncoder {
  readonly #events: AgUiEvents;

  constructor(run: { readonly threadId: string; readonly runId: string }) {
    this.#events = new AgUiEvents(run);
  }

  encode(event: AgentEvent): string {
    let text = "";
    for (const converted of this.#events.convert(event)) text += sseEvent(converted);
    return text;
  }

  fail(error: EventError): string {
    return sseEvent(runError(error));
  }

  end(): string {
    return "";
  }
}
