import { joinChunks } from "../schema/concat/concat-chunks.js";
import type { Joining } from "../schema/concat/rule.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { ChunkTimes } from "./chunk-times.js";
import type { GraphInfo } from "./graph-info.js";
import type { Handler } from "./handler.js";
import { jsonSafe } from "./json-safe.js";
import { describesGraph, type RunInfo } from "./run-info.js";
import type { StreamSink } from "./stream-copy.js";
import { openSink, type SinkHandler } from "./stream-needs.js";
import type { Trace, TraceEvent, TraceNode } from "./trace.js";
import { TracedRun, TraceTree, wallClock } from "./trace-tree.js";

/** Options of {@link traceRecorder}. */
export interface TraceRecorderOptions {
  /** Returns milliseconds since 1970. @default the system clock */
  readonly clock?: (() => number) | undefined;
}

/** A handler that records runs until `clear()`. */
export interface TraceRecorder extends Handler {
  /** What was recorded, as plain JSON. May be called at any time. */
  toJSON(): Trace;
  /** Removes all recorded runs. Runs that are still open are no longer recorded. */
  clear(): void;
}

/**
 * Records runs as JSON: trees with inputs, outputs, errors and times, and the graphs that ran. Values are copied when they are
 * recorded.
 *
 * @example
 * const trace = traceRecorder();
 * await app.invoke(input, { callbacks: [trace] });
 * console.log(JSON.stringify(trace, null, 2));
 */
export function traceRecorder(options: TraceRecorderOptions = {}): TraceRecorder {
  return new Recorder(options);
}

class Recorder extends TraceTree<unknown> implements TraceRecorder, SinkHandler {
  private roots: RecordedRun[] = [];

  constructor({ clock = wallClock }: TraceRecorderOptions) {
    super(clock);
  }

  toJSON(): Trace {
    const now = this.clock();
    const graphs = new Graphs();
    return { version: 1, runs: this.roots.map((root) => describe(root, now, graphs)), graphs: graphs.byKey };
  }

  clear(): void {
    this.roots = [];
  }

  override onEvent(_info: RunInfo, event: unknown, run: unknown): void {
    if (!(run instanceof RecordedRun)) return;
    const fields = jsonSafe(event);
    const isObject = typeof fields === "object" && !Array.isArray(fields);
    run.events.push({ kind: "event", ...(isObject ? fields : { value: fields }), at: this.clock() } as TraceEvent);
  }

  [openSink](info: RunInfo, joining: Joining | undefined, run: unknown, isInput = false): StreamSink<unknown> {
    if (!(run instanceof RecordedRun)) return new JoiningSink(joining, () => undefined);
    if (isInput) return new JoiningSink(joining, (value) => run.keepInput(value));
    const chunks = new ChunkTimes();
    run.chunks = chunks;
    const sink = new JoiningSink(joining, (value, isWhole) => isWhole && this.onEnd(info, value, run));
    sink.onChunk = (chunk) => chunks.add(this.clock() - run.startedAt, chunk);
    return sink;
  }

  protected override open(...made: ConstructorParameters<typeof RecordedRun>): RecordedRun {
    return new RecordedRun(...made);
  }

  protected override keep(value: unknown): unknown {
    return jsonSafe(value);
  }

  protected override started(run: TracedRun<unknown>): void {
    if (run.parent === undefined && run instanceof RecordedRun) this.roots.push(run);
  }
}

class RecordedRun extends TracedRun<unknown> {
  readonly id: string;
  readonly toolCallId: string | undefined;
  readonly graph: (() => GraphInfo) | undefined;
  readonly runKey: string | undefined = undefined;
  readonly checkpointId: string | undefined = undefined;
  threadId: string | undefined = undefined;
  chunks: ChunkTimes | undefined = undefined;
  readonly events: TraceEvent[] = [];

  constructor(info: RunInfo, parent: TracedRun<unknown> | undefined, startedAt: number, input: unknown) {
    super(info, parent, startedAt, input);
    this.id = info.runId;
    this.toolCallId = info.toolCallId;
    this.graph = (info as { readonly [describesGraph]?: () => GraphInfo })[describesGraph];
    if (parent !== undefined && info.component !== "agent") return;
    const { runKey, checkpointId, threadId, info: graph } = info.meta ?? {};
    this.graph ??= graph;
    let root: TracedRun<unknown> = this;
    while (root.parent !== undefined) root = root.parent;
    if (root === this) {
      this.runKey = runKey;
      this.checkpointId = checkpointId;
    }
    if (root instanceof RecordedRun) root.threadId ??= threadId;
  }

