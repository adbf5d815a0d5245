import type { AgentEvent, EventError } from "../agents/agent-event.js";
import { checkOptions } from "../check-options.js";
import type { StreamSource } from "../schema/stream/source.js";
import { checkEventStream } from "./check-event-stream.js";
import type { EventEncoder } from "./event-body.js";
import { eventResponse, type ResponseOptions, responseOptionNames, sseEvent } from "./event-response.js";

/** Options of {@link sse}. */
export type SseOptions = ResponseOptions;

/**
 * Streams the events of an agent as server-sent events, each with one event as JSON and the id `<run>:<seq>`. Browsers read it
 * with `EventSource`, which sends the last id as `Last-Event-ID` when it reconnects: pass it to `eventLog(store).replay`. If the
 * client disconnects, the run is aborted, unless it is recorded.
 *
 * @example
 * const response = await sse(agentEvents, { headers: { "access-control-allow-origin": "*" } });
 */
export async function sse(stream: StreamSource<AgentEvent>, options: SseOptions = {}): Promise<Response> {
  checkEventStream("sse", stream);
  checkOptions("sse", options, responseOptionNames);
  return eventResponse(stream, { where: "sse", options, encoder: new SseEncoder() });
}

class SseEncoder implements EventEncoder {
  #run = "";
  #seq = -1;
  #path: readonly string[] = [];

  encode(event: AgentEvent): string {
    // a replay may hold several runs of a turn
    if (this.#run === "" || (event.type === "start" && event.agentPath.length < 2)) {
      this.#run = event.runId;
      this.#path = event.agentPath.slice(0, 1);
    }
    this.#seq = event.seq;
    return sseEvent(event, `${this.#run}:${event.seq}`);
  }

  fail(error: EventError): string {
    const fields = { seq: this.#seq + 1, runId: this.#run, agentPath: this.#path, step: 0 };
    return sseEvent({ ...fields, type: "error", error } satisfies AgentEvent);
  }

  end(): string {
    return "";
  }
}
