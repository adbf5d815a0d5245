import { ChunkTimes } from "../../callbacks/chunk-times.js";
import type { GraphInfo } from "../../callbacks/graph-info.js";
import { describesGraph, type RunInfo } from "../../callbacks/run-info.js";
import type { TraceChunks, TraceUsage } from "../../callbacks/trace.js";
import { TracedRun } from "../../callbacks/trace-tree.js";
import { isFields } from "../../is.js";
import type { ErrorView, SpanView, ValueView } from "../api.js";
import type { SpanSource } from "../span-view.js";

/** One run of a graph, resumes included. */
export interface LiveRun {
  readonly key: string;
  readonly checkpointId: string | undefined;
  readonly graph: string;
  readonly component: string;
  readonly info: (() => GraphInfo) | undefined;
  readonly roots: LiveSpan[];
  /** In the order in which they began. */
  readonly spans: LiveSpan[];
  threadId: string | undefined;
  /** About how many bytes its values take. */
  size: number;
  /** What the page calls it, once that was asked for. */
  ref?: string;
}

export interface SpanNote {
  readonly at: number;
  readonly kind: string;
  readonly value: ValueView;
}

const none: readonly SpanNote[] = [];

/** A span that has passed the handler. Its values are copies. */
export class LiveSpan extends TracedRun<ValueView> implements SpanSource {
  readonly id: string;
  readonly toolCallId: string | undefined;
  readonly threadId: string | undefined;
  run: LiveRun;
  /** How its text grew; of a span of another process, as it was sent. */
  times: ChunkTimes | TraceChunks | undefined = undefined;
  failure: ErrorView | undefined = undefined;
  usage: TraceUsage | undefined = undefined;
  answeredBy: string | undefined = undefined;
  notes: SpanNote[] | undefined = undefined;

  constructor(
    info: RunInfo,
    parent: TracedRun<ValueView> | undefined,
    startedAt: number,
    input: ValueView | undefined,
  ) {
    super(info, parent, startedAt, input);
    const { runId, toolCallId, component } = info;
    this.id = runId;
    this.toolCallId = toolCallId;
    const meta = parent === undefined || component === "agent" ? info.meta : undefined;
    this.threadId = meta?.threadId;
    this.run = parent instanceof LiveSpan ? parent.run : newRun(info);
  }

  get parentId(): string | undefined {
    return this.parent instanceof LiveSpan ? this.parent.id : undefined;
  }

  get root(): LiveSpan {
    return this.parent instanceof LiveSpan ? this.parent.root : this;
  }

  get status(): SpanView["status"] {
    const { outcome } = this;
    if (outcome === undefined) return "running";
    return outcome.kind === "output" ? "done" : outcome.kind === "error" ? "failed" : "waiting";
  }

  get output(): ValueView | undefined {
    return this.outcome?.kind === "output" ? this.outcome.value : undefined;
  }

  get error(): ErrorView | undefined {
    return this.failure;
  }

  get chunks(): TraceChunks | undefined {
    return this.times instanceof ChunkTimes ? this.times.toJSON() : this.times;
  }

  get events(): readonly SpanNote[] {
    return this.notes ?? none;
  }

  get model(): string | undefined {
    return this.component === "model" ? (this.answeredBy ?? (this.type || undefined)) : undefined;
  }

  get attempt(): number | undefined {
    return attemptOf(this.address, this.events);
  }

  takeAnswer(value: unknown): void {
    const message = isFields(value) ? value.message : undefined;
    const meta = isFields(message) ? message.responseMeta : undefined;
    if (!isFields(meta)) return;
    this.usage = meta.tokenUsage as TraceUsage | undefined;
    this.answeredBy = typeof meta.model === "string" ? meta.model : undefined;
  }
}

function newRun(record: RunInfo): LiveRun {
  const { runId, name, component, meta } = record;
  const info = (record as { readonly [describesGraph]?: () => GraphInfo })[describesGraph] ?? meta?.info;
  const { runKey: key = runId, checkpointId, graph = name, threadId } = meta ?? {};
  return { key, checkpointId, graph, component, info, roots: [], spans: [], threadId, size: 0 };
}

/** Which attempt of a model or a node it is. */
function attemptOf(address: string, events: readonly { readonly kind: string }[]): number | undefined {
  const [, attempt] = /;runnable:attempt:(?:[^;]* )?attempt (\d+)$/.exec(address) ?? [];
  if (attempt !== undefined) return Number(attempt);
  const retries = events.filter(({ kind }) => kind === "retry").length;
  return retries === 0 ? undefined : retries + 1;
}
