import type { Trace, TraceNode } from "../../callbacks/trace.js";
import type { RunRow, RunView, ValueView } from "../api.js";
import type { Prices } from "../span-view.js";
import { runsOf, traceRow, traceView } from "../trace-view.js";
import type { Redact } from "../wire-value.js";

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

  constructor(traces: readonly Trace[], parts: RecordedParts) {
    this.#parts = parts;
    for (const trace of traces) {
      for (const [key, roots] of runsOf(trace)) this.#runs.set(`t.${key}`, { trace, roots });
    }
    this.rows = [...this.#runs].map(([ref, { roots }]) => traceRow(ref, roots, parts));
  }

  view(ref: string): RunView | undefined {
    const found = this.#runs.get(ref);
    return found && traceView(found.trace, ref, found.roots, this.#parts);
  }
}
