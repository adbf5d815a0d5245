import type { GraphEdgeInfo, GraphInfo, GraphNodeInfo } from "../../../src/callbacks/graph-info.js";

/** Random graphs, the same for the same seed: with branches, loops, data edges, inner graphs and agents. `size`: of the outermost. */
export function randomGraphs(seed: number, size?: number): () => GraphInfo {
  let state = seed;
  const random = (): number => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
  const below = (count: number): number => Math.floor(random() * count);

  const nodeOf = (key: string, depth: number): GraphNodeInfo => {
    const kind = random();
    if (depth > 0 && kind < 0.2) return { key, component: "graph", graph: graphOf(depth - 1) };
    if (kind < 0.3) return { key, component: "agent", graph: agentGraph(below(6)) };
    return { key, component: "lambda" };
  };
  const kinds: readonly GraphEdgeInfo["kind"][] = ["edge", "data", "branch"];
  const graphOf = (depth: number, count = 1 + below(9)): GraphInfo => {
    const nodes = Array.from({ length: count }, (_, index) => nodeOf("n".repeat(1 + below(18)) + index, depth));
    const keyOf = (index: number): string => nodes[index]?.key ?? "";
    const edges: GraphEdgeInfo[] = [];
    for (let index = 0; index < count; index++) {
      const from = index === 0 || random() < 0.15 ? "start" : keyOf(below(index));
      const edge = { from, to: keyOf(index), kind: kinds[below(3)] ?? "edge" };
      edges.push(random() < 0.3 ? { ...edge, label: "a → b" } : edge);
      if (random() < 0.4) edges.push({ from: keyOf(below(count)), to: keyOf(below(count)), kind: "branch" });
    }
    for (const { key } of nodes)
      if (!edges.some(({ from }) => from === key)) edges.push({ from: key, to: "end", kind: "edge" });
    return { name: "random", component: "graph", nodes, edges };
  };
  return () => graphOf(2, size);
}

export function agentGraph(tools: number): GraphInfo {
  const list = Array.from({ length: tools }, (_, index) => ({ name: `tool_${index}`, kind: "local" }) as const);
  const toolsNode: GraphNodeInfo = { key: "tools", component: "tools_node", tools: list };
  return {
    name: "agent",
    component: "agent",
    nodes: [{ key: "model", component: "model" }, toolsNode],
    edges: [
      { from: "start", to: "model", kind: "edge" },
      { from: "tools", to: "model", kind: "edge" },
      { from: "model", to: "tools", kind: "branch" },
      { from: "model", to: "end", kind: "branch" },
    ],
  };
}
