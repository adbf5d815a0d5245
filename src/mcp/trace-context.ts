import type { NodeContext } from "../components/context.js";
import { type Fields, isFields } from "../is.js";

const names = ["traceparent", "tracestate", "baggage"] as const;

/** W3C trace context, as it travels in `_meta`: `traceparent`, `tracestate`, `baggage`. */
export type TraceContext = { readonly [Name in (typeof names)[number]]?: string };

/** The entry of a request context under which the trace context of the caller stands. */
export const traceContextKey = "traceContext";

export function traceContextOf(meta: unknown): TraceContext | undefined {
  if (!isFields(meta)) return undefined;
  const found = names.flatMap((name) => (typeof meta[name] === "string" ? [[name, meta[name]] as const] : []));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** What a request takes along of the trace that its run belongs to. */
export function traceMeta({ requestContext }: Pick<NodeContext, "requestContext">): { readonly _meta?: Fields } {
  const context = traceContextOf(requestContext.get(traceContextKey));
  return context === undefined ? {} : { _meta: context };
}
