import type { GraphInfo, GraphNodeInfo } from "../callbacks/graph-info.js";
import type { RunView, SaveView, SegmentView, SpanView } from "./api.js";

/** Puts in place of spans that are not known, as the run passed elsewhere, what its saves tell: up to the first known span. */
export function withSavedSpans(view: RunView): RunView {
  const { saves = [], segments, spans, graphs, graph = "" } = view;
  const known = [...segments, ...spans].reduce(
    (first, { startedAt }) => Math.min(first, startedAt),
    Number.POSITIVE_INFINITY,
  );
  const early = saves.filter(({ at }) => at < known);
  if (!early.some(({ ran, cause }) => ran.length > 0 || cause === "interrupt" || cause === "failure")) return view;
  const parts = partsOf(early);
  const found = parts.flatMap((part, index) =>
    spansOfSaves(part, graphs[graph]).map((span) => ({ ...span, segment: index })),
  );
  return {
    ...view,
    segments: [...parts.map(segmentOf), ...segments],
    spans: [...found, ...spans.map((span) => ({ ...span, segment: span.segment + parts.length }))],
  };
}

/** A wait for an answer is between two segments. */
function partsOf(saves: readonly SaveView[]): SaveView[][] {
  const parts: SaveView[][] = [];
  for (const [index, save] of saves.entries()) {
    if (index === 0 || saves[index - 1]?.cause === "interrupt") parts.push([]);
    parts.at(-1)?.push(save);
  }
  return parts;
}

function segmentOf(saves: readonly SaveView[]): SegmentView {
  const [first, last] = [saves[0], saves.at(-1)];
  const status = last?.cause === "interrupt" ? "waiting" : last?.cause === "failure" ? "failed" : "finished";
  return { startedAt: first?.at ?? 0, endedAt: last?.at ?? 0, status };
}

/** For a run whose spans passed elsewhere: each node as one that ended at the save that names it. */
export function spansOfSaves(saves: readonly SaveView[], info: GraphInfo | undefined): SpanView[] {
  const spans: SpanView[] = [];
  saves.forEach((save, index) => {
    const startedAt = saves[index - 1]?.at ?? save.at;
    const add = (path: string, status: SpanView["status"], error?: string): void => {
      const node = info && nodeAt(info, path);
      spans.push({
        id: `save ${save.id} ${path}`,
        segment: 0,
        path: path.replaceAll(/(^|\/)item:\d+(?=\/|$)/g, ""),
        name: path.slice(path.lastIndexOf("/") + 1),
        component: node === undefined || node.component === "passthrough" ? "lambda" : node.component,
        address: path,
        status,
        startedAt,
        endedAt: save.at,
        events: [],
        ...(error === undefined ? {} : { error: { name: "Error", message: error } }),
      });
    };
    for (const path of save.ran) add(path, save.failed?.includes(path) === true ? "failed" : "done");
    if (save.cause === "failure") for (const path of save.next) add(path, "failed", save.error);
    if (save.cause === "interrupt") for (const path of save.next) add(path, "waiting");
  });
  return spans;
}

function nodeAt(info: GraphInfo, path: string): GraphNodeInfo | undefined {
  let [graph, node]: [GraphInfo | undefined, GraphNodeInfo | undefined] = [info, undefined];
  for (const key of path.split("/")) {
    node = graph?.nodes.find((inner) => inner.key === key);
    graph = node?.graph;
  }
  return node;
}
