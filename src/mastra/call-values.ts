import { type AnyRequestContext, RequestContext } from "../components/request-context.js";
import { bothOfPair, invalidMastraOption } from "./errors.js";

/** The request context of a call, under its current or its older name. @internal */
export interface RequestOptions {
  /** The values of this request. */
  readonly requestContext?: AnyRequestContext | Readonly<Record<string, unknown>> | undefined;
  /** The older name of `requestContext`. */
  readonly runtimeContext?: AnyRequestContext | Readonly<Record<string, unknown>> | undefined;
}

/** Returns the request context of a call. Throws if both names are given. */
export function requestContextOf(where: string, options: RequestOptions): RequestContext | undefined {
  const names = Object.keys(options);
  if (
    names.includes("requestContext") &&
    names.includes("runtimeContext") &&
    options.requestContext !== undefined &&
    options.runtimeContext !== undefined
  ) {
    throw bothOfPair(where, "runtimeContext", "requestContext");
  }
  const given = options.requestContext ?? options.runtimeContext;
  if (given === undefined) return undefined;
  if (typeof given !== "object" || given === null) {
    throw invalidMastraOption(`requestContext of ${where} must be a RequestContext or a record of values.`);
  }
  if (isContext(given)) return given as RequestContext;
  return new RequestContext(given);
}

/** Returns the signal of a call. Throws if both names are given, with different signals. */
export function signalOf(
  where: string,
  {
    signal,
    abortSignal,
  }: { readonly signal?: AbortSignal | undefined; readonly abortSignal?: AbortSignal | undefined },
): AbortSignal | undefined {
  if (signal !== undefined && abortSignal !== undefined && signal !== abortSignal) {
    throw bothOfPair(where, "abortSignal", "signal");
  }
  return abortSignal ?? signal;
}

function isContext(value: object): value is AnyRequestContext {
  return "get" in value && typeof value.get === "function" && "entries" in value && typeof value.entries === "function";
}
