import { ChunkTimes } from "../../callbacks/chunk-times.js";
import type { GraphInfo } from "../../callbacks/graph-info.js";
import { describesGraph, type RunInfo } from "../../callbacks/run-info.js";
import type { StreamSink } from "../../callbacks/stream-copy.js";
import { openSink, type SinkHandler } from "../../callbacks/stream-needs.js";
import type { TraceChunks, TraceUsage } from "../../callbacks/trace.js";
import { TracedRun, TraceTree, wallClock } from "../../callbacks/trace-tree.js";
import { isFields } from "../../is.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import type { ErrorView, SpanView, WireValue } from "../api.js";
import type { Redact } from "../viewer-options.js";
import type { SpanSource } from "./span-view.js";
import { errorView, measuredWire, toWire } from "./wire-value.js";

/** One run of a graph, resumes included. */
export interface LiveRun {
  readonly key: string;
  readonly checkpointId: string | undefined;
  readonly graph: string;
  readonly component: string;
  readonly info: (() => GraphInfo) | undefined;
  readonly roots: LiveSpan[];
  readonly spans: Map<string, LiveSpan>;
  threadId: string | undefined;
  /** About how many bytes its values take. */
  size: number;
}

export interface LiveListener {
  /** A span has started, changed or ended. */
  onSpan(run: LiveRun, span: LiveSpan): void;
  /** A text has arrived. */
  onChunk(run: LiveRun, span: LiveSpan, at: number, text: string): void;
  /** Old runs were dropped, because there were too many. */
  onDrop(count: number): void;
}

export interface LiveLimits {
  readonly runs: number;
  readonly bytes: number;
}

/** The runs that pass the handler. */
export class LiveRuns extends TraceTree<WireValue> implements SinkHandler {
  readonly byKey = new Map<string, LiveRun>();
  readonly #redact: Redact | undefined;
  readonly #listener: LiveListener;
  readonly #limits: LiveLimits;
  #place = "input";
  #size = 0;
  #kept = 0;

  constructor(listener: LiveListener, redact: Redact | undefined, limits: LiveLimits) {
    super(wallClock);
    this.#listener = listener;
    this.#redact = redact;
    this.#limits = limits;
  }

  override onStart(info: RunInfo, value: unknown, parent: unknown): TracedRun<WireValue> {
    // a run that passes twice, as where a graph and its runtime have the handler, is one
    const known = parent instanceof LiveSpan ? parent.run.spans.get(info.runId) : this.#rootOf(info);
    if (known !== undefined) return known;
    this.#place = "input";
    return super.onStart(info, value, parent);
  }

  override onEnd(info: RunInfo, value: unknown, run: unknown): void {
    if (!(run instanceof LiveSpan) || run.outcome !== undefined) return;
    this.#place = "output";
    if (run.component === "model") run.takeAnswer(value);
    super.onEnd(info, value, run);
  }

  override onError(info: RunInfo, error: unknown, run: unknown): void {
    if (!(run instanceof LiveSpan) || run.outcome !== undefined) return;
    run.failure = errorView(error, this.#redact);
    super.onError(info, undefined, run);
  }

  override onInterrupt(info: RunInfo, _interrupt: unknown, run: unknown): void {
    if (!(run instanceof LiveSpan) || run.outcome !== undefined) return;
    super.onInterrupt(info, undefined, run);
  }

  override onEvent(_info: RunInfo, event: unknown, run: unknown): void {
    if (!(run instanceof LiveSpan)) return;
    const kind = isFields(event) && typeof event.kind === "string" ? event.kind : "event";
    run.notes.push({ at: this.clock(), kind, value: this.#copy(event, "event", run.run) });
    this.#tell(run);
  }

  [openSink](info: RunInfo, joining: Joining | undefined, run: unknown, isInput = false): StreamSink<unknown> {
    const parts: unknown[] = [];
    const end = (isWhole: boolean): void => {
      if (!sink.isOpen) return;
      sink.isOpen = false;
      if (!(run instanceof LiveSpan) || (parts.length === 0 && !isWhole)) return;
      if (isInput) run.input = this.#copy(joined(parts, joining), "input", run.run);
      else if (isWhole) this.onEnd(info, joined(parts, joining), run);
    };
    const sink = {
      isOpen: true,
      write: (chunk: unknown): void => {
        parts.push(chunk);
        if (!isInput && run instanceof LiveSpan) this.#chunk(run, chunk);
      },
      end: () => end(true),
      fail: () => end(false),
    };
    return sink;
  }

  protected override open(...made: ConstructorParameters<typeof LiveSpan>): LiveSpan {
    return new LiveSpan(...made);
  }

  protected override keep(value: unknown, _info: RunInfo): WireValue {
    const { value: copy, size } = measuredWire(value, this.#redact, [this.#place]);
    this.#kept += size;
    return copy;
  }

  protected override started(span: TracedRun<WireValue>): void {
    if (!(span instanceof LiveSpan)) return;
    if (span.parent === undefined) this.#addRoot(span);
    else if (span.threadId !== undefined) span.run.threadId ??= span.threadId;
    span.run.spans.set(span.id, span);
    this.#count(span.run, 500);
    this.#tell(span);
  }

  protected override ended(span: TracedRun<WireValue>): void {
    if (!(span instanceof LiveSpan)) return;
    this.#count(span.run, 0);
    this.#tell(span);
    if (span.parent === undefined) this.#dropOld();
  }

  #rootOf(info: RunInfo): LiveSpan | undefined {
    return this.byKey.get(info.meta?.runKey ?? info.runId)?.spans.get(info.runId);
  }

  #addRoot(span: LiveSpan): void {
    const known = this.byKey.get(span.run.key);
    if (known !== undefined) span.run = known;
    else this.byKey.set(span.run.key, span.run);
    span.run.roots.push(span);
  }

  /** Adds what was kept since to the size of a run. */
  #count(run: LiveRun, more: number): void {
    run.size += this.#kept + more;
    this.#size += this.#kept + more;
    this.#kept = 0;
  }

  #tell(span: LiveSpan): void {
    this.#listener.onSpan(span.run, span);
  }

