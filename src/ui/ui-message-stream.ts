import type { AgentEvent } from "../agents/agent-event.js";
import { checkOptions } from "../check-options.js";
import { messageOf } from "../errors.js";
import type { StreamSource } from "../schema/stream/source.js";
import { checkEventStream } from "./check-event-stream.js";
import { invalidUiOption } from "./errors.js";
import type { EventEncoder } from "./event-body.js";
import { eventHeaders, eventResponse, type ResponseHeaders, sseEvent } from "./event-response.js";
import { UiChunks } from "./ui-chunks.js";

/** Options of {@link uiMessageStream}. */
export interface UiMessageStreamOptions {
  /** Additional headers for the response. */
  readonly headers?: ResponseHeaders | undefined;
  /** Whether to send the reasoning of the model. @default true */
  readonly sendReasoning?: boolean | undefined;
}

/**
 * Streams the events of an agent as a UI message stream for `useChat` of the AI SDK. Approvals become approval requests of the
 * AI SDK with the id of their interrupt; `readUiRequest` reads the answers. If the client disconnects, the run is aborted, unless
 * it is recorded.
 *
 * @example
 * const response = uiMessageStream(agentEvents, { sendReasoning: false });
 */
export function uiMessageStream(stream: StreamSource<AgentEvent>, options: UiMessageStreamOptions = {}): Response {
  checkEventStream("uiMessageStream", stream);
  checkOptions("uiMessageStream", options, ["headers", "sendReasoning"]);
  const { headers, sendReasoning = true }: UiMessageStreamOptions = options;
  if (typeof sendReasoning !== "boolean") {
    throw invalidUiOption("uiMessageStream", "sendReasoning", "true or false", sendReasoning);
  }
  const own = { "x-vercel-ai-ui-message-stream": "v1" };
  return eventResponse(stream, new UiEncoder(sendReasoning), eventHeaders("uiMessageStream", headers, own));
}

class UiEncoder implements EventEncoder {
  readonly #chunks: UiChunks;
  #hasError = false;

  constructor(sendReasoning: boolean) {
    this.#chunks = new UiChunks(sendReasoning);
  }

  encode(event: AgentEvent): string {
    if (event.type === "error") this.#hasError = true;
    let text = "";
    for (const chunk of this.#chunks.convert(event)) text += sseEvent(chunk);
    return text;
  }

  fail(error: unknown): string {
    return this.#hasError ? "" : sseEvent({ type: "error", errorText: messageOf(error) });
  }

  end(): string {
    return "data: [DONE]\n\n";
  }
}
