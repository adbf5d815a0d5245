import type { RequestContext } from "../../components/request-context.js";
import type { Untyped } from "../untyped.js";

/** The request that a middleware handles. */
export interface MiddlewareRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The full URL. */
  readonly url: string;
  /** The path of the URL. */
  readonly path: string;
  /** The request as the platform gives it. */
  readonly raw: Request;
  /** Returns a header by its case-insensitive name, or all headers. */
  header(name: string): string | undefined;
  header(): Readonly<Record<string, string>>;
  /** Returns a path parameter: `:name` in the `path` of the middleware. */
  param(name: string): string | undefined;
  param(): Readonly<Record<string, string>>;
  /** Returns one parameter of the query, or all of them. */
  query(name: string): string | undefined;
  query(): Readonly<Record<string, string>>;
  /** Parses the body as JSON. */
  json(): Promise<Untyped>;
  /** Reads the body as text. */
  text(): Promise<string>;
}

/** The context of a middleware: the request, its values, and helpers that create responses. */
export interface MiddlewareContext {
  /** The request. */
  readonly req: MiddlewareRequest;
  /** The request context of every agent, workflow and tool that runs for this request. */
  readonly requestContext: RequestContext;
  /** Returns a value of this request; `runtimeContext` and `requestContext` always exist. */
  get<T = Untyped>(name: string): T;
  /** Sets a value of this request, for later middlewares and the run. */
  set(name: string, value: unknown): void;
  /**
   * Sets a header of the response, whoever makes it; `{ append: true }` adds a value. Without a value, the header is removed.
   */
  header(name: string, value?: string, options?: { readonly append?: boolean | undefined }): void;
  /** The response, once `next()` has returned; before that, a 404. It can be replaced. */
  res: Response;
  /** Creates a JSON response. @default status 200 */
  json(value: unknown, status?: number, headers?: Readonly<Record<string, string>>): Response;
  /** Creates a text response. @default status 200 */
  text(text: string, status?: number, headers?: Readonly<Record<string, string>>): Response;
}

export type Next = () => Promise<void>;

/** @internal */
export type MiddlewareHandler = (context: MiddlewareContext, next: Next) => unknown;

/**
 * Answers an error of a middleware, a route or a run with a response of your own. Without one, the client gets a neutral text, and
 * the logger the error.
 */
export type ServerErrorHandler = (error: Error, context: MiddlewareContext) => Response | Promise<Response>;

/**
 * A middleware for every request, or for those that match its path (`*` matches anything). It calls `next`, or returns a response.
 *
 * @example
 * import type { Middleware } from "kumiko/mastra";
 *
 * const requireToken: Middleware = {
 *   path: "/api/*",
 *   handler: async (context, next) => {
 *     if (context.req.header("authorization") === undefined) return context.json({ error: "Unauthorized" }, 401);
 *     return next();
 *   },
 * };
 */
export type Middleware = MiddlewareHandler | { readonly path: string; readonly handler: MiddlewareHandler };
