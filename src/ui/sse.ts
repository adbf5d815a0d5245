import { type AgentEvent, errorEvent } from "../agents/agent-event.js";
import { checkOptions } from "../check-options.js";
import type { StreamSource } from "../schema/stream/source.js";
import { checkEventStream } from "./check-event-stream.js";
import type { EventEncoder } from "./event-body.js";
import { eventHeaders, eventResponse, type ResponseHeaders, sseEvent } from "./event-response.js";

/** Options of {@link sse}. */
export interface SseOptions {
  /** Additional headers for the response. */
  readonly headers?: ResponseHeaders | undefined;
}

/**
 * Streams the events of an agent as server-sent events, each with one event as JSON and the id `<run>:<seq>`. Browsers read it
 * with `EventSource`, which sends the last id as `Last-Event-ID` when it reconnects: pass it to `eventLog(store).replay`. If the
 * client disconnects, the run is aborted, unless it is recorded.
 *
 * @example
 * const response = sse(agentEvents, { headers: { "access-control-allow-origin": "*" } });
 */
export function sse(stream: StreamSource<AgentEvent>, options: SseOptions = {}): Response {
  checkEventStream("sse", stream);
  checkOptions("sse", options, ["headers"]);
  return eventResponse(stream, new SseEncoder(), eventHeaders("sse", options.headers, {}));
}

class SseEncoder implements EventEncoder {
  #run = "";
  #seq = -1;
  #path: readonly string[] = [];
  #hasError = false;

  encode(event: AgentEvent): string {
    if (this.#run === "") {
      this.#run = event.runId;
      this.#path = event.agentPath.slice(0, 1);
    }
    this.#seq = event.seq;
    if (event.type === "error") this.#hasError = true;
    return sseEvent(event, `${this.#run}:${event.seq}`);
  }

  fail(error: unknown): string {
    if (this.#hasError) return "";
    const fields = { seq: this.#seq + 1, runId: this.#run, agentPath: this.#path, step: 0 };
    return sseEvent({ ...fields, type: "error", error: errorEvent(error) } satisfies AgentEvent);
  }

  end(): string {
    return "";
  }
}
