import type { RequestContext } from "../../components/request-context.js";
import type { Untyped } from "../untyped.js";

/** The request that a middleware handles. */
export interface MiddlewareRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly raw: Request;
  /** Returns a header by its case-insensitive name, or all headers. */
  header(name: string): string | undefined;
  header(): Readonly<Record<string, string>>;
  /** Returns a path parameter: `:name` in the `path` of the middleware. */
  param(name: string): string | undefined;
  param(): Readonly<Record<string, string>>;
  query(name: string): string | undefined;
  query(): Readonly<Record<string, string>>;
  json(): Promise<Untyped>;
  text(): Promise<string>;
}

/** The context of a middleware: the request, its values, and helpers that create responses. */
export interface MiddlewareContext {
  readonly req: MiddlewareRequest;
  /** The request context of every agent, workflow and tool that runs for this request. */
  readonly requestContext: RequestContext;
  /** Returns a value of this request; `runtimeContext` and `requestContext` always exist. */
  get<T = Untyped>(name: string): T;
  set(name: string, value: unknown): void;
  json(value: unknown, status?: number, headers?: Readonly<Record<string, string>>): Response;
  text(text: string, status?: number, headers?: Readonly<Record<string, string>>): Response;
}

export type Next = () => Promise<void>;

export type MiddlewareHandler = (context: MiddlewareContext, next: Next) => unknown;

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
