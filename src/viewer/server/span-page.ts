import type { SpanList, SpanView } from "../api.js";

const most = 2_000;
const largest = 2_000_000;
/** A span without its values. */
const spanSize = 500;

/** Some spans from an index on: so many that neither the server nor the page is busy for long with them. */
export function spanPage<Span>(spans: readonly Span[], from: number, viewOf: (span: Span) => SpanView): SpanList {
  const found: SpanView[] = [];
  let size = 0;
  for (const span of spans.slice(from, from + most)) {
    const view = viewOf(span);
    found.push(view);
    size += spanSize + lengthOf(view);
    if (size > largest) break;
  }
  return { spans: found, more: from + found.length < spans.length };
}

function lengthOf({ input, output, events }: SpanView): number {
  const values = [input, output, ...events.map(({ value }) => value)];
  return values.reduce((sum, value) => sum + Math.min(value?.size ?? 0, 65_536), 0);
}
