import type { Trace, TraceNode } from "../../callbacks/trace.js";
import type { RunRow, RunView, SpanList, ValueView } from "../api.js";
import type { Prices } from "../span-view.js";
import { runsOf, traceRow, traceView } from "../trace-view.js";
import type { DevParts, UnreadableTrace } from "../viewer-options.js";
import { errorView, type Redact } from "../wire-value.js";
import { allSpans, firstSpans, type SpanRange, spanPage } from "./span-page.js";

interface Recorded {
  readonly trace: Trace;
  readonly roots: readonly TraceNode[];
}

export interface RecordedParts {
  readonly redact: Redact | undefined;
  readonly prices: Prices | undefined;
  readonly show: (value: ValueView) => ValueView;
}

/** The runs of files, and a failed one for each file that cannot be read. */
export class RecordedRuns {
  readonly rows: readonly RunRow[];
  readonly #runs = new Map<string, Recorded>();
  readonly #unreadable = new Map<string, RunRow>();
  readonly #parts: RecordedParts;
  #last: { readonly ref: string; readonly view: RunView } | undefined;

  constructor({ traces, unreadable }: Required<Pick<DevParts, "traces" | "unreadable">>, parts: RecordedParts) {
    this.#parts = parts;
    for (const trace of traces ?? []) {
      for (const [key, roots] of runsOf(trace)) this.#runs.set(`t.${key}`, { trace, roots });
    }
    for (const file of unreadable ?? []) {
      const row = unreadableRow(file, parts);
      this.#unreadable.set(row.ref, row);
    }
    const rows = [...this.#runs].map(([ref, { roots }]) => traceRow(ref, roots, parts));
    this.rows = [...rows, ...this.#unreadable.values()];
  }

  /** A run with its first spans. */
  view(ref: string, range: SpanRange): RunView | undefined {
    const view = this.#whole(ref);
    if (view === undefined) return undefined;
    const { spans, more } = firstSpans(this.spans(ref, allSpans), range);
    return { ...view, spans, ...(more && { moreSpans: ref, spanCount: view.spans.length }) };
  }

  has(ref: string): boolean {
    return this.#runs.has(ref) || this.#unreadable.has(ref);
  }

  spans(ref: string, range: SpanRange): SpanList {
    return spanPage(this.#whole(ref)?.spans ?? [], range, (span) => span);
  }

  /** The last one that was asked for is kept, as its spans are asked for next. */
  #whole(ref: string): RunView | undefined {
    if (this.#last?.ref === ref) return this.#last.view;
    const broken = this.#unreadable.get(ref);
    if (broken !== undefined) return unreadableView(broken);
    const found = this.#runs.get(ref);
    if (found === undefined) return undefined;
    this.#last = { ref, view: traceView(found.trace, ref, found.roots, this.#parts) };
    return this.#last.view;
  }
}

function unreadableRow({ name, since, error }: UnreadableTrace, { redact }: RecordedParts): RunRow {
  return { ref: `t.${name}`, graph: name, status: "failed", since, error: errorView(error, redact) };
}

function unreadableView(run: RunRow): RunView {
  return {
    run,
    graphs: {},
    tools: {},
    segments: [],
    spans: [],
    noHistory: "The file cannot be read.",
    questions: [],
    errors: [run.error?.message ?? ""],
    canFork: "The file cannot be read.",
  };
}
