import type { GraphEdgeInfo, GraphInfo, GraphNodeInfo } from "../../../callbacks/graph-info.js";
import { END, START } from "../plan.js";
import type { Status, TraceMarks } from "./trace-marks.js";

/** A box for a node, START or END. Ids are made from positions, so that no key can break the syntax. */
export interface PictureNode {
  readonly id: string;
  readonly label: string;
  readonly shape: "end" | "node" | "each";
  readonly component: string;
  readonly status: Status | undefined;
  /** The inner graph drawn in the box. */
  readonly inside: Picture | undefined;
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: GraphEdgeInfo["kind"];
  /** The labels, one line each. */
  readonly labels: readonly string[];
  /** Whether a run took this edge. */
  readonly isTaken: boolean;
}

/** A graph prepared for drawing. */
export interface Picture {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

export function pictureOf(info: GraphInfo, marks: TraceMarks | undefined, prefix = "n", path = ""): Picture {
  const ids = new Map([START, END, ...info.nodes.map(({ key }) => key)].map((key, n) => [key, `${prefix}${n}`]));
  const at = (key: string): string => (path === "" ? key : `${path}/${key}`);
  const ends = [START, END].map((key, n): PictureNode => {
    const status = marks?.statusOf(at(key));
    return { id: `${prefix}${n}`, label: key, shape: "end", component: "", status, inside: undefined };
  });
  const nodes = info.nodes.map((node, n) => nodeOf(node, `${prefix}${n + 2}`, at(node.key), marks));
  const edges: PictureEdge[] = [];
  for (const { from, to, kind, labels } of joined(info.edges)) {
    const [source, target] = [ids.get(from), ids.get(to)];
    if (source === undefined || target === undefined) continue;
    const isTaken = marks !== undefined && wasTaken(info, { from, to, kind }, path, marks);
    edges.push({ from: source, to: target, kind, labels, isTaken });
  }
  return { nodes: [...ends, ...nodes], edges };
}

/** Whether a run went along an edge of the graph at `path`. */
export function wasTaken(
  { edges }: GraphInfo,
  { from, to, kind }: Pick<GraphEdgeInfo, "from" | "to" | "kind">,
  path: string,
  marks: TraceMarks,
): boolean {
  const at = (key: string): string => (path === "" ? key : `${path}/${key}`);
  // in a workflow only branches decide whether a target runs, so a target that ran was chosen by its branch
  const isWorkflow = edges.some((edge) => edge.kind === "data" || edge.kind === "control");
  const sources =
    kind === "branch" && !isWorkflow ? edges.filter((edge) => edge.to === to).map((edge) => edge.from) : [];
  const others = sources.filter((source) => source !== from).map(at);
  return marks.wentFrom(at(from), at(to), kind === "error", others);
}

function nodeOf(
  { key, name, component, type, graph }: GraphNodeInfo,
  id: string,
  path: string,
  marks: TraceMarks | undefined,
): PictureNode {
  const title = name === undefined || name === key ? key : `${key}: ${name}`;
  const count = marks?.countOf(path) ?? 0;
  const isEach = component === "lambda" && type === "each";
  const label = isEach && graph !== undefined ? `${title} (each)` : title;
  return {
    id,
    label: count > 1 ? `${label} ×${count}` : label,
    shape: isEach ? "each" : "node",
    component,
    status: marks?.statusOf(path),
    inside: graph && pictureOf(graph, marks, `${id}_`, path),
  };
}

/** Combines the data edges between two nodes into one edge with several labels. */
function joined(edges: readonly GraphEdgeInfo[]): (GraphEdgeInfo & { readonly labels: string[] })[] {
  const found = new Map<string, GraphEdgeInfo & { readonly labels: string[] }>();
  for (const edge of edges) {
    const { from, to, kind, label } = edge;
    const name = kind === "data" ? JSON.stringify([from, to]) : JSON.stringify([from, to, kind, label, found.size]);
    const known = found.get(name);
    if (known === undefined) found.set(name, { ...edge, labels: label === undefined ? [] : [label] });
    else if (label !== undefined) known.labels.push(label);
  }
  return [...found.values()];
}