  #chunk(span: LiveSpan, chunk: unknown): void {
    const at = this.clock();
    span.times ??= new ChunkTimes();
    span.times.add(at - span.startedAt, chunk);
    const text = textOf(chunk);
    // a graph passes on what its nodes stream
    if (text !== "" && span.component === "model") {
      const shown = toWire(text, this.#redact, ["output"]);
      this.#listener.onChunk(span.run, span, at, typeof shown === "string" ? shown : "");
    }
  }

  #copy(value: unknown, place: string, run: LiveRun): WireValue {
    const { value: copy, size } = measuredWire(value, this.#redact, [place]);
    this.#kept += size;
    this.#count(run, 0);
    return copy;
  }

  /** The oldest run that has ended goes first. */
  #dropOld(): void {
    let dropped = 0;
    for (const [key, run] of this.byKey) {
      if (this.byKey.size <= this.#limits.runs && this.#size <= this.#limits.bytes) break;
      if (run.roots.some(({ outcome }) => outcome === undefined)) continue;
      this.byKey.delete(key);
      this.#size -= run.size;
      dropped += 1;
    }
    if (dropped > 0) this.#listener.onDrop(dropped);
  }
}

export class LiveSpan extends TracedRun<WireValue> implements SpanSource {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly toolCallId: string | undefined;
  readonly threadId: string | undefined;
  run: LiveRun;
  readonly info: (() => GraphInfo) | undefined;
  failure: ErrorView | undefined = undefined;
  times: ChunkTimes | undefined = undefined;
  usage: TraceUsage | undefined = undefined;
  answeredBy: string | undefined = undefined;
  readonly notes: { readonly at: number; readonly kind: string; readonly value: WireValue }[] = [];

  constructor(
    info: RunInfo,
    parent: TracedRun<WireValue> | undefined,
    startedAt: number,
    input: WireValue | undefined,
  ) {
    super(info, parent, startedAt, input);
    const { runId, toolCallId, component, name } = info;
    this.id = runId;
    this.toolCallId = toolCallId;
    this.parentId = parent instanceof LiveSpan ? parent.id : undefined;
    const isAgent = component === "agent";
    const meta = parent === undefined || isAgent ? info.meta : undefined;
    this.threadId = meta?.threadId;
    this.info = (info as { readonly [describesGraph]?: () => GraphInfo })[describesGraph] ?? meta?.info;
    if (parent instanceof LiveSpan) {
      this.run = parent.run;
      return;
    }
    const { runKey = runId, checkpointId, graph = name, threadId } = meta ?? {};
    this.run = {
      key: runKey,
      checkpointId,
      graph,
      component,
      info: this.info,
      roots: [],
      spans: new Map(),
      threadId,
      size: 0,
    };
  }

  get status(): SpanView["status"] {
    const { outcome } = this;
    if (outcome === undefined) return "running";
    return outcome.kind === "output" ? "done" : outcome.kind === "error" ? "failed" : "waiting";
  }

  get output(): WireValue | undefined {
    return this.outcome?.kind === "output" ? this.outcome.value : undefined;
  }

  get error(): ErrorView | undefined {
    return this.failure;
  }

  get chunks(): TraceChunks | undefined {
    return this.times?.toJSON();
  }

  get events(): SpanSource["events"] {
    return this.notes;
  }

  get model(): string | undefined {
    return this.component === "model" ? (this.answeredBy ?? (this.type || undefined)) : undefined;
  }

  get attempt(): number | undefined {
    return attemptOf(this.address, this.notes);
  }

  takeAnswer(value: unknown): void {
    const message = isFields(value) ? value.message : undefined;
    const meta = isFields(message) ? message.responseMeta : undefined;
    if (!isFields(meta)) return;
    this.usage = meta.tokenUsage as TraceUsage | undefined;
    this.answeredBy = typeof meta.model === "string" ? meta.model : undefined;
  }
}

/** Which attempt of a model or a node it is. */
export function attemptOf(address: string, events: readonly { readonly kind: string }[]): number | undefined {
  const [, attempt] = /;runnable:attempt:(?:[^;]* )?attempt (\d+)$/.exec(address) ?? [];
  if (attempt !== undefined) return Number(attempt);
  const retries = events.filter(({ kind }) => kind === "retry").length;
  return retries === 0 ? undefined : retries + 1;
}

function joined(parts: readonly unknown[], joining: Joining | undefined): unknown {
  try {
    return joinChunks(parts, joining);
  } catch {
    return parts;
  }
}

function textOf(chunk: unknown): string {
  if (typeof chunk === "string") return chunk;
  const message = isFields(chunk) && "message" in chunk ? chunk.message : chunk;
  const blocks = isFields(message) && Array.isArray(message.contentBlocks) ? message.contentBlocks : [];
  return blocks
    .map((block: unknown) => (isFields(block) && block.type === "assistant_gen_text" ? String(block.text) : ""))
    .join("");
}
