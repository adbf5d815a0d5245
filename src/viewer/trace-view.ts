import type { Trace, TraceNode } from "../callbacks/trace.js";
import type { QuestionView, RunRow, RunStatus, RunView, SegmentView, SpanView, ValueView } from "./api.js";
import { levelOf } from "./layout/graph-picture.js";
import { type Prices, placeOf, type SpanSource, spanView, type Used, usageView } from "./span-view.js";
import { errorView, fieldsOf, type Redact, wireView } from "./wire-value.js";

export interface TraceViewOptions {
  readonly redact?: Redact | undefined;
  readonly prices?: Prices | undefined;
  /** What is shown of a value. @default all of it */
  readonly show?: ((value: ValueView) => ValueView) | undefined;
}

/** The roots of a trace by run: a resume is another root of the same run. */
export function runsOf({ runs }: Trace): Map<string, readonly TraceNode[]> {
  const found = new Map<string, TraceNode[]>();
  for (const root of runs) {
    const key = root.runKey ?? root.id;
    const group = found.get(key);
    if (group === undefined) found.set(key, [root]);
    else group.push(root);
  }
  return found;
}

/** A run as it was recorded: without states, which only a store has. */
export function traceView(
  trace: Trace,
  ref: string,
  roots: readonly TraceNode[],
  options: TraceViewOptions = {},
): RunView {
  const sorted = roots.toSorted((a, b) => a.startedAt - b.startedAt);
  const last = sorted.at(-1);
  const spans = sorted.flatMap((root, index) => spansOf(root, index, options));
  const segments = sorted.map(segmentOf);
  const run = traceRow(ref, sorted, options);
  const graph = sorted.find((root) => root.graph !== undefined)?.graph;
  const info = graph === undefined ? undefined : trace.graphs[graph];
  return {
    run,
    ...(graph === undefined || info === undefined ? {} : { graph, ...levelOf(info) }),
    graphs: graph === undefined || info === undefined ? {} : { [graph]: info },
    tools: {},
    segments,
    spans: spans.sort((a, b) => a.startedAt - b.startedAt),
    noHistory: "The states of this run are not in its trace. Runs with a store and the option history have them.",
    questions: last?.interrupt === undefined ? [] : questionsOf(last, run, options),
    errors: [],
    canFork: "A recorded run has nothing to fork: give the app a store and the option history.",
  };
}

const statuses = { running: "running", waiting: "waiting", failed: "failed", finished: "finished" } as const;

function segmentOf({ startedAt, durationMs, running, interrupt, error }: TraceNode): SegmentView {
  if (running === true) return { startedAt, status: statuses.running };
  const status = interrupt !== undefined ? statuses.waiting : error !== undefined ? statuses.failed : statuses.finished;
  return { startedAt, endedAt: startedAt + durationMs, status };
}

/** The row of a run as it was recorded. */
export function traceRow(ref: string, roots: readonly TraceNode[], { prices }: TraceViewOptions = {}): RunRow {
  const sorted = roots.toSorted((a, b) => a.startedAt - b.startedAt);
  const segments = sorted.map(segmentOf);
  const used = sorted.flatMap(usedIn);
  const [first] = sorted;
  const [start, end] = [segments[0], segments.at(-1)];
  const status: RunStatus = end?.status ?? "finished";
  const { name = "", component = "graph", checkpointId, threadId } = first ?? {};
  const isKind = component === "graph" || component === "chain" || component === "workflow" || component === "agent";
  return {
    ref,
    graph: name,
    ...(isKind && { component }),
    ...(checkpointId !== undefined && { checkpointId }),
    ...(threadId !== undefined && { threadId }),
    status,
    ...(start !== undefined && { startedAt: start.startedAt }),
    since: end?.endedAt ?? end?.startedAt ?? 0,
    activeMs: sorted.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ...(used.length > 0 && { usage: usageView(used, prices) }),
  };
}

/** A recorded tree as a list, without recursion: a file may be as deep as it likes. */
function flat(root: TraceNode): { readonly node: TraceNode; readonly parent: string | undefined }[] {
  const found: { readonly node: TraceNode; readonly parent: string | undefined }[] = [];
  const open: typeof found = [{ node: root, parent: undefined }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    const { id, children } = next.node;
    for (const node of children.toReversed()) open.push({ node, parent: id });
  }
  return found;
}

function usedIn(root: TraceNode): Used[] {
  return flat(root).flatMap(({ node: { model = "", usage } }) => (usage === undefined ? [] : [{ model, usage }]));
}

/** The root and all below it, parents first. */
function spansOf(root: TraceNode, segment: number, options: TraceViewOptions): SpanView[] {
  const { prices, show = (value) => value } = options;
  const settings = { segment, rootAddress: root.address, show, prices };
  return flat(root).map(({ node, parent }) => spanView(sourceOf(node, parent, options), settings));
}

function sourceOf(node: TraceNode, parentId: string | undefined, { redact }: TraceViewOptions): SpanSource {
  const { id, name, component, type, address, toolCallId, startedAt, durationMs, running, error } = node;
  const { chunks, usage, model, attempt, graph, events = [] } = node;
  const wire = (value: unknown, what: string) =>
    value === undefined ? undefined : wireView(value, { redact, path: [what] });
  return {
    ...{ id, parentId, name, component, type, address, toolCallId, startedAt },
    endedAt: running === true ? undefined : startedAt + durationMs,
    status: statusOf(node),
    input: wire(node.input, "input"),
    output: wire(node.output, "output"),
    error: error === undefined ? undefined : errorView(error, redact),
    ...{ chunks, usage, model, attempt, graph },
    events: events.map(({ at, kind, ...rest }) => ({ at, kind, value: wireView(rest, { redact, path: ["event"] }) })),
  };
}

function statusOf({ error, interrupt, running }: TraceNode): SpanView["status"] {
  if (error !== undefined) return "failed";
  if (interrupt !== undefined) return "waiting";
  return running === true ? "running" : "done";
}

function questionsOf(root: TraceNode, run: RunRow, { redact }: TraceViewOptions): QuestionView[] {
  const { interrupt } = root;
  const list = Array.isArray(interrupt) ? interrupt : (fieldsOf(interrupt).interrupts ?? [interrupt]);
  return (Array.isArray(list) ? list : []).map((item: unknown): QuestionView => {
    const { id, address, key, info, schema } = fieldsOf(item);
    const where = String(address ?? "");
    const isApproval = fieldsOf(info).kind === "tool_approval";
    return {
      id: String(id ?? where),
      run,
      address: where,
      path: placeOf(where, root.address).path,
      kind: isApproval ? "approval" : schema === undefined ? "text" : "ask",
      ...(key === undefined ? {} : { key: String(key) }),
      info: wireView(info, { redact, path: ["info"] }),
      ...(schema === undefined ? {} : { schema: fieldsOf(schema) }),
      askedAt: root.startedAt + root.durationMs,
    };
  });
}
