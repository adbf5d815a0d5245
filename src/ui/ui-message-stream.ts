import type { AgentEvent, EventError } from "../agents/agent-event.js";
import { checkOptions } from "../check-options.js";
import type { StreamSource } from "../schema/stream/source.js";
import { checkEventStream } from "./check-event-stream.js";
import { invalidUiOption } from "./errors.js";
import type { EventEncoder } from "./event-body.js";
import { eventResponse, type ResponseOptions, responseOptionNames, sseEvent } from "./event-response.js";
import { errorChunk, UiChunks } from "./ui-chunks.js";

/** Options of {@link uiMessageStream}. */
export interface UiMessageStreamOptions extends ResponseOptions {
  /** Whether to send the reasoning of the model. @default true */
  readonly sendReasoning?: boolean | undefined;
}

/**
 * Streams the events of an agent as a UI message stream for `useChat` of the AI SDK. Approvals become approval requests of the
 * AI SDK with the id of their interrupt; `readUiRequest` reads the answers. If the client disconnects, the run is aborted, unless
 * it is recorded.
 *
 * @example
 * const response = await uiMessageStream(agentEvents, { sendReasoning: false });
 */
export async function uiMessageStream(
  stream: StreamSource<AgentEvent>,
  options: UiMessageStreamOptions = {},
): Promise<Response> {
  checkEventStream("uiMessageStream", stream);
  checkOptions("uiMessageStream", options, [...responseOptionNames, "sendReasoning"]);
  const { sendReasoning = true } = options;
  if (typeof sendReasoning !== "boolean") {
    throw invalidUiOption("uiMessageStream", "sendReasoning", "true or false", sendReasoning);
  }
  const own = { "x-vercel-ai-ui-message-stream": "v1" };
  return eventResponse(stream, { where: "uiMessageStream", options, encoder: new UiEncoder(sendReasoning), own });
}

class UiEncoder implements EventEncoder {
  readonly #chunks: UiChunks;

  constructor(sendReasoning: boolean) {
    this.#chunks = new UiChunks(sendReasoning);
  }

  encode(event: AgentEvent): string {
    let text = "";
    for (const chunk of this.#chunks.convert(event)) text += sseEvent(chunk);
    return text;
  }

  fail(error: EventError): string {
    return sseEvent(errorChunk(error));
  }

  end(): string {
    return "data: [DONE]\n\n";
  }
}
