import { errorEvent } from "../../agents/agent-event.js";
import { KumikoError } from "../../errors.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { ErrorMask } from "../../ui/error-mask.js";
import { statusOf } from "../../ui/error-status.js";
import type { MastraLogger } from "../logger.js";
import type { MiddlewareContext, ServerErrorHandler } from "./middleware.js";

interface ErrorSettings {
  readonly onError?: ServerErrorHandler | undefined;
  readonly logger: MastraLogger;
}

/** The text that clients get in place of an error. */
export const neutralText = new ErrorMask(undefined).text({ name: "Error", message: "" });

/** The responses for the errors of one request. */
export class ErrorResponses {
  readonly #settings: ErrorSettings;
  readonly #context: MiddlewareContext;
  /** The errors of routes: what the client did wrong has a status of its own. */
  readonly #ofRoutes = new Set<unknown>();
  /** The errors about how the middleware is written, whose text helps and tells nothing. */
  readonly #ofMiddleware = new Set<unknown>();

  constructor(settings: ErrorSettings, context: MiddlewareContext) {
    this.#settings = settings;
    this.#context = context;
  }

  /** Throws an error of a route on, through the middleware. */
  ofRoute(error: unknown): never {
    this.#ofRoutes.add(error);
    throw error;
  }

  ofMiddleware(error: Error): Error {
    this.#ofMiddleware.add(error);
    return error;
  }

  async response(error: unknown): Promise<Response> {
    const { onError, logger } = this.#settings;
    if (onError === undefined) return this.#neutral(error);
    try {
      const given: unknown = await onError(error instanceof Error ? error : new Error(String(error)), this.#context);
      if (given instanceof Response) return given;
      logger.error("onError of the server returned no Response.");
    } catch (thrown) {
      logger.error("onError of the server failed.", thrown);
    }
    return this.#neutral(error);
  }

  /** Clients read the text only of what they did wrong themselves. */
  #neutral(error: unknown): Response {
    const { code, message } = errorEvent(error);
    const status = this.#ofRoutes.has(error) ? routeStatus(error, code) : 500;
    const isTold = status === 400 || this.#ofMiddleware.has(error);
    if (status === 500)
      this.#settings.logger.error(`${this.#context.req.method} ${this.#context.req.path} failed.`, error);
    const headers: Record<string, string> = code === "THREAD_BUSY" ? { "retry-after": "1" } : {};
    return Response.json(withoutUndefined({ error: isTold ? message : neutralText, code }), { status, headers });
  }
}

function routeStatus(error: unknown, code: string | undefined): number {
  // without a node path, the error is about the request and not about a run
  const isOfRequest = code === "VALIDATION" || code === "INVALID_MESSAGE";
  if (isOfRequest && KumikoError.is(error) && error.nodePath.length === 0) return 400;
  return statusOf(code);
}
