import type { GraphInfo, GraphNodeInfo } from "../callbacks/graph-info.js";
import type { HistoryEntry } from "../checkpoint/history/history-entry.js";
import type { RunStatus, SaveView, SpanView } from "./api.js";
import { withoutSecrets } from "./wire-value.js";

export function saveView(entry: HistoryEntry): SaveView {
  const { id, at, cause, ran, failed, next, calls, interrupts, error } = entry;
  return {
    id,
    at,
    cause,
    ran,
    ...(failed === undefined ? {} : { failed }),
    next,
    ...(calls === undefined ? {} : { calls }),
    questions: interrupts.map((interrupt) => interrupt.id),
    ...(error === undefined ? {} : { error: withoutSecrets(error) }),
  };
}

/** How a run stands by its newest save. */
export function statusOf(save: SaveView | undefined): RunStatus {
  switch (save?.cause) {
    case "end":
      return "finished";
    case "interrupt":
      return "waiting";
    case "failure":
      return "failed";
    case "fork":
      return "stopped";
    default:
      return "ready";
  }
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
