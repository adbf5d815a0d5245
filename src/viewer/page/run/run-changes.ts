import type { LiveEvent, RunView, SegmentView, SpanView } from "../../api.js";

/** A run with what has happened in it since. */
export function applyEvents(view: RunView, events: readonly LiveEvent[]): RunView {
  let { run, segments, lostChunks } = view;
  const spans = new Map(view.spans.map((span) => [span.id, span]));
  for (const event of events) {
    switch (event.type) {
      case "run":
        // what only spans tell stays as it was
        run = { ...run, ...event.run };
        break;
      case "span":
        spans.set(event.span.id, changed(spans.get(event.span.id), event.span));
        break;
      case "segment":
        segments = withItem(segments, event.index, event.segment);
        break;
      case "chunk": {
        const span = spans.get(event.span);
        if (span !== undefined) spans.set(event.span, withChunk(span, event.at, event.text));
        break;
      }
      case "lost":
        lostChunks = (lostChunks ?? 0) + event.chunks;
        break;
      default:
    }
  }
  return { ...view, run, segments, spans: [...spans.values()], ...(lostChunks !== undefined && { lostChunks }) };
}

/** While a model writes, only the page has its text so far. */
function changed(before: SpanView | undefined, now: SpanView): SpanView {
  if (now.status !== "running" || now.output !== undefined || before?.output === undefined) return now;
  return { ...now, output: before.output, ...(before.chunks !== undefined && { chunks: before.chunks }) };
}

function withItem(items: readonly SegmentView[], index: number, item: SegmentView): readonly SegmentView[] {
  return index < items.length ? items.with(index, item) : [...items, item];
}

/** The text so far stands in the output, as the message that it will be. */
function withChunk(span: SpanView, at: number, text: string): SpanView {
  const before = span.chunks ?? { count: 0, at: [] };
  const whole = textSoFar(span) + text;
  const message = { role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: whole }] };
  return {
    ...span,
    output: { value: message, size: whole.length },
    chunks: { count: before.count + 1, at: [...before.at.slice(-199), [at - span.startedAt, whole.length]] },
  };
}

function textSoFar({ output }: SpanView): string {
  const value = output?.value;
  if (typeof value !== "object" || value === null || !("contentBlocks" in value)) return "";
  const [block] = Array.isArray(value.contentBlocks) ? value.contentBlocks : [];
  return typeof block?.text === "string" ? block.text : "";
}
