import type { AgentEvent } from "../agents/agent-event.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { invalidUiOption } from "./errors.js";
import { EventBody, type EventEncoder } from "./event-body.js";

/** Headers that are added to those of the response, and override them. */
export type ResponseHeaders = Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/**
 * A response that streams events. A client that disconnects cancels the event stream; a slow one applies backpressure.
 */
export function eventResponse(source: StreamSource<AgentEvent>, encoder: EventEncoder, headers: Headers): Response {
  const body = new EventBody(StreamReader.from<AgentEvent>(source), encoder);
  return new Response(new ReadableStream(body, { highWaterMark: 0 }), { headers });
}

/** The headers of a response with server-sent events. */
export function eventHeaders(where: string, given: ResponseHeaders | undefined, own: Record<string, string>): Headers {
  const headers = new Headers({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...own,
  });
  for (const [name, value] of readHeaders(where, given)) headers.set(name, value);
  return headers;
}

function readHeaders(where: string, given: ResponseHeaders | undefined): Headers {
  try {
    return new Headers(given as HeadersInit | undefined);
  } catch {
    throw invalidUiOption(where, "headers", "valid response headers", given);
  }
}

/** Formats one server-sent event. */
export function sseEvent(data: object, id?: string): string {
  const text = `data: ${JSON.stringify(data)}\n\n`;
  return id === undefined ? text : `id: ${id}\n${text}`;
}
