import type { GraphEdgeInfo, GraphInfo, GraphNodeInfo } from "../../callbacks/graph-info.js";
import { agentLevel, isAgentGraph } from "./agent-level.js";
import { type BoxSize, boxSize, cardWidth, titleOf } from "./card-size.js";
import { type Level, type LevelEdge, type LevelNode, type Point, sizes } from "./level.js";
import type { Ranks } from "./ranked-graph.js";
import { rankNodes } from "./ranks.js";
import { roundedPath } from "./rounded-path.js";
import { routeWires } from "./routes.js";
import { outOf, type PlacedNode, type Wire } from "./wire.js";

const START = "start";
const END = "end";
/** An inner graph with more nodes is drawn as one card, until it is opened. */
const largestLevel = 150;

export interface LayoutOptions {
  /** Paths of large inner graphs that are drawn all the same, or all of them. */
  readonly opened?: ReadonlySet<string> | "all" | undefined;
}

/** Where everything in a graph stands: a pure function of `graphInfo()`, with the same result on every machine. */
export function layoutGraph(info: GraphInfo, { opened = new Set() }: LayoutOptions = {}): Level {
  return levelOf(info, "", { opened, isInner: false });
}

interface Context {
  readonly opened: ReadonlySet<string> | "all";
  readonly isInner: boolean;
}

interface Sized {
  readonly placed: PlacedNode;
  readonly node: GraphNodeInfo | undefined;
  readonly box: (BoxSize & { readonly level: Level }) | undefined;
  readonly folded: number | undefined;
}

type JoinedEdge = Pick<GraphEdgeInfo, "from" | "to" | "kind"> & { readonly labels: string[] };

function levelOf(info: GraphInfo, path: string, context: Context): Level {
  if (isAgentGraph(info)) return agentLevel(info, path, context.isInner);
  const edges = joinedEdges(info);
  const used = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const sized = [
    ...(used.has(START) ? [endOf(START, context)] : []),
    ...info.nodes.map((node) => sizeOf(node, at(path, node.key), info.nodes.length, context)),
    ...(used.has(END) ? [endOf(END, context)] : []),
  ];
  const [first] = sized;
  if (first === undefined) return { width: 0, height: 0, nodes: [], edges: [], inX: 0, outX: 0 };
  const ranks = rankNodes(
    sized.map(({ placed: { key, width, height } }) => ({ key, width, height })),
    edges.map(({ from, to, kind }) => ({ from, to, isBranch: kind === "branch" })),
    END,
  );
  const nodes = new Map(sized.map(({ placed }) => [placed.key, placed]));
  const rows = ranks.rows.map((keys) => keys.flatMap((key) => nodes.get(key) ?? []));
  const wires = edges.flatMap((edge, index) => wireOf(edge, index, nodes, ranks));
  placeNodes(rows, wires, ranks);
  return draw(sized, wires, rows, path, context.isInner);
}

/** All edges between two nodes as one; the strongest kind decides how it is drawn. An edge to its own node is left out. */
function joinedEdges({ nodes, edges }: GraphInfo): JoinedEdge[] {
  const strength = ["control", "edge", "data", "branch", "error"];
  const known = new Set([START, END, ...nodes.map(({ key }) => key)]);
  const found = new Map<string, JoinedEdge>();
  for (const { from, to, kind, label } of edges) {
    if (from === to || from === END || to === START || !known.has(from) || !known.has(to)) continue;
    const name = JSON.stringify([from, to]);
    const old = found.get(name);
    const labels = [...(old?.labels ?? []), ...(label === undefined ? [] : [label])];
    const isStronger = old === undefined || strength.indexOf(kind) > strength.indexOf(old.kind);
    found.set(name, { from, to, kind: isStronger ? kind : old.kind, labels });
  }
  return [...found.values()];
}

function endOf(key: string, { isInner }: Context): Sized {
  // inside a box, START and END are points on its border
  const [width, height] = isInner ? [8, 0] : [58, 26];
  const placed = { key, x: 0, width, height, inX: width / 2, outX: width / 2 };
  return { placed, node: undefined, box: undefined, folded: undefined };
}

function sizeOf(node: GraphNodeInfo, path: string, siblings: number, { opened }: Context): Sized {
  const { key, graph } = node;
  const isLarge = graph !== undefined && (graph.nodes.length > largestLevel || siblings > largestLevel);
  if (graph === undefined || graph.nodes.length === 0 || (isLarge && opened !== "all" && !opened.has(path))) {
    const width = cardWidth(titleOf(node));
    const placed = { key, x: 0, width, height: sizes.card, inX: width / 2, outX: width / 2 };
    return { placed, node, box: undefined, folded: isLarge ? graph.nodes.length : undefined };
  }
  const level = levelOf(graph, path, { opened, isInner: true });
  const size = boxSize(titleOf(node), level);
  const { width, height, innerX } = size;
  const placed = { key, x: 0, width, height, inX: innerX + level.inX, outX: innerX + level.outX };
  return { placed, node, box: { ...size, level }, folded: undefined };
}

