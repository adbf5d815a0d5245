import { KumikoError } from "../../errors.js";
import { isFields } from "../../is.js";
import { responseTooLarge } from "../errors.js";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The size limit of an answer and of an event. */
export const largestAnswer = 16 * 1024 * 1024;

/** A request that no server has answered: the network, and not the protocol, has failed. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/**
 * Sends the given headers to one origin only, wherever it is sent on, and reads no answer or event without an end. (What an
 * `authProvider` sends to whom is up to the SDK, which follows no redirect to another origin.) `onStreamEnd` is told of the end
 * of a stream that was opened for no single answer.
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
    return limited(response, init?.body, onStreamEnd);
  };
}

/** `fetch failed` says nothing: what it was stands in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code: unknown = Reflect.get(cause, "code");
  return cause.message !== "" ? cause.message : typeof code === "string" ? code : error.message;
}

function limited(response: Response, request: unknown, onStreamEnd?: (error: Error) => void): Response {
  if (!response.ok || response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const { status, statusText, headers } = response;
  const body = isStream ? events(response.body, idOf(request), onStreamEnd) : counted(response.body);
  return new Response(body, { status, statusText, headers });
}

/** The same body, up to a size. */
function counted(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let count = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((cause) => {
          throw isAbort(cause) ? cause : new Unreachable("The answer was cut off.", { cause });
        });
        if (done) return controller.close();
        count += value.byteLength;
        if (count <= largestAnswer) return controller.enqueue(value);
        await reader.cancel().catch(() => undefined);
        throw responseTooLarge(largestAnswer);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Of a request that has one answer; a stream of changes has none. */
function idOf(request: unknown): string | number | undefined {
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

/** Marks the error that stands for an answer which cannot come any more. */
export const streamEnded = "kumiko: the stream has ended";

/**
 * Passes events on, each up to a size. Without the answer that it was opened for, a stream that ends would leave its call
 * waiting until its time is over: then an error takes the place of the answer. One that comes too late is ignored, and a
 * stream with ids can be taken up again.
 */
function events(
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
          } else if (lines.push(value) <= largestAnswer) controller.enqueue(value);
          else {
            end(controller, responseTooLarge(largestAnswer));
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

/** How long the event is that is being read, and whether events have ids. */
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
