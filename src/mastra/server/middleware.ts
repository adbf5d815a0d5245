import type { RequestContext } from "../../components/request-context.js";
import type { Untyped } from "../untyped.js";

/** A request, as a middleware reads it. */
export interface MiddlewareRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly raw: Request;
  /** A header by its name, in any case; all of them without a name. */
  header(name: string): string | undefined;
  header(): Readonly<Record<string, string>>;
  /** A part of the path that the `path` of the middleware, or the route, names with `:name`. */
  param(name: string): string | undefined;
  param(): Readonly<Record<string, string>>;
  query(name: string): string | undefined;
  query(): Readonly<Record<string, string>>;
  json(): Promise<Untyped>;
  text(): Promise<string>;
}

/** What a middleware gets: the request, the values of this request, and ways to answer. */
export interface MiddlewareContext {
  readonly req: MiddlewareRequest;
  /** The request context of everything that this request calls. */
  readonly requestContext: RequestContext;
  /** A value of this request; `runtimeContext` and `requestContext` are always there. */
  get<T = Untyped>(name: string): T;
  set(name: string, value: unknown): void;
  json(value: unknown, status?: number, headers?: Readonly<Record<string, string>>): Response;
  text(text: string, status?: number, headers?: Readonly<Record<string, string>>): Response;
}

export type Next = () => Promise<void>;

export type MiddlewareHandler = (context: MiddlewareContext, next: Next) => unknown;

/** Runs around every request, or around those with its path (`*` stands for anything). */
export type Middleware = MiddlewareHandler | { readonly path: string; readonly handler: MiddlewareHandler };
