import type { AgentEvent } from "../agents/agent-event.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { invalidUiOption } from "./errors.js";

/** Headers of a response, which come in addition to its own and replace them. */
export type ResponseHeaders = Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/** How events become the text of a response. */
export interface EventEncoder {
  /** May be empty: an event that the format has no word for. */
  encode(event: AgentEvent): string;
  /** What is said when the events break off without a last one. */
  fail(error: unknown): string;
  /** What is said after the last event. */
  end(): string;
}

/**
 * A response that streams events, as fast as they are read. A client that leaves cancels the stream of events; one that is
 * slow holds it up.
 */
export function eventResponse(source: StreamSource<AgentEvent>, encoder: EventEncoder, headers: Headers): Response {
  const events = StreamReader.from<AgentEvent>(source);
  const iterator = events[Symbol.asyncIterator]();
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const text = await nextText(iterator, encoder);
        if (text.value !== "") controller.enqueue(bytes.encode(text.value));
        if (text.done) controller.close();
      },
      async cancel(reason: unknown) {
        await events.cancel(reason ?? new DOMException("The client has left.", "AbortError"));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers });
}

interface NextText {
  readonly value: string;
  readonly done: boolean;
}

/** The next text that is not empty, or the last one. */
async function nextText(iterator: AsyncIterator<AgentEvent>, encoder: EventEncoder): Promise<NextText> {
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true) return { value: encoder.end(), done: true };
      const text = encoder.encode(value);
      if (text !== "") return { value: text, done: false };
    }
  } catch (error) {
    return { value: encoder.fail(error) + encoder.end(), done: true };
  }
}

/** The headers of server-sent events, with others. */
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
    throw invalidUiOption(where, "headers", "headers of a response", given);
  }
}

/** One server-sent event. */
export function sseEvent(data: object, id?: string): string {
  const text = `data: ${JSON.stringify(data)}\n\n`;
  return id === undefined ? text : `id: ${id}\n${text}`;
}
