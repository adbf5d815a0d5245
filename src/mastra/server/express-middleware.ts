import type { RequestContext } from "../../components/request-context.js";
import { headersSetIn } from "./request-values.js";
import { isRoute } from "./routes.js";
import { middlewareOf, type ServedMastra } from "./served.js";

/** The part of an Express or Node.js request that the middleware uses. @internal */
export interface ExpressRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body, if a body parser has read it. */
  readonly body?: unknown;
  runtimeContext?: RequestContext | undefined;
  requestContext?: RequestContext | undefined;
}

/** The part of an Express or Node.js response that the middleware uses. @internal */
export interface ExpressResponse {
  statusCode: number;
  locals?: Record<string, unknown>;
  setHeader(name: string, value: string | readonly string[]): unknown;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  once(event: "drain" | "close" | "finish", listener: () => void): unknown;
  off(event: "drain" | "close" | "finish", listener: () => void): unknown;
  readonly writableEnded?: boolean;
}

/**
 * Express middleware that runs the middleware of a {@link Mastra} and serves its routes. Other requests are passed on to the
 * app, whose handlers find `runtimeContext` and `requestContext` on `req` and in `res.locals`.
 *
 * @example
 * import { Mastra, expressMiddleware } from "kumiko/mastra";
 *
 * // const app = express().use(expressMiddleware(mastra));
 * const mastra = new Mastra();
 * const middleware = expressMiddleware(mastra);
 */
export function expressMiddleware(
  mastra: ServedMastra,
): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void> {
  const serve = middlewareOf(mastra, "expressMiddleware");
  return async (request, response, next) => {
    let isPassed = false;
    const disconnected = new AbortController();
    const onClose = (): void => disconnected.abort(new DOMException("The client disconnected.", "AbortError"));
    response.once("close", onClose);
    try {
      const answer = await serve(await readRequest(request, disconnected.signal), async (context) => {
        const { requestContext } = context;
        isPassed = true;
        headersSetIn(context).forEach((value, name) => void response.setHeader(name, value));
        const values = { requestContext, runtimeContext: requestContext };
        Object.assign(request, values);
        response.locals = Object.assign(response.locals ?? {}, values);
        await passOn(response, next);
        return new Response(null);
      });
      if (!isPassed) await send(answer, response);
      else if (answer.status >= 400 && response.writableEnded !== true) await send(answer, response);
    } catch (error) {
      next(error);
    } finally {
      response.off("close", onClose);
    }
  };
}

/** Runs the rest of the app, and resolves when its response has ended, so that code after `next()` runs last. */
function passOn(response: ExpressResponse, next: (error?: unknown) => void): Promise<void> {
  return new Promise((resolve) => {
    response.once("finish", resolve);
    response.once("close", resolve);
    next();
  });
}

async function readRequest(request: ExpressRequest, signal: AbortSignal): Promise<Request> {
  const { method = "GET", url = "/", headers } = request;
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || name.startsWith(":")) return [];
    return typeof value === "string" ? [[name, value]] : value.map((one) => [name, one]);
  });
  const host = typeof headers.host === "string" ? headers.host : "localhost";
  const init: RequestInit = { method, headers: pairs, signal };
  const target = new URL(url, `http://${host}`);
  // for other routes, the body is left for the app to read
  if (method === "POST" && (request.body !== undefined || isRoute(method, target.pathname)))
    init.body = await bodyOf(request);
  return new Request(target, init);
}

/** The body as a body parser has read it, or as it is received. */
async function bodyOf(request: ExpressRequest): Promise<string | Uint8Array<ArrayBuffer>> {
  const { body } = request;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body !== undefined) return JSON.stringify(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

async function send(answer: Response, response: ExpressResponse): Promise<void> {
  response.statusCode = answer.status;
  answer.headers.forEach((value, name) => {
    if (name !== "set-cookie") response.setHeader(name, value);
  });
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  let isClosed = false;
  const onClose = (): void => {
    isClosed = true;
  };
  response.once("close", onClose);
  if (answer.body !== null) {
    for await (const chunk of answer.body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
      if (isClosed) break;
      if (!response.write(chunk)) await waitForDrain(response);
    }
  }
  response.off("close", onClose);
  response.end();
}

function waitForDrain(response: ExpressResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}