function wireOf(edge: JoinedEdge, index: number, nodes: ReadonlyMap<string, PlacedNode>, ranks: Ranks): Wire[] {
  const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)];
  if (from === undefined || to === undefined) return [];
  const fromRow = ranks.rowOf.get(edge.from) ?? 0;
  const toRow = ranks.rowOf.get(edge.to) ?? 0;
  const { kind, labels } = edge;
  const bends = ranks.bends[index] ?? new Map();
  return [{ from, to, kind, labels, fromRow, toRow, isBack: toRow <= fromRow, bends }];
}

/** As dagre says, but a node alone in its row stands on the line: with its port, not its middle, over its only neighbor. */
function placeNodes(rows: readonly (readonly PlacedNode[])[], wires: readonly Wire[], ranks: Ranks): void {
  const alone = rows.flatMap((nodes) => (nodes.length === 1 ? nodes : []));
  for (const node of rows.flat()) node.x = (ranks.centers.get(node.key) ?? 0) - node.width / 2;
  for (const node of alone) node.x += node.width / 2 - node.inX;
  const ahead = wires.filter(({ isBack }) => !isBack);
  const into = (node: PlacedNode): readonly Wire[] => ahead.filter(({ to }) => to === node);
  const out = (node: PlacedNode): readonly Wire[] => ahead.filter(({ from }) => from === node);
  const placed = new Set<PlacedNode>();
  for (const node of alone) {
    const [wire, ...others] = into(node);
    if (wire === undefined || others.length > 0) continue;
    const x = outOf(wire) - node.inX;
    if (out(wire.from).length > 1 && Math.abs(x - node.x) >= 60) continue;
    node.x = x;
    placed.add(node);
  }
  for (const node of alone.toReversed()) {
    const [wire, ...others] = out(node);
    if (wire === undefined || others.length > 0 || placed.has(node)) continue;
    const x = wire.to.x + wire.to.inX - node.outX;
    if (into(wire.to).length === 1 || Math.abs(x - node.x) < 60) node.x = x;
  }
  // whole pixels: lines that should meet do
  for (const node of rows.flat()) node.x = Math.round(node.x + node.inX) - node.inX;
}

function draw(
  sized: readonly Sized[],
  wires: readonly Wire[],
  rows: readonly (readonly PlacedNode[])[],
  path: string,
  isInner: boolean,
): Level {
  const { routes, tops, height, left, right } = routeWires(wires, rows, isInner);
  const nodes = sized.flatMap(({ placed, node, box, folded }): LevelNode[] => {
    const { key, width } = placed;
    if (node === undefined && isInner) return [];
    const kind = node === undefined ? "cap" : box === undefined ? "card" : "box";
    const inner = box && { level: box.level, x: box.innerX, y: box.innerY };
    const y = tops.get(placed) ?? 0;
    return [
      { key, path: at(path, key), kind, x: placed.x - left, y, width, height: placed.height, node, inner, folded },
    ];
  });
  const edges = routes.map(({ wire, points, label }): LevelEdge => {
    const moved = points.map((point) => shifted(point, left));
    const corners = isInner ? toBorder(moved, wire, height) : moved;
    return {
      from: at(path, wire.from.key),
      to: at(path, wire.to.key),
      kind: wire.kind,
      labels: wire.labels,
      points: corners,
      d: roundedPath(corners),
      label: label && shifted(label, left),
      isBack: wire.isBack,
    };
  });
  const start = sized.find(({ placed }) => placed.key === START)?.placed;
  const end = sized.find(({ placed }) => placed.key === END)?.placed;
  const middle = (right - left) / 2;
  return {
    width: right - left,
    height,
    nodes,
    edges,
    inX: Math.round(start === undefined ? middle : start.x + start.inX - left),
    outX: Math.round(end === undefined ? middle : end.x + end.outX - left),
  };
}

/** Lines from START and to END of an inner graph begin and end on the border of its box. */
function toBorder(points: readonly Point[], { from, to }: Wire, height: number): readonly Point[] {
  return points.map((point, index) => {
    if (from.key === START && index === 0) return { x: point.x, y: -sizes.head };
    if (to.key === END && index === points.length - 1) return { x: point.x, y: height + sizes.padding };
    return point;
  });
}

function shifted({ x, y }: Point, left: number): Point {
  return { x: x - left, y };
}

function at(path: string, key: string): string {
  return path === "" ? key : `${path}/${key}`;
}
