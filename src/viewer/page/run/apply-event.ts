import type { LiveEvent, RunView, SpanView } from "../../api.js";

/** A run with what has just happened in it. */
export function applyEvent(view: RunView, event: LiveEvent): RunView {
  switch (event.type) {
    case "run":
      return { ...view, run: event.run };
    case "span":
      return { ...view, spans: withSpan(view.spans, event.span) };
    case "segment":
      return { ...view, segments: withItem(view.segments, event.index, event.segment) };
    case "chunk":
      return {
        ...view,
        spans: view.spans.map((span) => (span.id === event.span ? withChunk(span, event.at, event.text) : span)),
      };
    case "lost":
      return { ...view, lostChunks: (view.lostChunks ?? 0) + event.chunks };
    default:
      return view;
  }
}

function withSpan(spans: readonly SpanView[], span: SpanView): readonly SpanView[] {
  const at = spans.findIndex(({ id }) => id === span.id);
  return at < 0 ? [...spans, span] : spans.with(at, span);
}

function withItem<Item>(items: readonly Item[], index: number, item: Item): readonly Item[] {
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
