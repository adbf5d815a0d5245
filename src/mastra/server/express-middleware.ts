import type { RequestContext } from "../../components/request-context.js";
import { isRoute } from "./routes.js";
import { middlewareOf, type ServedMastra } from "./served.js";

/** What is used of a request of Express or Node.js. */
export interface ExpressRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What a parser of bodies in front has read. */
  readonly body?: unknown;
  runtimeContext?: RequestContext | undefined;
  requestContext?: RequestContext | undefined;
}

/** What is used of a response of Express or Node.js. */
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
 * Mastra's middleware and routes in an app of Express. What is not one of its routes goes on to the app, whose handlers find
 * `req.runtimeContext` (and `req.requestContext`, and both in `res.locals`).
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
    const left = new AbortController();
    const leave = (): void => left.abort(new DOMException("The client has left.", "AbortError"));
    response.once("close", leave);
    try {
      const answer = await serve(await readRequest(request, left.signal), async ({ requestContext }) => {
        isPassed = true;
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
      response.off("close", leave);
    }
  };
}

/** The rest of the app, to the end of its answer: what the middleware does after `next()` comes after it. */
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
  // the rest of the app reads the body of its own routes
  if (method === "POST" && (request.body !== undefined || isRoute(method, target.pathname)))
    init.body = await bodyOf(request);
  return new Request(target, init);
}

/** The body as it came, or as a parser in front has read it. */
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
  let isLeft = false;
  const leave = (): void => {
    isLeft = true;
  };
  response.once("close", leave);
  if (answer.body !== null) {
    for await (const chunk of answer.body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
      if (isLeft) break;
      if (!response.write(chunk)) await drained(response);
    }
  }
  response.off("close", leave);
  response.end();
}

function drained(response: ExpressResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.once("drain", go);
    response.once("close", go);
  });
}
