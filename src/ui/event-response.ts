import { type AgentEvent, type EventError, errorEvent } from "../agents/agent-event.js";
import { checkOptions } from "../check-options.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { ErrorMask, type OnError } from "./error-mask.js";
import { statusOf } from "./error-status.js";
import { invalidUiOption, notJson } from "./errors.js";
import { EventBody, type EventEncoder } from "./event-body.js";

/** Headers that are added to those of the response, and override them. */
export type ResponseHeaders = Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/** The options that all responses have. */
export interface ResponseOptions {
  /** Additional headers for the response. */
  readonly headers?: ResponseHeaders | undefined;
  /**
   * Returns the text that a client gets in place of that of an error: of the run, of a failed tool call, of a provider's tool.
   * @default () => "An error occurred."
   */
  readonly onError?: OnError | undefined;
  /** After how many milliseconds of silence a comment line is sent, so that no proxy closes the connection. @default 15_000 */
  readonly heartbeatMs?: number | false | undefined;
}

/** The names of {@link ResponseOptions}. */
export const responseOptionNames = ["headers", "onError", "heartbeatMs"] as const;

interface ResponseParts {
  /** The function that is called, for errors about its options. */
  readonly where: string;
  readonly options: ResponseOptions;
  readonly encoder: EventEncoder;
  /** Headers of the protocol. */
  readonly own?: Readonly<Record<string, string>>;
}

/** How long a response waits for the first event, which decides its status. */
const firstEventMs = 2_000;

/**
 * A response that streams events. It waits for the first event, at most two seconds: a run that does not begin is answered with
 * an error and a status. A client that disconnects cancels the event stream; a slow one applies backpressure.
 */
export async function eventResponse(
  source: StreamSource<AgentEvent>,
  { where, options, encoder, own = {} }: ResponseParts,
): Promise<Response> {
  const { onError, heartbeatMs = 15_000 } = options;
  if (onError !== undefined && typeof onError !== "function")
    throw invalidUiOption(where, "onError", "a function of an error that returns a text", onError);
  if (heartbeatMs !== false && !(Number.isInteger(heartbeatMs) && heartbeatMs >= 1))
    throw invalidUiOption(where, "heartbeatMs", "a whole number of milliseconds, or false", heartbeatMs);
  const headers = eventHeaders(where, options.headers, own);
  const mask = new ErrorMask(onError);
  const events = StreamReader.from<AgentEvent>(source);
  const iterator: AsyncIterator<AgentEvent, undefined> = events[Symbol.asyncIterator]();
  const first = iterator.next();
  const seen = await beginningOf(first);
  if (seen === "end") return new Response(null, { status: 204 });
  if (seen !== "begun") {
    void events.cancel().catch(ignore);
    return responseFor(seen, mask, options.headers);
  }
  const body = new EventBody({ events, iterator, first, encoder, mask, heartbeatMs });
  return new Response(new ReadableStream(body, { highWaterMark: 0 }), { headers });
}

/** Whether the stream has begun, as far as two seconds show; otherwise its end, or the error before it began. */
async function beginningOf(
  first: Promise<IteratorResult<AgentEvent, undefined>>,
): Promise<"begun" | "end" | EventError> {
  let stopWaiting = ignore;
  const waited = new Promise<undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), firstEventMs);
    stopWaiting = () => clearTimeout(timer);
  });
  try {
    const result = await Promise.race([first, waited]);
    if (result === undefined) return "begun";
    if (result.done === true) return "end";
    const { value: event } = result;
    return event.type === "error" && event.agentPath.length < 2 ? event.error : "begun";
  } catch (error) {
    return errorEvent(error);
  } finally {
    stopWaiting();
  }
}

/**
 * Returns the response for an error that was thrown before there was a stream, as by `readUiRequest`: JSON,
 * `{ error: { code, message } }`, with the status that fits the code. Clients read the text only of what they did wrong themselves
 * (status 400); other texts are those of `onError`. A `SyntaxError` is that of `request.json()`.
 *
 * @example
 * const chat = async (request: Request): Promise<Response> => {
 *   try {
 *     const { prompt, answers, ...turn } = readUiRequest(await request.json());
 *     return await uiMessageStream(answers ? agent.resumeStream(turn, answers) : agent.stream(prompt, turn));
 *   } catch (error) {
 *     return errorResponse(error);
 *   }
 * };
 */
export function errorResponse(error: unknown, options: Pick<ResponseOptions, "headers" | "onError"> = {}): Response {
  checkOptions("errorResponse", options, ["headers", "onError"]);
  const given = error instanceof SyntaxError ? notJson(error) : error;
  return responseFor(errorEvent(given), new ErrorMask(options.onError), options.headers);
}

function responseFor(error: EventError, mask: ErrorMask, given: ResponseHeaders | undefined): Response {
  const { code } = error;
  const status = statusOf(code);
  const headers = new Headers(given as HeadersInit | undefined);
  headers.set("content-type", "application/json");
  if (code === "THREAD_BUSY") headers.set("retry-after", "1");
  const message = status === 400 ? error.message : mask.text(error);
  return new Response(JSON.stringify({ error: withoutUndefined({ code, message }) }), { status, headers });
}

/** The headers of a response with server-sent events. */
function eventHeaders(where: string, given: ResponseHeaders | undefined, own: Readonly<Record<string, string>>) {
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

function ignore(): void {}
