import type { Trace, TraceNode } from "../callbacks/trace.js";
import type { QuestionView, RunRow, RunStatus, RunView, SegmentView } from "./api.js";
import { layoutGraph } from "./layout/layout-graph.js";
import { placeOf, type SpanOptions, spanViews, totalUsage } from "./span-view.js";
import { fieldsOf, wireView } from "./wire-value.js";

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
export function traceView(trace: Trace, ref: string, roots: readonly TraceNode[], options: SpanOptions = {}): RunView {
  const sorted = roots.toSorted((a, b) => a.startedAt - b.startedAt);
  const last = sorted.at(-1);
  const spans = sorted.flatMap((root, index) => spanViews(root, index, options));
  const segments = sorted.map(segmentOf);
  const run = rowOf(ref, sorted, segments, totalUsage(spans.flatMap(({ usage }) => usage ?? [])));
  const graph = sorted.find((root) => root.graph !== undefined)?.graph;
  const info = graph === undefined ? undefined : trace.graphs[graph];
  return {
    run,
    ...(graph === undefined || info === undefined ? {} : { graph, level: layoutGraph(info) }),
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

function rowOf(
  ref: string,
  roots: readonly TraceNode[],
  segments: readonly SegmentView[],
  usage: RunRow["usage"],
): RunRow {
  const [first] = roots;
  const [start, end] = [segments[0], segments.at(-1)];
  const status: RunStatus = end?.status ?? "finished";
  const { name = "", component = "graph", checkpointId, threadId } = first ?? {};
  const isKind = component === "graph" || component === "chain" || component === "workflow" || component === "agent";
  return {
    ref,
    graph: name,
    ...(isKind ? { component } : {}),
    ...(checkpointId === undefined ? {} : { checkpointId }),
    ...(threadId === undefined ? {} : { threadId }),
    status,
    ...(start === undefined ? {} : { startedAt: start.startedAt }),
    since: end?.endedAt ?? end?.startedAt ?? 0,
    activeMs: roots.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ...(usage === undefined ? {} : { usage }),
  };
}

function questionsOf(root: TraceNode, run: RunRow, options: SpanOptions): QuestionView[] {
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
      info: wireView(info, { ...options, path: ["question"] }),
      ...(schema === undefined ? {} : { schema: fieldsOf(schema) }),
      askedAt: root.startedAt + root.durationMs,
    };
  });
}
