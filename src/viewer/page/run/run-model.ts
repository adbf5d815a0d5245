import type { RunView, SaveView, SpanView, UsageView, ValueView } from "../../api.js";

/** A span as the page shows it. Times are milliseconds since the start of the run. */
export interface ShownSpan {
  readonly id: string;
  readonly source: SpanView;
  /** The row in the timeline: the path, and `#` with the tool of a tool call. */
  readonly row: string;
  readonly path: string;
  readonly tool: string | undefined;
  readonly component: string;
  readonly start: number;
  /** Infinity while it runs. */
  readonly end: number;
  readonly status: SpanView["status"];
  /** When the first chunk came. */
  readonly first: number | undefined;
  readonly chunks: SpanView["chunks"];
  readonly usage: UsageView | undefined;
  readonly model: string | undefined;
  readonly retries: readonly { readonly at: number; readonly kind: string; readonly value: ValueView | undefined }[];
}

export interface ShownSave extends SaveView {
  /** Milliseconds since the start of the run. */
  readonly time: number;
}

export interface RunModel {
  readonly view: RunView;
  readonly startedAt: number;
  /** The end of all that is known, from the start. */
  readonly end: number;
  readonly spans: readonly ShownSpan[];
  readonly saves: readonly ShownSave[];
  readonly byRow: ReadonlyMap<string, readonly ShownSpan[]>;
  readonly segments: readonly { readonly start: number; readonly end: number; readonly status: string }[];
}

/** `now` is where open spans end, for a run that is still running. */
export function readRun(view: RunView, now: number): RunModel {
  const startedAt = Math.min(
    ...view.segments.map((segment) => segment.startedAt),
    ...view.spans.map((span) => span.startedAt),
    ...(view.segments.length + view.spans.length === 0 ? (view.saves ?? []).map(({ at }) => at) : []),
    ...(view.segments.length + view.spans.length + (view.saves?.length ?? 0) === 0 ? [view.run.since] : []),
  );
  const spans = shownSpans(view.spans, startedAt);
  const saves = (view.saves ?? []).map((save) => ({ ...save, time: save.at - startedAt }));
  const segments = view.segments.map((segment) => ({
    start: segment.startedAt - startedAt,
    end: (segment.endedAt ?? now) - startedAt,
    status: segment.status,
  }));
  const ends = spans.map(({ end }) => (end === Number.POSITIVE_INFINITY ? now - startedAt : end));
  const end = Math.max(1, ...ends, ...segments.map((segment) => segment.end), ...saves.map(({ time }) => time));
  return { view, startedAt, end, spans, saves, byRow: groupByRow(spans), segments };
}

function shownSpans(spans: readonly SpanView[], startedAt: number): ShownSpan[] {
  const attempts = new Map<string, SpanView[]>();
  for (const span of spans) {
    if (!isAttempt(span) || span.parent === undefined) continue;
    attempts.set(span.parent, [...(attempts.get(span.parent) ?? []), span]);
  }
  return spans
    .filter((span) => !isAttempt(span))
    .map((span) => {
      const tries = attempts.get(span.id) ?? [];
      return shown(span, tries.at(-1), tries.length > 1 ? tries.slice(0, -1) : [], startedAt);
    })
    .sort((a, b) => a.start - b.start);
}

/** The try of a model call. The last one is shown as the call itself, those before it as retries. */
function isAttempt({ name, component }: SpanView): boolean {
  return name === "attempt" && component === "model";
}

function shown(
  span: SpanView,
  attempt: SpanView | undefined,
  failed: readonly SpanView[],
  startedAt: number,
): ShownSpan {
  const { id, path, tool, component, status } = span;
  const chunks = span.chunks ?? attempt?.chunks;
  const chunkStart =
    (span.chunks === undefined && attempt !== undefined ? attempt.startedAt : span.startedAt) - startedAt;
  const [firstChunk] = chunks?.at ?? [];
  const retries = [
    ...span.events
      .filter(({ kind }) => /retry|fallback|attempt/i.test(kind))
      .map(({ at, kind, value }) => ({ at: at - startedAt, kind, value })),
    ...failed.map(({ endedAt, startedAt: at }) => ({
      at: (endedAt ?? at) - startedAt,
      kind: "retry",
      value: undefined,
    })),
  ];
  return {
    id,
    source: span,
    row: rowOf(span),
    path,
    tool,
    component: attempt !== undefined || component === "model" ? "model" : component,
    start: span.startedAt - startedAt,
    end: span.endedAt === undefined ? Number.POSITIVE_INFINITY : span.endedAt - startedAt,
    status,
    first: firstChunk === undefined ? undefined : chunkStart + firstChunk[0],
    chunks: chunks && { count: chunks.count, at: chunks.at.map(([ms, length]) => [chunkStart + ms, length] as const) },
    usage: span.usage ?? attempt?.usage,
    model: span.model ?? attempt?.model,
    retries,
  };
}

/** Of what runs inside a tool, the row is below that of the tool. */
function rowOf({ path, tool, name, component }: SpanView): string {
  if (tool === undefined) return path;
  return component === "tool" && name === tool ? `${path}#${tool}` : `${path}#${tool}/${name}`;
}

function groupByRow(spans: readonly ShownSpan[]): Map<string, ShownSpan[]> {
  const groups = new Map<string, ShownSpan[]>();
  for (const span of spans) {
    const group = groups.get(span.row);
    if (group === undefined) groups.set(span.row, [span]);
    else group.push(span);
  }
  return groups;
}

/** How long the run had been active at a time: without the waits between its segments. */
export function activeAt({ segments, saves }: RunModel, time: number): number {
  if (segments.length === 0) return Math.max(0, time - (saves[0]?.time ?? 0));
  return segments.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, time) - start), 0);
}

/** The output of a span, or the last output of its attempts. */
export function outputOf(model: RunModel, span: ShownSpan): ValueView | undefined {
  return (
    span.source.output ?? model.view.spans.findLast((other) => other.parent === span.id && isAttempt(other))?.output
  );
}

export function inputOf(model: RunModel, span: ShownSpan): ValueView | undefined {
  const attempt = model.view.spans.find((other) => other.parent === span.id && isAttempt(other));
  return attempt?.input ?? span.source.input;
}
