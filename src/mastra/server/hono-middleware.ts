import { middlewareOf, type ServedMastra } from "./served.js";

/** The part of a Hono context that the middleware uses. @internal */
export interface HonoContext {
  readonly req: { readonly raw: Request };
  res: Response;
  set(name: never, value: never): void;
}

/**
 * Hono middleware that runs the middleware of a {@link Mastra} and serves its routes. Other requests are passed on to the app,
 * whose handlers find `runtimeContext` and `requestContext` with `c.get`.
 *
 * @example
 * import { Mastra, honoMiddleware } from "kumiko/mastra";
 *
 * // import { Hono } from "hono";
 * // const app = new Hono().use(honoMiddleware(mastra));
 * const mastra = new Mastra();
 * const middleware = honoMiddleware(mastra);
 */
export function honoMiddleware(
  mastra: ServedMastra,
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  const serve = middlewareOf(mastra, "honoMiddleware");
  return async (context, next) => {
    let isPassed = false;
    const response = await serve(context.req.raw, async ({ requestContext }) => {
      isPassed = true;
      const set = context.set.bind(context) as (name: string, value: unknown) => void;
      set("requestContext", requestContext);
      set("runtimeContext", requestContext);
      await next();
      return context.res;
    });
    if (!isPassed) return response;
    if (response !== context.res) context.res = response;
    return undefined;
  };
}
