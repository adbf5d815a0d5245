import { type AnyRequestContext, RequestContext } from "../components/request-context.js";
import { bothOfPair, invalidMastraOption } from "./errors.js";

/** Values of one request, under either of their two names. */
export interface RequestOptions {
  readonly requestContext?: AnyRequestContext | Readonly<Record<string, unknown>> | undefined;
  /** The older name of `requestContext`. */
  readonly runtimeContext?: AnyRequestContext | Readonly<Record<string, unknown>> | undefined;
}

/** The request context of a call, under whichever name it was given. */
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
    throw invalidMastraOption(`runtimeContext of ${where} must be a RuntimeContext or a record of values.`);
  }
  if (isContext(given)) return given as RequestContext;
  return new RequestContext(given);
}

/** The signal of a call, under whichever name it was given. */
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
