import type { Handler } from "./handler.js";
import { jsonSafe } from "./json-safe.js";
import type { ComponentKind } from "./run-info.js";
import { type TracedRun, TraceTree, wallClock } from "./trace-tree.js";

/** One run in a recorded trace, as plain JSON. */
export interface TraceNode {
  /** The display name of the run. */
  readonly name: string;
  /** The kind of component that ran. */
  readonly component: ComponentKind;
  /** The component's own `type`; otherwise `""`. */
  readonly type: string;
  /** Where in the graph it ran, the same in every run. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The duration; of a run that is still open, until now. */
  readonly durationMs: number;
  /** Set while the run is open. */
  readonly running?: true | undefined;
  /** The input; chunks of a streamed input are concatenated. */
  readonly input?: unknown;
  /** The output; chunks of a streamed output are concatenated. */
  readonly output?: unknown;
  /** The error of a failed run: `{ name, message, code?, cause? }`. */
  readonly error?: unknown;
  /** The question for which the run waits. */
  readonly interrupt?: unknown;
  /** The runs inside this one, in the order of their starts. */
  readonly children: readonly TraceNode[];
}

/** Options of {@link traceRecorder}. */
export interface TraceRecorderOptions {
  /** Returns milliseconds since 1970. @default the system clock */
  readonly clock?: (() => number) | undefined;
}

/** A handler that records runs until `clear()`. */
export interface TraceRecorder extends Handler {
  /** One tree per root, in the order in which they started. May be called at any time. */
  toJSON(): TraceNode[];
  /** Removes all recorded runs. Runs that are still open are no longer recorded. */
  clear(): void;
}

/**
 * Records runs as JSON: trees with inputs, outputs, errors and times. Values are copied when they are recorded.
 *
 * @example
 * const trace = traceRecorder();
 * await app.invoke(input, { callbacks: [trace] });
 * console.log(JSON.stringify(trace, null, 2));
 */
export function traceRecorder(options: TraceRecorderOptions = {}): TraceRecorder {
  return new Recorder(options);
}

class Recorder extends TraceTree<unknown> implements TraceRecorder {
  private roots: TracedRun<unknown>[] = [];

  constructor({ clock = wallClock }: TraceRecorderOptions) {
    super(clock);
  }

  toJSON(): TraceNode[] {
    const now = this.clock();
    return this.roots.map((root) => describe(root, now));
  }

  clear(): void {
    this.roots = [];
  }

  protected override keep(value: unknown): unknown {
    return jsonSafe(value);
  }

  protected override started(run: TracedRun<unknown>): void {
    if (run.parent === undefined) this.roots.push(run);
  }
}

function describe(run: TracedRun<unknown>, now: number): TraceNode {
  const { name, component, type, address, startedAt, endedAt, input, outcome, children } = run;
  return {
    name,
    component,
    type,
    address,
    startedAt,
    durationMs: (endedAt ?? now) - startedAt,
    ...(outcome === undefined ? { running: true } : {}),
    ...(input === undefined ? {} : { input }),
    ...(outcome?.value === undefined ? {} : { [outcome.kind]: outcome.value }),
    children: children.map((child) => describe(child, now)),
  };
}
