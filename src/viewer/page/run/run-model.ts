import type { RunView, SaveView, SpanView, UsageView, ValueView } from "../../api.js";
import { withSavedSpans } from "../../saved-spans.js";

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

const never = Number.POSITIVE_INFINITY;

export interface RunModel {
  readonly view: RunView;
  readonly startedAt: number;
  /** The end of all that is known, from the start. */
  readonly end: number;
  readonly spans: readonly ShownSpan[];
  readonly saves: readonly ShownSave[];
  readonly byRow: ReadonlyMap<string, readonly ShownSpan[]>;
  readonly segments: readonly { readonly start: number; readonly end: number; readonly status: string }[];
  /** The tries of each model call, by the id of its span. */
  readonly attempts: ReadonlyMap<string, readonly SpanView[]>;
  /** Ids of spans that have others inside, and of those the agents. */
  readonly parents: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
  /** Paths of nodes that have others inside. */
  readonly outer: ReadonlySet<string>;
}

const read = new WeakMap<RunView, RunModel>();

/** Reads a run once, however often it is asked for. `now` is where open spans end, for a run that is still running. */
export function readRun(given: RunView, now: number): RunModel {
  const known = read.get(given) ?? readView(given, now);
  read.set(given, known);
  return isOpen(known) ? withNow(known, now) : known;
}

function isOpen({ view, spans }: RunModel): boolean {
  return view.segments.some(({ endedAt }) => endedAt === undefined) || spans.some(({ end }) => end === never);
}

function withNow(model: RunModel, now: number): RunModel {
  const { view, startedAt, spans, saves } = model;
  const segments = view.segments.map((segment) => ({
    start: segment.startedAt - startedAt,
    end: (segment.endedAt ?? now) - startedAt,
    status: segment.status,
  }));
  let end = 1;
  for (const span of spans) end = Math.max(end, span.end === never ? now - startedAt : span.end);
  for (const segment of segments) end = Math.max(end, segment.end);
  for (const { time } of saves) end = Math.max(end, time);
  return { ...model, segments, end };
}

function readView(given: RunView, now: number): RunModel {
  const view = withSavedSpans(given);
  const { segments, saves: givenSaves = [], spans: givenSpans } = view;
  const times = [...segments.map(({ startedAt }) => startedAt), ...givenSpans.map(({ startedAt }) => startedAt)];
  const startedAt = smallest(times) ?? smallest(givenSaves.map(({ at }) => at)) ?? view.run.since;
  const attempts = attemptsOf(givenSpans);
  const spans = shownSpans(givenSpans, attempts, startedAt);
  const byRow = groupByRow(spans);
  const saves = shownSaves(givenSaves, byRow, startedAt);
  const model = { view, startedAt, end: 0, spans, saves, byRow, segments: [], attempts, ...insidesOf(spans) };
  return withNow(model, now);
}

/** Saves come a moment before the span that they save is over, and several can have one time: each is at a time of its own. */
function shownSaves(saves: readonly SaveView[], byRow: RunModel["byRow"], startedAt: number): ShownSave[] {
  let last = Number.NEGATIVE_INFINITY;
  return saves.map((save) => {
    const at = save.at - startedAt;
    const isNear = ({ end }: ShownSpan): boolean => end > at && end <= at + 1.5;
    const ends = save.ran.map((path) => byRow.get(path)?.find(isNear)?.end ?? at);
    last = Math.max(at, last + 0.02, ...ends);
    return { ...save, time: last };
  });
}

function smallest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((least, value) => Math.min(least, value));
}

function insidesOf(spans: readonly ShownSpan[]): Pick<RunModel, "parents" | "agents" | "outer"> {
  const [parents, agents, outer] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const seen = new Set<string>();
  for (const { id, path, component, source } of spans) {
    if (source.parent !== undefined) parents.add(source.parent);
    if (component === "agent") agents.add(id);
    if (seen.has(path)) continue;
    seen.add(path);
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      if (outer.has(path.slice(0, at))) break;
      outer.add(path.slice(0, at));
    }
  }
  return { parents, agents, outer };
}

function attemptsOf(spans: readonly SpanView[]): Map<string, SpanView[]> {
  const attempts = new Map<string, SpanView[]>();
  for (const span of spans) {
    if (!isAttempt(span) || span.parent === undefined) continue;
    const known = attempts.get(span.parent);
    if (known === undefined) attempts.set(span.parent, [span]);
    else known.push(span);
  }
  return attempts;
}

function shownSpans(
  spans: readonly SpanView[],
  attempts: ReadonlyMap<string, readonly SpanView[]>,
  startedAt: number,
): ShownSpan[] {
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

const none: ShownSpan["retries"] = [];

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
  const retries = span.events.length + failed.length === 0 ? none : retriesOf(span, failed, startedAt);
  return {
    id,
    source: span,
    row: rowOf(span),
    path,
    tool,
    component: attempt !== undefined || component === "model" ? "model" : component,
    start: span.startedAt - startedAt,
    end: span.endedAt === undefined ? never : span.endedAt - startedAt,
    status,
    first: firstChunk === undefined ? undefined : chunkStart + firstChunk[0],
    chunks: chunks && { count: chunks.count, at: chunks.at.map(([ms, length]) => [chunkStart + ms, length] as const) },
    usage: span.usage ?? attempt?.usage,
    model: span.model ?? attempt?.model,
    retries,
  };
}

function retriesOf({ events }: SpanView, failed: readonly SpanView[], startedAt: number): ShownSpan["retries"] {
  const told = events
    .filter(({ kind }) => /retry|fallback|attempt/i.test(kind))
    .map(({ at, kind, value }) => ({ at: at - startedAt, kind, value }));
  const tried = failed.map(({ endedAt, startedAt: at }) => {
    return { at: (endedAt ?? at) - startedAt, kind: "retry", value: undefined };
  });
  return [...told, ...tried];
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
export function outputOf({ attempts }: RunModel, { id, source }: ShownSpan): ValueView | undefined {
  return source.output ?? attempts.get(id)?.at(-1)?.output;
}

export function inputOf({ attempts }: RunModel, { id, source }: ShownSpan): ValueView | undefined {
  return attempts.get(id)?.[0]?.input ?? source.input;
}