  /** A streamed input is known once it was read. */
  keepInput(value: unknown): void {
    this.input = jsonSafe(value);
  }
}

/** Joins the chunks of a stream, as far as it was read. Of chunks that cannot be joined it gives the list. */
class JoiningSink implements StreamSink<unknown> {
  isOpen = true;
  onChunk: ((chunk: unknown) => void) | undefined = undefined;
  private readonly joining: Joining | undefined;
  private readonly done: (value: unknown, isWhole: boolean) => void;
  private chunks: unknown[] = [];

  constructor(joining: Joining | undefined, done: (value: unknown, isWhole: boolean) => void) {
    this.joining = joining;
    this.done = done;
  }

  write(chunk: unknown): void {
    this.chunks.push(chunk);
    this.onChunk?.(chunk);
  }

  end(): void {
    this.close(true);
  }

  fail(): void {
    this.close(false);
  }

  private close(isWhole: boolean): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { chunks } = this;
    this.chunks = [];
    let value: unknown = chunks;
    try {
      value = joinChunks(chunks, this.joining);
    } catch {
      // the list of chunks says what there was
    }
    this.done(chunks.length === 0 && !isWhole ? undefined : value, isWhole);
  }
}

/** The graphs of a trace, by key. */
class Graphs {
  readonly byKey: Record<string, GraphInfo> = {};
  private readonly keys = new Map<() => GraphInfo, string>();

  keyOf(describeGraph: () => GraphInfo): string {
    const known = this.keys.get(describeGraph);
    if (known !== undefined) return known;
    const copy: unknown = jsonSafe(describeGraph());
    const info = copy as GraphInfo;
    let key = info.name;
    const isOther = (): boolean =>
      Object.hasOwn(this.byKey, key) && JSON.stringify(this.byKey[key]) !== JSON.stringify(info);
    for (let n = 2; isOther(); n++) key = `${info.name}#${n}`;
    Object.defineProperty(this.byKey, key, { value: info, enumerable: true, configurable: true, writable: true });
    this.keys.set(describeGraph, key);
    return key;
  }
}

function describe(run: RecordedRun, now: number, graphs: Graphs): TraceNode {
  const { id, name, component, type, address, toolCallId, startedAt, endedAt, input, outcome, chunks, events } = run;
  const { runKey, checkpointId, threadId, children } = run;
  return withoutUndefined<TraceNode>({
    id,
    name,
    component,
    type,
    address,
    toolCallId,
    graph: run.graph && graphs.keyOf(run.graph),
    runKey,
    checkpointId,
    threadId,
    startedAt,
    durationMs: (endedAt ?? now) - startedAt,
    running: outcome === undefined ? true : undefined,
    input,
    ...(outcome === undefined ? undefined : { [outcome.kind]: outcome.value }),
    chunks: chunks?.toJSON(),
    ...(component === "model" && answerOf(run)),
    attempt: attemptOf(run),
    events: events.length === 0 ? undefined : [...events],
    children: children.map((child) => describe(child as RecordedRun, now, graphs)),
  });
}

/** The model that has answered, and the tokens that it has reported. */
function answerOf({ type, outcome }: RecordedRun): Pick<TraceNode, "model" | "usage"> {
  const output = outcome?.kind === "output" ? (outcome.value as { readonly message?: unknown } | undefined) : undefined;
  const { responseMeta } = (output?.message ?? {}) as { readonly responseMeta?: Record<string, unknown> };
  return {
    model: (responseMeta?.model as string | undefined) ?? (type || undefined),
    usage: responseMeta?.tokenUsage as TraceNode["usage"],
  };
}

function attemptOf({ address, events }: RecordedRun): number | undefined {
  const [, attempt] = /;runnable:attempt:(?:[^;]* )?attempt (\d+)$/.exec(address) ?? [];
  if (attempt !== undefined) return Number(attempt);
  const retries = events.filter(({ kind }) => kind === "retry").length;
  return retries === 0 ? undefined : retries + 1;
}
