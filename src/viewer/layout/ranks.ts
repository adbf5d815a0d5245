import { graphlib, layout } from "@dagrejs/dagre";
import { quickRanks } from "./quick-ranks.js";
import type { RankedEdge, RankedNode, Ranks } from "./ranked-graph.js";

/** It takes seconds for 300 nodes with many edges. */
const mostForDagre = 150;

/** Rows and horizontal positions by dagre. `last` is the key of a node that stands below all others. */
export function rankNodes(nodes: readonly RankedNode[], edges: readonly RankedEdge[], last: string): Ranks {
  // dagre has its own use for some characters in keys
  const ids = new Map(nodes.map(({ key }, index) => [key, `n${index}`]));
  if (nodes.length > mostForDagre) return quickRanks(nodes, edges, last);
  const idOf = (key: string): string => ids.get(key) ?? key;
  const ranks = rankIds(
    nodes.map((node) => ({ ...node, key: idOf(node.key) })),
    edges.map((edge) => ({ ...edge, from: idOf(edge.from), to: idOf(edge.to) })),
    idOf(last),
  );
  const keyOf = (id: string): string => nodes[Number(id.slice(1))]?.key ?? id;
  return {
    rows: ranks.rows.map((row) => row.map(keyOf)),
    rowOf: new Map([...ranks.rowOf].map(([id, row]) => [keyOf(id), row])),
    centers: new Map([...ranks.centers].map(([id, x]) => [keyOf(id), x])),
    bends: ranks.bends,
  };
}

function rankIds(nodes: readonly RankedNode[], edges: readonly RankedEdge[], last: string): Ranks {
  const late = new Set<string>();
  let graph = laidOut(nodes, edges, late, last);
  // a node that is held above the last one can push another below it: usually one round is enough
  for (let round = 0; round < nodes.length; round++) {
    const found = findLate(graph, last);
    if (found.length === 0) break;
    for (const key of found) late.add(key);
    graph = laidOut(nodes, edges, late, last);
  }
  return readRanks(graph, nodes, edges);
}

type DagreGraph = InstanceType<typeof graphlib.Graph>;

function laidOut(
  nodes: readonly RankedNode[],
  edges: readonly RankedEdge[],
  late: ReadonlySet<string>,
  last: string,
): DagreGraph {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 28, edgesep: 20, ranksep: 40 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { key, width, height } of nodes) graph.setNode(key, { width, height: Math.max(1, height) });
  for (const { from, to, isBranch } of edges) graph.setEdge(from, to, { weight: isBranch ? 3 : 1 });
  for (const key of late) graph.setEdge(key, last, { weight: 0 });
  layout(graph);
  return graph;
}

/** Nodes in the row of the last one or below it. */
function findLate(graph: DagreGraph, last: string): string[] {
  if (!graph.hasNode(last)) return [];
  const bottom = yOf(graph, last);
  return graph
    .nodes()
    .filter((key: string) => key !== last && yOf(graph, key) >= bottom - 1 && graph.edge(key, last) === undefined);
}

function readRanks(graph: DagreGraph, nodes: readonly RankedNode[], edges: readonly RankedEdge[]): Ranks {
  const heights = [...new Set(nodes.map(({ key }) => Math.round(yOf(graph, key))))].sort((a, b) => a - b);
  const rowOf = new Map(nodes.map(({ key }) => [key, heights.indexOf(Math.round(yOf(graph, key)))]));
  const centers = new Map(nodes.map(({ key }) => [key, Number(graph.node(key).x)]));
  const rows = heights.map((_height, row) =>
    nodes
      .map(({ key }) => key)
      .filter((key) => rowOf.get(key) === row)
      .sort((a, b) => (centers.get(a) ?? 0) - (centers.get(b) ?? 0)),
  );
  const bends = edges.map(({ from, to }) => {
    const [first = 0, end = 0] = [rowOf.get(from), rowOf.get(to)];
    const points: readonly { x: number; y: number }[] = graph.edge(from, to)?.points ?? [];
    const passed = heights.flatMap((height, row): [number, number][] =>
      row > first && row < end ? [[row, xAt(points, height)]] : [],
    );
    return new Map(passed);
  });
  return { rows, rowOf, centers, bends };
}

/** Where a line through the points has this height. */
function xAt(points: readonly { x: number; y: number }[], y: number): number {
  for (const [index, b] of points.entries()) {
    const a = points[index - 1];
    if (a === undefined || Math.min(a.y, b.y) > y || Math.max(a.y, b.y) < y) continue;
    return a.y === b.y ? a.x : a.x + ((b.x - a.x) * (y - a.y)) / (b.y - a.y);
  }
  return points.at(-1)?.x ?? 0;
}

function yOf(graph: DagreGraph, key: string): number {
  return Number(graph.node(key).y);
}
