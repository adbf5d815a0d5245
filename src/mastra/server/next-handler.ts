import type { MiddlewareContext } from "./middleware.js";
import { middlewareOf, type ServedMastra } from "./served.js";

/** Answers a request that Mastra does not know. */
export type RouteHandler = (request: Request, context: MiddlewareContext) => Response | Promise<Response>;

/** A route handler, and one for each method of a route file. */
export interface NextHandler {
  (request: Request): Promise<Response>;
  readonly GET: (request: Request) => Promise<Response>;
  readonly POST: (request: Request) => Promise<Response>;
}

/**
 * Mastra's middleware and routes as a route handler in the way of Next.js. What is not one of its routes is left to `handler`,
 * inside of the middleware; without one it is a 404.
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
      return Response.json({ error: `There is nothing at ${request.method} ${context.req.path}.` }, { status: 404 });
    });
  return Object.assign(answer, { GET: answer, POST: answer });
}
