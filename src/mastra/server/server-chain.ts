import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMastraOption, nextCalledTwice, noMiddlewareResponse } from "../errors.js";
import type { MastraLogger } from "../logger.js";
import { ErrorResponses } from "./error-responses.js";
import type { Middleware, MiddlewareContext, MiddlewareHandler, ServerErrorHandler } from "./middleware.js";
import { pathMatcher } from "./path-matcher.js";
import { RequestValues } from "./request-values.js";

interface Entry {
  readonly handler: MiddlewareHandler;
  /** Returns the path parameters, or `undefined` if the path does not match. */
  readonly match: (path: string) => Readonly<Record<string, string>> | undefined;
}

/** What answers errors. */
export interface ChainSettings {
  readonly onError?: ServerErrorHandler | undefined;
  readonly logger: MastraLogger;
}

/** The middleware of a server. */
export class ServerChain {
  readonly #entries: readonly Entry[];
  readonly #settings: ChainSettings;

  constructor(given: Middleware | readonly Middleware[] | undefined, settings: ChainSettings) {
    const list = given === undefined ? [] : Array.isArray(given) ? given : [given];
    this.#entries = list.map(entryOf);
    this.#settings = settings;
  }

  /** Runs the middleware and then `last`. Never rejects: an error becomes a response. */
  async answer(request: Request, last: (context: MiddlewareContext) => Promise<Response>): Promise<Response> {
    const context = new RequestValues(request);
    const errors = new ErrorResponses(this.#settings, context);
    try {
      await this.#run(context, errors, last);
      return context.withHeaders(context.res);
    } catch (error) {
      return context.withHeaders(await errors.response(error));
    }
  }

  async #run(
    context: RequestValues,
    errors: ErrorResponses,
    last: (context: MiddlewareContext) => Promise<Response>,
  ): Promise<void> {
    const { path } = context.req;
    const run = async (index: number): Promise<void> => {
      const entry = this.#entries[index];
      if (entry === undefined) {
        context.res = await last(context).catch((error: unknown) => errors.ofRoute(error));
        return;
      }
      const params = entry.match(path);
      if (params === undefined) return run(index + 1);
      context.params = params;
      let isNextCalled = false;
      const returned = await entry.handler(context, async () => {
        if (isNextCalled) throw errors.ofMiddleware(nextCalledTwice(path));
        isNextCalled = true;
        await run(index + 1);
      });
      if (returned instanceof Response) context.res = returned;
      else if (!isNextCalled && !context.hasResponse) throw errors.ofMiddleware(noMiddlewareResponse(path));
    };
    await run(0);
    if (!context.hasResponse) throw errors.ofMiddleware(noMiddlewareResponse(path));
  }
}

function entryOf(given: unknown, index: number): Entry {
  if (typeof given === "function") return { handler: given as MiddlewareHandler, match: () => ({}) };
  const { path, handler } = isFields(given) ? given : {};
  if (isFields(given)) checkOptions(`server.middleware[${index}]`, given, ["path", "handler"]);
  if (typeof path === "string" && typeof handler === "function") {
    return { handler: handler as MiddlewareHandler, match: pathMatcher(path) };
  }
  throw invalidMastraOption(
    `server.middleware[${index}] must be a function, or { path, handler } (got ${kindOf(given)}).`,
  );
}
