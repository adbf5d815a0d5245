import type { MiddlewareContext } from "./middleware.js";
import { middlewareOf, type ServedMastra } from "./served.js";

/** Answers a request that is not for a route of Mastra. */
export type RouteHandler = (request: Request, context: MiddlewareContext) => Response | Promise<Response>;

/** A route handler, also as `GET` and `POST` for the exports of a route file. */
export interface NextHandler {
  (request: Request): Promise<Response>;
  /** The same handler, for `export const { GET } = …`. */
  readonly GET: (request: Request) => Promise<Response>;
  /** The same handler, for `export const { POST } = …`. */
  readonly POST: (request: Request) => Promise<Response>;
}

/**
 * A Next.js route handler that runs the middleware of a {@link Mastra} and serves its routes. Other requests are passed to
 * `handler`, inside the middleware, or get a 404 if there is none.
 *
 * @example
 * import { Mastra, nextHandler } from "kumiko/mastra";
 *
 * // app/api/[...path]/route.ts: export const { GET, POST } = nextHandler(mastra);
 * const mastra = new Mastra();
 * const { GET, POST } = nextHandler(mastra);
 */
export function nextHandler(mastra: ServedMastra, handler?: RouteHandler): NextHandler {
  const serve = middlewareOf(mastra, "nextHandler");
  const answer = (request: Request): Promise<Response> =>
    serve(request, async (context) => {
      if (handler !== undefined) return handler(request, context);
      return Response.json({ error: `There is no route ${request.method} ${context.req.path}.` }, { status: 404 });
    });
  return Object.assign(answer, { GET: answer, POST: answer });
}
