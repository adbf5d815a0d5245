import type { ComponentKind } from "../../callbacks/component-kind.js";
import type { GraphInfo } from "../../callbacks/graph-info.js";
import type { RunInfo } from "../../callbacks/run-info.js";
import type { TraceChunks, TraceUsage } from "../../callbacks/trace.js";
import { isFields } from "../../is.js";
import type { ErrorView, ValueView } from "../api.js";
import type { LiveRuns } from "./live-runs.js";
import { type LiveRun, LiveSpan, type SpanNote } from "./live-span.js";

/** What another process sends of a span: all that is known of it. */
export interface SpanMessage {
  readonly id: string;
  readonly parent?: string | undefined;
  readonly run: string;
  readonly name: string;
  readonly component: ComponentKind;
  readonly type: string;
  readonly address: string;
  readonly toolCallId?: string | undefined;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly outcome?: "output" | "error" | "interrupt" | undefined;
  readonly input?: ValueView | undefined;
  readonly output?: ValueView | undefined;
  readonly error?: ErrorView | undefined;
  readonly chunks?: TraceChunks | undefined;
  readonly usage?: TraceUsage | undefined;
  readonly model?: string | undefined;
  readonly notes?: readonly SpanNote[] | undefined;
  readonly threadId?: string | undefined;
  /** Of a root. */
  readonly checkpointId?: string | undefined;
  readonly graph?: string | undefined;
  readonly info?: GraphInfo | undefined;
}

/** A text of a model. */
export interface ChunkMessage {
  readonly run: string;
  readonly span: string;
  readonly at: number;
  readonly text: string;
}

/** `POST spans`, only of `kumiko dev`: what `devtools()` sends. */
export interface SpansRequest {
  readonly spans: readonly SpanMessage[];
  readonly chunks: readonly ChunkMessage[];
  /** How many were dropped, because nobody took them. */
  readonly lost: number;
}

export function spanMessage(span: LiveSpan): SpanMessage {
  const { id, parentId, name, component, type, address, toolCallId, startedAt, endedAt, outcome, run } = span;
  const { input, output, failure, chunks, usage, answeredBy, notes, threadId } = span;
  const root = parentId === undefined ? { checkpointId: run.checkpointId, graph: run.graph, info: run.info?.() } : {};
  return {
    ...{ id, parent: parentId, run: run.key, name, component, type, address, toolCallId, startedAt, endedAt },
    ...{ outcome: outcome?.kind, input, output, error: failure, chunks, usage, model: answeredBy, notes, threadId },
    ...root,
  };
}

/** Takes spans of another process. Anything else is ignored, and so are spans that this process has reported itself. */
export class ForeignSpans {
  readonly #live: LiveRuns;
  readonly #taken = new WeakSet<LiveSpan>();
  readonly #ids = new WeakMap<LiveRun, Map<string, LiveSpan>>();

  constructor(live: LiveRuns) {
    this.#live = live;
  }

  take(message: SpanMessage): void {
    if (!isSpan(message)) return;
    const known = this.#find(message.run, message.id);
    if (known !== undefined && !this.#taken.has(known)) return;
    const span = known ?? this.#made(message);
    if (span === undefined) return;
    this.#taken.add(span);
    const { endedAt, outcome, input, output, error, chunks, usage, model, notes } = message;
    span.input = input ?? span.input;
    span.endedAt = endedAt;
    span.failure = error;
    span.times = chunks;
    span.usage = usage;
    span.answeredBy = model;
    span.notes = notes === undefined ? undefined : [...notes];
    if (outcome === "output") span.outcome = { kind: outcome, value: output };
    else if (outcome !== undefined)
      span.outcome = { kind: outcome, value: { value: null, size: 4 }, thrown: undefined };
    this.#live.put(span, known === undefined);
  }

  #made(message: SpanMessage): LiveSpan | undefined {
    const parent = message.parent === undefined ? undefined : this.#find(message.run, message.parent);
    return message.parent !== undefined && parent === undefined ? undefined : newSpan(message, parent);
  }

  #find(key: string, id: string): LiveSpan | undefined {
    const run = this.#live.byKey.get(key);
    if (run === undefined) return undefined;
    const ids = this.#ids.get(run) ?? new Map<string, LiveSpan>();
    this.#ids.set(run, ids);
    for (const span of run.spans.slice(ids.size)) ids.set(span.id, span);
    return ids.get(id);
  }
}

function newSpan(message: SpanMessage, parent: LiveSpan | undefined): LiveSpan {
  const { id, name, component, type, address, toolCallId, startedAt, input, run, checkpointId, graph, threadId } =
    message;
  const { info } = message;
  const meta = { runKey: run, checkpointId, graph, threadId, ...(info !== undefined && { info: () => info }) };
  const record: RunInfo = {
    ...{ runId: id, parentRunId: message.parent, name, type, component, address, toolCallId, meta },
  };
  const span = new LiveSpan(record, parent, startedAt, input);
  parent?.inside.push(span);
  return span;
}

function isSpan(message: unknown): message is SpanMessage {
  if (!isFields(message)) return false;
  const { id, run, name, component, type, address, startedAt } = message;
  return (
    [id, run, name, component, type, address].every((text) => typeof text === "string") && Number.isFinite(startedAt)
  );
}
