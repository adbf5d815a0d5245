import type { SpanList, SpanView } from "../api.js";

/** Which spans are asked for. */
export interface SpanRange {
  readonly from: number;
  /** The index after the last one. */
  readonly to: number;
  /** Whether they are asked for with inputs and outputs. */
  readonly hasValues: boolean;
}

export const allSpans: SpanRange = { from: 0, to: Number.POSITIVE_INFINITY, hasValues: true };

export function spanRange(search: URLSearchParams): SpanRange {
  return {
    from: Math.max(0, Number(search.get("from")) || 0),
    to: Number(search.get("to")) || Number.POSITIVE_INFINITY,
    hasValues: search.get("values") !== "0",
  };
}

const most = 2_000;
const largest = 2_000_000;
/** A span without its values. */
const spanSize = 500;

/** Some spans from an index on: so many that neither the server nor the page is busy for long with them. */
export function spanPage<Span>(
  spans: readonly Span[],
  { from, to, hasValues }: SpanRange,
  viewOf: (span: Span) => SpanView,
): SpanList {
  const found: SpanView[] = [];
  let size = 0;
  for (const span of spans.slice(from, Math.min(from + most, to))) {
    const view = hasValues ? viewOf(span) : withoutValues(viewOf(span));
    found.push(view);
    size += spanSize + lengthOf(view);
    if (size > largest) break;
  }
  return { spans: found, more: from + found.length < spans.length };
}

/** The spans that come with a run: where there are more of them, without values if those are not asked for. */
export function firstSpans({ spans, more }: SpanList, { hasValues }: SpanRange): SpanList {
  return { spans: more && !hasValues ? spans.map(withoutValues) : spans, more };
}

/** One that runs keeps them: what it writes is added to its output. */
function withoutValues(view: SpanView): SpanView {
  const { input, output, ...rest } = view;
  if (view.status === "running" || (input === undefined && output === undefined)) return view;
  return { ...rest, isPartial: true };
}

function lengthOf({ input, output, events }: SpanView): number {
  const values = [input, output, ...events.map(({ value }) => value)];
  return values.reduce((sum, value) => sum + Math.min(value?.size ?? 0, 65_536), 0);
}
