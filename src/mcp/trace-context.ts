import type { NodeContext } from "../components/context.js";
import { type Fields, isFields } from "../is.js";

const names = ["traceparent", "tracestate", "baggage"] as const;

/** The W3C trace context in the `_meta` of a request. */
export type TraceContext = { readonly [Name in (typeof names)[number]]?: string };

/** The key in the request context that holds the trace context of the caller. */
export const traceContextKey = "traceContext";

export function traceContextOf(meta: unknown): TraceContext | undefined {
  if (!isFields(meta)) return undefined;
  const found = names.flatMap((name) => (typeof meta[name] === "string" ? [[name, meta[name]] as const] : []));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The `_meta` that passes the trace context of a run on to a server. */
export function traceMeta(ctx: Partial<Pick<NodeContext, "requestContext">> | undefined): { readonly _meta?: Fields } {
  const context = traceContextOf(ctx?.requestContext?.get(traceContextKey));
  return context === undefined ? {} : { _meta: context };
}
