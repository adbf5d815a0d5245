import { refusal } from "./gate.js";

/** A request of `node:http`, or of a framework based on it. */
export interface NodeRequest {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The path with its query. */
  readonly url?: string | undefined;
  /** The headers, by lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  [Symbol.asyncIterator]?(): AsyncIterator<unknown>;
}

/** A response of `node:http`, or of a framework based on it. */
export interface NodeResponse {
  /** Whether the head of the response was sent. */
  readonly headersSent: boolean;
  /** Sends the head of the response. */
  writeHead(status: number, headers?: Readonly<Record<string, string>>): unknown;
  /** Sends a piece of the body. */
  write(chunk: Uint8Array): unknown;
  /** Ends the response. */
  end(): unknown;
  /** Calls back when the client is gone, or can take more. */
  on(event: "close" | "drain", listener: () => void): unknown;
  /** Sends the head before there is a body. */
  flushHeaders?(): void;
}

/** A Node.js request and its response. */
export interface NodeExchange {
  /** The URL of the request. */
  readonly url: URL | string;
  /** The request. */
  readonly req: NodeRequest;
  /** Its response. */
  readonly res: NodeResponse;
}

/**
 * Answers a Node.js request with a handler of web requests. Nothing of the body is read before the handler reads it, so that a
 * request can be refused by its headers. `parsedBody` is the body if a middleware has read it.
 */
export async function answerNodeRequest(
  req: NodeRequest,
  res: NodeResponse,
  parsedBody: unknown,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  let isOver = false;
  res.on("close", () => {
    if (!isOver) gone.abort(new DOMException("The client closed the connection.", "AbortError"));
  });
  const body = parsedBody === undefined ? new RequestBody(req) : undefined;
  const request = webRequest(req, body?.stream ?? JSON.stringify(parsedBody), gone.signal);
  const response = request instanceof Request ? await handle(request) : request;
  const headers: Record<string, string> = Object.fromEntries(response.headers);
  if (response.status >= 400 && body?.isLeftOpen === true) headers.connection = "close";
  res.writeHead(response.status, headers);
  await sendBody(response, res, gone.signal);
  isOver = true;
  res.end();
  void request; // used until here: otherwise Node.js 20 may collect its signal
}

/** The body of a Node.js request, which is read when it is asked for. */
class RequestBody {
  readonly stream: ReadableStream<Uint8Array> | undefined;
  readonly #req: NodeRequest;
  #isRead = false;

  constructor(req: NodeRequest) {
    this.#req = req;
    if (!hasBody(req)) return;
    let chunks: AsyncIterator<unknown> | undefined;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      chunks ??= req[Symbol.asyncIterator]?.();
      const next = await chunks?.next();
      if (next !== undefined && next.done !== true) return controller.enqueue(bytesOf(next.value));
      this.#isRead = true;
      controller.close();
    };
    // `chunks.return()` would destroy the connection, and with it the response
    this.stream = new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  /** Whether a client may still send much that nobody reads. Node.js itself discards a short rest. */
  get isLeftOpen(): boolean {
    return this.stream !== undefined && !this.#isRead && !(Number(this.#req.headers["content-length"]) <= shortBody);
  }
}

const shortBody = 1024 * 1024;

function hasBody({ method = "GET" }: NodeRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

function bytesOf(chunk: unknown): Uint8Array {
  return chunk instanceof Uint8Array ? chunk : new TextEncoder().encode(String(chunk));
}

/** Returns a refusal if the client sent what no web request can have, such as a host that is not a name. */
function webRequest(
  req: NodeRequest,
  body: ReadableStream<Uint8Array> | string | undefined,
  signal: AbortSignal,
): Request | Response {
  const { method = "GET", url = "/", headers: given } = req;
  const origin = `http://${String(given.host ?? given[":authority"] ?? "localhost")}`;
  if (!URL.canParse(origin)) return refusal(403, "Unknown Host");
  try {
    const headers = new Headers();
    for (const [name, value] of Object.entries(given)) {
      if (name.startsWith(":")) continue; // of HTTP/2
      for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) headers.append(name, item);
    }
    if (typeof body === "string") {
      // the headers describe the body before it was parsed
      for (const name of ["content-length", "content-encoding", "transfer-encoding"]) headers.delete(name);
    }
    const sent = hasBody(req) && body !== undefined ? { body, duplex: "half" } : {};
    return new Request(`${origin}${url}`, { method, headers, signal, ...sent });
  } catch {
    return refusal(400, "The request is not valid");
  }
}

/** Sends the headers at once, also those of a stream that is idle, and ends the stream when its client disconnects. */
async function sendBody({ body }: Response, res: NodeResponse, gone: AbortSignal): Promise<void> {
  if (body === null) return;
  res.flushHeaders?.();
  let drained = (): void => undefined;
  res.on("drain", () => drained());
  const reader = body.getReader();
  const stop = (): void => {
    drained();
    reader.cancel(gone.reason).catch(() => undefined);
  };
  if (gone.aborted) stop();
  gone.addEventListener("abort", stop, { once: true });
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (res.write(part.value) !== false || gone.aborted) continue;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    }
  } catch {
    // the body failed after its headers were sent, so all that can be done is to end it
  }
}
