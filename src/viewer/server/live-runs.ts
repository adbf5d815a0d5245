import { ChunkTimes } from "../../callbacks/chunk-times.js";
import type { RunInfo } from "../../callbacks/run-info.js";
import type { StreamSink } from "../../callbacks/stream-copy.js";
import { openSink, type SinkHandler } from "../../callbacks/stream-needs.js";
import { type TracedRun, TraceTree, wallClock } from "../../callbacks/trace-tree.js";
import { isFields } from "../../is.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import type { ValueView } from "../api.js";
import { Copier, errorView, type Redact, wireView } from "../wire-value.js";
import { type LiveRun, LiveSpan } from "./live-span.js";

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
  /** How long the copy of one value may be. @default 5 MB */
  readonly value?: number;
}

/** What a span takes without its values. */
const spanSize = 500;

/** The runs that pass the handler. */
export class LiveRuns extends TraceTree<ValueView> implements SinkHandler {
  readonly byKey = new Map<string, LiveRun>();
  readonly #redact: Redact | undefined;
  readonly #copier: Copier;
  readonly #listener: LiveListener;
  readonly #limits: LiveLimits;
  #place = "input";
  #size = 0;
  /** The size of what was copied since the last count. */
  #copied = 0;

  constructor(listener: LiveListener, redact: Redact | undefined, limits: LiveLimits) {
    super(wallClock);
    this.#listener = listener;
    this.#redact = redact;
    this.#copier = new Copier(redact, limits.value);
    this.#limits = limits;
  }

  override onStart(info: RunInfo, value: unknown, parent: unknown): TracedRun<ValueView> {
    const last = parent instanceof LiveSpan ? parent.inside.at(-1) : this.#rootOf(info);
    // what passes twice, as where a graph and its runtime have the handler, is one: it comes again at once
    if (last instanceof LiveSpan && last.id === info.runId) return last;
    this.#place = "input";
    return super.onStart(info, value, parent);
  }

  override onEnd(info: RunInfo, value: unknown, span: unknown): void {
    if (!(span instanceof LiveSpan) || span.outcome !== undefined) return;
    this.#place = "output";
    if (span.component === "model") span.takeAnswer(value);
    super.onEnd(info, value, span);
  }

  override onError(info: RunInfo, error: unknown, span: unknown): void {
    if (!(span instanceof LiveSpan) || span.outcome !== undefined) return;
    span.failure = errorView(error, this.#redact);
    super.onError(info, undefined, span);
  }

  override onInterrupt(info: RunInfo, _interrupt: unknown, span: unknown): void {
    if (!(span instanceof LiveSpan) || span.outcome !== undefined) return;
    super.onInterrupt(info, undefined, span);
  }

  override onEvent(_info: RunInfo, event: unknown, span: unknown): void {
    if (!(span instanceof LiveSpan)) return;
    const kind = isFields(event) && typeof event.kind === "string" ? event.kind : "event";
    this.#place = "event";
    span.notes ??= [];
    span.notes.push({ at: this.clock(), kind, value: this.keep(event) });
    this.#changed(span);
  }

  [openSink](info: RunInfo, joining: Joining | undefined, span: unknown, isInput = false): StreamSink<unknown> {
    const parts: unknown[] = [];
    const end = (isWhole: boolean): void => {
      if (!sink.isOpen) return;
      sink.isOpen = false;
      if (!(span instanceof LiveSpan) || (parts.length === 0 && !isWhole)) return;
      if (isInput) {
        this.#place = "input";
        span.input = this.keep(joined(parts, joining));
        this.#changed(span);
      } else if (isWhole) this.onEnd(info, joined(parts, joining), span);
    };
    const sink = {
      isOpen: true,
      write: (chunk: unknown): void => {
        parts.push(chunk);
        if (!isInput && span instanceof LiveSpan) this.#chunk(span, chunk);
      },
      end: () => end(true),
      fail: () => end(false),
    };
    return sink;
  }

  /** Takes a span that was recorded elsewhere, or has changed there. */
  put(span: LiveSpan, isNew: boolean): void {
    if (isNew) {
      this.#copied += (span.input?.size ?? 0) + (span.output?.size ?? 0);
      this.started(span);
    } else this.#listener.onSpan(span.run, span);
    if (span.outcome !== undefined && span.parent === undefined) this.#dropOld();
  }

  protected override open(...made: ConstructorParameters<typeof LiveSpan>): LiveSpan {
    return new LiveSpan(...made);
  }

  protected override keep(value: unknown): ValueView {
    const view = this.#copier.view(value, this.#redact === undefined ? undefined : [this.#place]);
    this.#copied += view.size;
    return view;
  }

  protected override started(span: TracedRun<ValueView>): void {
    if (!(span instanceof LiveSpan)) return;
    if (span.parent === undefined) this.#addRoot(span);
    else if (span.threadId !== undefined) span.run.threadId ??= span.threadId;
    span.run.spans.push(span);
    this.#copied += spanSize;
    this.#changed(span);
  }

  protected override ended(span: TracedRun<ValueView>): void {
    if (!(span instanceof LiveSpan)) return;
    this.#changed(span);
    if (span.parent === undefined) this.#dropOld();
  }

  #rootOf(info: RunInfo): LiveSpan | undefined {
    return this.byKey.get(info.meta?.runKey ?? info.runId)?.roots.at(-1);
  }

  #addRoot(span: LiveSpan): void {
    const known = this.byKey.get(span.run.key);
    if (known !== undefined) span.run = known;
    else this.byKey.set(span.run.key, span.run);
    span.run.roots.push(span);
  }

  /** Counts what was copied, and tells the pages. */
  #changed(span: LiveSpan): void {
    span.run.size += this.#copied;
    this.#size += this.#copied;
    this.#copied = 0;
    this.#listener.onSpan(span.run, span);
  }

  #chunk(span: LiveSpan, chunk: unknown): void {
    const at = this.clock();
    if (!(span.times instanceof ChunkTimes)) span.times = new ChunkTimes();
    span.times.add(at - span.startedAt, chunk);
    // a graph passes on what its nodes stream
    const text = span.component === "model" ? textOf(chunk) : "";
    if (text === "") return;
    const shown = this.#redact === undefined ? text : wireView(text, { redact: this.#redact, path: ["output"] }).value;
    this.#listener.onChunk(span.run, span, at, typeof shown === "string" ? shown : "");
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
  let text = "";
  for (const block of blocks as readonly unknown[])
    if (isFields(block) && block.type === "assistant_gen_text") text += String(block.text);
  return text;
}
