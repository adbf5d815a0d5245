import type { GraphEdgeInfo, GraphInfo, GraphNodeInfo } from "../../callbacks/graph-info.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import {
  END_INDEX,
  LONE_INDEX,
  type NodeBody,
  type Plan,
  type PlanEdge,
  type PlanNode,
  type ValueCheck,
} from "./plan.js";
import type { NodePolicies } from "./policy-settings.js";

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
  const { name, component, state } = plan;
  return withoutUndefined<Whole<GraphInfo>>({
    name,
    component,
    input: schemaOf(plan.checkInput, "input"),
    output: schemaOf(plan.checkOutput, "output"),
    state: state && true,
    nodes: plan.nodes.slice(END_INDEX + 1).map(describeNode),
    edges: [...edges, ...branches],
  }) as GraphInfo;
}

type Whole<Info> = { readonly [Name in keyof Info]: Info[Name] | undefined };

/** `undefined` without a schema, and for one that only validates. */
function schemaOf(check: ValueCheck | undefined, side: "input" | "output"): JsonSchema | undefined {
  try {
    return check?.schema && toJsonSchema(check.schema as JsonSchema, { side });
  } catch {
    return undefined;
  }
}

/** In a workflow there is one edge for each mapping; an edge without data is a control edge. */
function describeEdge({ from, to, labels }: PlanEdge, keyOf: (index: number) => string): GraphEdgeInfo[] {
  const ends = { from: keyOf(from), to: keyOf(to) };
  if (labels === undefined) return [{ ...ends, kind: "edge" }];
  if (labels.length === 0) return [{ ...ends, kind: "control" }];
  return labels.map((label) => (label === "" ? { ...ends, kind: "data" } : { ...ends, kind: "data", label }));
}

function describeNode({ key, name, component, type, body, policies, describe }: PlanNode): GraphNodeInfo {
  const inside = insideOf(body);
  return withoutUndefined<Whole<GraphNodeInfo>>({
    key,
    name: name === key ? undefined : name,
    component,
    type: type || undefined,
    graph: inside && describePlan(inside),
    policies: policies && namesOf(policies),
    ...describe?.(),
  }) as GraphNodeInfo;
}

function namesOf({ retry, timeoutMs, idleTimeoutMs, cache, fallback }: NodePolicies): GraphNodeInfo["policies"] {
  const given = { retry, timeout: timeoutMs ?? idleTimeoutMs, cache, fallback };
  return (Object.keys(given) as (keyof typeof given)[]).filter((policy) => given[policy]);
}

function insideOf(body: NodeBody): Plan | undefined {
  if (body.kind === "graph") return body.plan;
  const inner = body.kind === "each" ? body.plan.nodes[LONE_INDEX] : undefined;
  return inner && insideOf(inner.body);
}
