import { describe, expect, it } from "vitest";
import type { GraphInfo } from "../../../src/callbacks/graph-info.js";
import { layoutGraph } from "../../../src/viewer/layout/layout-graph.js";
import { findNode } from "../../../src/viewer/layout/level.js";
import { type Faults, faultsOf } from "./faults.js";
import { agentGraph, randomGraphs } from "./random-graph.js";

describe("the layout of a graph", () => {
  it("puts no card over another and leads no edge through a card, in 600 random nested graphs", () => {
    const next = randomGraphs(1);
    const total: Faults = { edges: 0, overlaps: 0, crossings: 0, outside: 0, slanted: 0, hiddenLabels: 0 };
    for (let run = 0; run < 600; run++) {
      const faults = faultsOf(layoutGraph(next()));
      for (const name of Object.keys(total) as (keyof Faults)[]) total[name] += faults[name];
    }
    const { edges, ...faults } = total;
    expect(edges).toBeGreaterThan(10_000);
    expect(faults).toEqual({ overlaps: 0, crossings: 0, outside: 0, slanted: 0, hiddenLabels: 0 });
  }, 600_000);

  it("lays out graphs of hundreds of nodes by the same rules", () => {
    const next = randomGraphs(3, 200);
    const faults = faultsOf(layoutGraph(next()));
    expect(faults).toMatchObject({ overlaps: 0, crossings: 0, slanted: 0 });
  });

  it("is the same each time", () => {
    const [first, second] = [randomGraphs(7), randomGraphs(7)];
    expect(layoutGraph(first())).toEqual(layoutGraph(second()));
  });

  it("puts an agent's tools beside its model, a row each", () => {
    const level = layoutGraph(agentGraph(3));
    const [model, tools] = [findNode(level, "model"), findNode(level, "tools")];
    expect(tools?.tools?.map(({ name }) => name)).toEqual(["tool_0", "tool_1", "tool_2"]);
    expect(tools?.x).toBeGreaterThan((model?.x ?? 0) + (model?.width ?? 0));
    expect(faultsOf(level)).toMatchObject({ overlaps: 0, crossings: 0, slanted: 0 });
  });

  it("folds an inner graph of more than 150 nodes until it is opened", () => {
    const keys = Array.from({ length: 151 }, (_, index) => `node${index}`);
    const inner: GraphInfo = {
      name: "large",
      component: "graph",
      nodes: keys.map((key) => ({ key, component: "lambda" })),
      edges: keys.map((key, index) => ({ from: keys[index - 1] ?? "start", to: key, kind: "edge" })),
    };
    const info: GraphInfo = {
      name: "outer",
      component: "graph",
      nodes: [{ key: "large", component: "graph", graph: inner }],
      edges: [
        { from: "start", to: "large", kind: "edge" },
        { from: "large", to: "end", kind: "edge" },
      ],
    };
    expect(findNode(layoutGraph(info), "large")).toMatchObject({ kind: "card", folded: 151 });
    expect(findNode(layoutGraph(info, { opened: new Set(["large"]) }), "large/node150")).toMatchObject({
      kind: "card",
    });
  });

  it("puts END below everything, and leaves out edges to nodes that are not there", () => {
    const level = layoutGraph({
      name: "",
      component: "graph",
      nodes: [
        { key: "ask", component: "lambda" },
        { key: "notify", component: "lambda" },
      ],
      edges: [
        { from: "start", to: "ask", kind: "edge" },
        { from: "ask", to: "end", kind: "edge" },
        { from: "ask", to: "notify", kind: "error" },
        { from: "ask", to: "nowhere", kind: "edge" },
      ],
    });
    expect(findNode(level, "end")?.y).toBeGreaterThan(findNode(level, "notify")?.y ?? 0);
    expect(level.edges).toHaveLength(3);
  });
});
