import type { Trace, TraceNode } from "../../callbacks/trace.js";
import type { RunRow, RunView, SpanList, ValueView } from "../api.js";
import type { Prices } from "../span-view.js";
import { runsOf, traceRow, traceView } from "../trace-view.js";
import type { Redact } from "../wire-value.js";
import { allSpans, type SpanRange, spanPage } from "./span-page.js";

interface Recorded {
  readonly trace: Trace;
  readonly roots: readonly TraceNode[];
}

export interface RecordedParts {
  readonly redact: Redact | undefined;
  readonly prices: Prices | undefined;
  readonly show: (value: ValueView) => ValueView;
}

/** The runs of a file. */
export class RecordedRuns {
  readonly rows: readonly RunRow[];
  readonly #runs = new Map<string, Recorded>();
  readonly #parts: RecordedParts;
  #last: { readonly ref: string; readonly view: RunView } | undefined;

  constructor(traces: readonly Trace[], parts: RecordedParts) {
    this.#parts = parts;
    for (const trace of traces) {
      for (const [key, roots] of runsOf(trace)) this.#runs.set(`t.${key}`, { trace, roots });
    }
    this.rows = [...this.#runs].map(([ref, { roots }]) => traceRow(ref, roots, parts));
  }

  /** A run with its first spans. */
  view(ref: string): RunView | undefined {
    const view = this.#whole(ref);
    if (view === undefined) return undefined;
    const { spans, more } = this.spans(ref, allSpans);
    return { ...view, spans, ...(more && { moreSpans: ref, spanCount: view.spans.length }) };
  }

  has(ref: string): boolean {
    return this.#runs.has(ref);
  }

  spans(ref: string, range: SpanRange): SpanList {
    return spanPage(this.#whole(ref)?.spans ?? [], range, (span) => span);
  }

  /** The last one that was asked for is kept, as its spans are asked for next. */
  #whole(ref: string): RunView | undefined {
    if (this.#last?.ref === ref) return this.#last.view;
    const found = this.#runs.get(ref);
    if (found === undefined) return undefined;
    this.#last = { ref, view: traceView(found.trace, ref, found.roots, this.#parts) };
    return this.#last.view;
  }
}
