import type { GraphEdgeInfo, GraphNodeInfo } from "../../callbacks/graph-info.js";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A picture of one graph: its nodes, and the inner graphs inside them, with positions in pixels from the top left corner. */
export interface Level {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly LevelNode[];
  readonly edges: readonly LevelEdge[];
  /** Where the edge that enters the graph, and the one that leaves it, crosses the border. */
  readonly inX: number;
  readonly outX: number;
}

/** `card`: a node; `box`: a node with its inner graph; `tools`: the tools of an agent, a row each; `cap`: START or END. */
export type LevelNodeKind = "card" | "box" | "tools" | "cap";

export interface LevelNode {
  readonly key: string;
  /** The keys from the outermost graph, joined by `/`. */
  readonly path: string;
  readonly kind: LevelNodeKind;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Absent for START and END. */
  readonly node?: GraphNodeInfo | undefined;
  /** The tools of an agent. */
  readonly tools?: readonly LevelTool[] | undefined;
  /** The inner graph, and where it stands in the box. */
  readonly inner?: { readonly level: Level; readonly x: number; readonly y: number } | undefined;
  /** How many nodes are inside a box that is drawn as a card, because it has too many. */
  readonly folded?: number | undefined;
}

export interface LevelTool {
  readonly name: string;
  readonly approval?: boolean | undefined;
}

export interface LevelEdge {
  /** Paths of the nodes. */
  readonly from: string;
  readonly to: string;
  readonly kind: GraphEdgeInfo["kind"];
  readonly labels: readonly string[];
  /** The corners of the route, which only has horizontal and vertical parts. */
  readonly points: readonly Point[];
  /** The route with rounded corners, as the `d` of an SVG path. */
  readonly d: string;
  /** The middle of the label, if there is one. */
  readonly label: Point | undefined;
  /** Whether it leads up, to a row that it does not come after. */
  readonly isBack: boolean;
}

/** Distances in pixels. */
export const sizes = {
  rowGap: 30,
  track: 14,
  radius: 8,
  /** The bar of a box above its inner graph, and the space around that. */
  head: 34,
  padding: 16,
  card: 44,
  /** Beside a line that passes a card. */
  margin: 12,
  label: 18,
} as const;

/** Whether an inner graph is drawn as a card, because it is too large. */
export function hasFolded({ nodes }: Level): boolean {
  return nodes.some(({ folded, inner }) => folded !== undefined || (inner !== undefined && hasFolded(inner.level)));
}

/** Finds a node of this level or of those inside it, with its position in the whole picture. */
export function findNode(level: Level, path: string, left = 0, top = 0): LevelNode | undefined {
  for (const node of level.nodes) {
    if (node.path === path) return { ...node, x: node.x + left, y: node.y + top };
    if (node.inner === undefined) continue;
    const { level: inner, x, y } = node.inner;
    const found = findNode(inner, path, left + node.x + x, top + node.y + y);
    if (found !== undefined) return found;
  }
  return undefined;
}
