import type { ComponentKind } from "../../callbacks/run-info.js";
import { END_INDEX, LONE_INDEX, type NodeBody, type Plan, type PlanEdge, type PlanNode } from "./plan.js";

/** A compiled graph as plain data. START and END are not in `nodes`; edges refer to them as `start` and `end`. */
export interface GraphInfo {
  /** The name of the graph; `""` without one. */
  readonly name: string;
  /** The nodes, without START and END. */
  readonly nodes: readonly GraphNodeInfo[];
  /** The edges, in the order in which they were added. */
  readonly edges: readonly GraphEdgeInfo[];
}

/** A node of a compiled graph, as plain data. */
export interface GraphNodeInfo {
  /** The key of the node. */
  readonly key: string;
  /** Its name in traces, if it is not the key. */
  readonly name?: string;
  /** The component that the node runs. */
  readonly component: ComponentKind | "passthrough";
  /** The component's own type. */
  readonly type?: string;
  /** The inner graph, if the node is one or runs one for each item. */
  readonly graph?: GraphInfo;
}

/** An edge of a compiled graph, as plain data. */
export interface GraphEdgeInfo {
  /** The key of the node that it leads from, or `start`. */
  readonly from: string;
  /** The key of the node that it leads to, or `end`. */
  readonly to: string;
  /** The kind of the edge. A branch has one edge for each of its targets. */
  readonly kind: "edge" | "branch" | "error" | "data" | "control";
  /** For a switch: the values that lead there. For data in a workflow: `path → field`, unless both are empty. */
  readonly label?: string;
}

/** The nodes and edges of a plan, in order of declaration. */
export function describePlan(plan: Plan): GraphInfo {
  const keyOf = (index: number): string => plan.nodes[index]?.key ?? "";
  const edges = plan.edges.flatMap((edge) => describeEdge(edge, keyOf));
  const branches = plan.branches.flatMap(({ from, targets, labels, on }) =>
    targets.map((target, n): GraphEdgeInfo => {
      const edge: GraphEdgeInfo = { from: keyOf(from), to: keyOf(target), kind: on === "failure" ? "error" : "branch" };
      const label = labels?.[n];
      return label === undefined ? edge : { ...edge, label };
    }),
  );
  return { name: plan.name, nodes: plan.nodes.slice(END_INDEX + 1).map(describeNode), edges: [...edges, ...branches] };
}

/** In a workflow there is one edge for each mapping; an edge without data is a control edge. */
function describeEdge({ from, to, labels }: PlanEdge, keyOf: (index: number) => string): GraphEdgeInfo[] {
  const ends = { from: keyOf(from), to: keyOf(to) };
  if (labels === undefined) return [{ ...ends, kind: "edge" }];
  if (labels.length === 0) return [{ ...ends, kind: "control" }];
  return labels.map((label) => (label === "" ? { ...ends, kind: "data" } : { ...ends, kind: "data", label }));
}

function describeNode({ key, name, component, type, body }: PlanNode): GraphNodeInfo {
  const inside = insideOf(body);
  return {
    key,
    ...(name === key ? {} : { name }),
    component,
    ...(type === "" ? {} : { type }),
    ...(inside === undefined ? {} : { graph: describePlan(inside) }),
  };
}

function insideOf(body: NodeBody): Plan | undefined {
  if (body.kind === "graph") return body.plan;
  const inner = body.kind === "each" ? body.plan.nodes[LONE_INDEX] : undefined;
  return inner && insideOf(inner.body);
}
