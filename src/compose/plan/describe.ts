import type { ComponentKind } from "../../callbacks/run-info.js";
import { END_INDEX, type Plan, type PlanNode } from "./plan.js";

/** A compiled graph as plain data. START and END are not among the nodes; edges name them `start` and `end`. */
export interface GraphInfo {
  readonly name: string;
  readonly nodes: readonly GraphNodeInfo[];
  readonly edges: readonly GraphEdgeInfo[];
}

export interface GraphNodeInfo {
  readonly key: string;
  readonly component: ComponentKind | "passthrough";
  /** What the component calls itself. */
  readonly type?: string;
  /** What is inside, when the node is a graph. */
  readonly graph?: GraphInfo;
}

export interface GraphEdgeInfo {
  readonly from: string;
  readonly to: string;
  /** A branch has one of these for each of its targets. */
  readonly kind: "edge" | "branch" | "data" | "control";
  /** Of a switch: the values that lead there. */
  readonly label?: string;
}

/** The nodes and edges of a plan, in order of declaration. */
export function describePlan(plan: Plan): GraphInfo {
  const keyOf = (index: number): string => plan.nodes[index]?.key ?? "";
  const edges = plan.edges.map(({ from, to }): GraphEdgeInfo => ({ from: keyOf(from), to: keyOf(to), kind: "edge" }));
  const branches = plan.branches.flatMap(({ from, targets, labels }) =>
    targets.map((target, n): GraphEdgeInfo => {
      const edge: GraphEdgeInfo = { from: keyOf(from), to: keyOf(target), kind: "branch" };
      const label = labels?.[n];
      return label === undefined ? edge : { ...edge, label };
    }),
  );
  return { name: plan.name, nodes: plan.nodes.slice(END_INDEX + 1).map(describeNode), edges: [...edges, ...branches] };
}

function describeNode({ key, component, type, body }: PlanNode): GraphNodeInfo {
  return {
    key,
    component,
    ...(type === "" ? {} : { type }),
    ...(body.kind === "graph" ? { graph: describePlan(body.plan) } : {}),
  };
}
