import type { ComponentKind } from "./component-kind.js";
import type { Handler } from "./handler.js";
import type { RunInfo } from "./run-info.js";

export type Outcome<Value> =
  | { readonly kind: "output"; readonly value: Value | undefined }
  | { readonly kind: "error" | "interrupt"; readonly value: Value; readonly thrown: unknown };

export interface TracedEvent<Value> {
  readonly event: Value;
}

/** One run in a trace. `Value` is the form in which inputs, outputs and errors are kept. */
export class TracedRun<Value> {
  // copies of the fields of RunInfo, because the object would keep the whole run in memory
  readonly name: string;
  readonly component: ComponentKind;
  readonly type: string;
  readonly address: string;
  readonly parent: TracedRun<Value> | undefined;
  readonly startedAt: number;
  input: Value | undefined;
  /** Runs and side events inside this one, in order. */
  readonly inside: (TracedRun<Value> | TracedEvent<Value>)[] = [];
  endedAt: number | undefined = undefined;
  /** `undefined` while it is running. */
  outcome: Outcome<Value> | undefined = undefined;

  constructor(info: RunInfo, parent: TracedRun<Value> | undefined, startedAt: number, input: Value | undefined) {
    this.name = info.name;
    this.component = info.component;
    this.type = info.type;
    this.address = info.address;
    this.parent = parent;
    this.startedAt = startedAt;
    this.input = input;
  }

  get children(): readonly TracedRun<Value>[] {
    return this.inside.filter((item) => item instanceof TracedRun);
  }
}

/** A handler that builds trees of any number of concurrent runs. Its spans are the traced runs. */
export abstract class TraceTree<Value> implements Handler {
  protected readonly clock: () => number;

  constructor(clock: () => number) {
    this.clock = clock;
  }

  onStart(info: RunInfo, value: unknown, parent: unknown): TracedRun<Value> {
    const outer = isTraced<Value>(parent) ? parent : undefined;
    const run = this.open(info, outer, this.clock(), value === undefined ? undefined : this.keep(value, info));
    outer?.inside.push(run);
    this.started(run);
    return run;
  }

  onEnd(info: RunInfo, value: unknown, run: unknown): void {
    this.end(run, { kind: "output", value: value === undefined ? undefined : this.keep(value, info) });
  }

  onError(info: RunInfo, error: unknown, run: unknown): void {
    this.end(run, { kind: "error", value: this.keep(error, info), thrown: error });
  }

  onInterrupt(info: RunInfo, interrupt: unknown, run: unknown): void {
    this.end(run, { kind: "interrupt", value: this.keep(interrupt, info), thrown: interrupt });
  }

  onEvent(info: RunInfo, event: unknown, run: unknown): void {
    if (isTraced<Value>(run)) run.inside.push({ event: this.keep(event, info) });
  }

  protected open(...made: ConstructorParameters<typeof TracedRun<Value>>): TracedRun<Value> {
    return new TracedRun(...made);
  }

  /** Returns what to keep of a value, which may be changed later. */
  protected abstract keep(value: unknown, info: RunInfo): Value;
  protected started(_run: TracedRun<Value>): void {}
  protected ended(_run: TracedRun<Value>): void {}

  private end(run: unknown, outcome: Outcome<Value>): void {
    if (!isTraced<Value>(run)) return;
    run.endedAt = this.clock();
    run.outcome = outcome;
    this.ended(run);
  }
}

function isTraced<Value>(span: unknown): span is TracedRun<Value> {
  return span instanceof TracedRun;
}

/** Milliseconds since 1970, with fractions. Monotonic. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}
