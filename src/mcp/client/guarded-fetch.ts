import { KumikoError } from "../../errors.js";
import { hasMethod, isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMcpOption, responseTooLarge } from "../errors.js";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The size limit of a response, and of each event in a stream. */
export const maxResponseBytes = 16 * 1024 * 1024;

/** A network failure: the request got no response, or its response broke off. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/**
 * A `fetch` that sends the configured headers only to the origin of the endpoint, even after a redirect, and limits the size
 * of responses and events. (Headers of an `authProvider` are up to the SDK, which does not follow redirects to other origins.)
 * Calls `onStreamEnd` when a stream ends that does not belong to one request.
 */
export function guardedFetch(
  endpoint: URL,
  headers: Readonly<Record<string, string>>,
  base: Fetch = fetch,
  onStreamEnd?: (error: Error) => void,
): Fetch {
  return async (url, init) => {
    const sent = new Headers(init?.headers);
    if (new URL(url).origin === endpoint.origin) {
      for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
    }
    let response: Response;
    try {
      response = await base(url, { ...init, headers: sent });
    } catch (cause) {
      if (init?.signal?.aborted) throw cause;
      throw new Unreachable(`The request to ${new URL(url).origin} failed: ${causeOf(cause)}`, { cause });
    }
    if (typeof response?.status !== "number" || !hasMethod(response.headers, "get"))
      throw invalidMcpOption(`The option fetch of an MCP server must return a Response (got ${kindOf(response)}).`);
    return limitedResponse(response, init?.body, onStreamEnd);
  };
}

/** The message "fetch failed" is useless; its cause says what went wrong. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code: unknown = Reflect.get(cause, "code");
  return cause.message !== "" ? cause.message : typeof code === "string" ? code : error.message;
}

function limitedResponse(response: Response, request: unknown, onStreamEnd?: (error: Error) => void): Response {
  if (!response.ok || response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const { status, statusText, headers } = response;
  const body = isStream ? limitedEvents(response.body, requestIdOf(request), onStreamEnd) : limitedBody(response.body);
  return new Response(body, { status, statusText, headers });
}

/** Passes the body on, up to the size limit. */
function limitedBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let count = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((cause) => {
          throw isAbort(cause) ? cause : new Unreachable("The response was cut off.", { cause });
        });
        if (done) return controller.close();
        count += value.byteLength;
        if (count <= maxResponseBytes) return controller.enqueue(value);
        await reader.cancel().catch(() => undefined);
        throw responseTooLarge(maxResponseBytes);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The id of a request that expects one answer; `undefined` for a stream of change notifications. */
function requestIdOf(request: unknown): string | number | undefined {
  if (typeof request !== "string") return undefined;
  try {
    const message: unknown = JSON.parse(request);
    const { id, method } = isFields(message) ? message : {};
    const isRequest = typeof method === "string" && method !== "subscriptions/listen";
    return isRequest && (typeof id === "string" || typeof id === "number") ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Marks an error that replaces an answer which can no longer arrive. */
export const streamEnded = "kumiko: the stream has ended";

/**
 * Passes events on, each up to the size limit. If a stream ends before the answer to its request, the request would wait until
 * its timeout, so an error is sent in place of the answer. (If the answer was already there, the SDK ignores the error.) A
 * stream with event ids is left alone, because the SDK resumes it.
 */
function limitedEvents(
  body: ReadableStream<Uint8Array>,
  id: string | number | undefined,
  onStreamEnd?: (error: Error) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const lines = new EventLines();
  const end = (controller: ReadableStreamDefaultController<Uint8Array>, error: Error): void => {
    if (id === undefined) {
      onStreamEnd?.(error instanceof KumikoError ? error : new Unreachable(error.message, { cause: error }));
      controller.error(error);
      return;
    }
    const data = error instanceof KumikoError ? undefined : streamEnded;
    const answer = JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: error.message, data } });
    controller.enqueue(new TextEncoder().encode(`\n\ndata: ${answer}\n\n`));
    controller.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            const isOver = id === undefined ? onStreamEnd === undefined : lines.hasIds;
            if (isOver) controller.close();
            else end(controller, new Error("The server ended the stream without an answer."));
          } else if (lines.push(value) <= maxResponseBytes) controller.enqueue(value);
          else {
            end(controller, responseTooLarge(maxResponseBytes));
            await reader.cancel().catch(() => undefined);
          }
        } catch (error) {
          if (isAbort(error) || lines.hasIds) controller.error(error);
          else end(controller, new Error("The stream was cut off before the answer.", { cause: error }));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

const lineFeed = 10;
const carriageReturn = 13;
const idField = [105, 100, 58]; // id:

/** Measures the current event, and notes whether events have ids. */
class EventLines {
  hasIds = false;
  #length = 0;
  #column = 0;
  #matched = 0;

  push(chunk: Uint8Array): number {
    for (const [index, byte] of chunk.entries()) {
      if (byte === carriageReturn) continue;
      if (byte === lineFeed) {
        if (this.#column === 0) this.#length = -index - 1;
        this.#column = 0;
        this.#matched = 0;
        continue;
      }
      if (this.#column === this.#matched && byte === idField[this.#matched]) {
        this.#matched += 1;
        if (this.#matched === idField.length) this.hasIds = true;
      }
      this.#column += 1;
    }
    this.#length += chunk.byteLength;
    return this.#length;
  }
}
