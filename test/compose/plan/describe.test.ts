import { Chain, END, Graph, lambda, memoryCache, passthrough, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const same = (text: string) => text;

const graph = () =>
  new Graph<string, string>()
    .addNode("inner", new Chain<string>().append(same, { key: "only" }))
    .addNode("typed", lambda({ invoke: same }, { type: "Same" }))
    .addNode("pass", passthrough<string>())
    .addEdge(START, "inner")
    .addBranch("inner", ["typed", END], () => "typed")
    .addEdge("typed", "pass")
    .addEdge("pass", END);

describe("graphInfo()", () => {
  it("gives nodes in order of declaration, and what is inside them", () => {
    expect(graph().compile({ name: "outer" }).graphInfo()).toEqual({
      name: "outer",
      component: "graph",
      nodes: [
        {
          key: "inner",
          component: "chain",
          graph: {
            name: "",
            component: "chain",
            nodes: [{ key: "only", component: "lambda" }],
            edges: [
              { from: "start", to: "only", kind: "edge" },
              { from: "only", to: "end", kind: "edge" },
            ],
          },
        },
        { key: "typed", component: "lambda", type: "Same" },
        { key: "pass", component: "passthrough" },
      ],
      edges: [
        { from: "start", to: "inner", kind: "edge" },
        { from: "typed", to: "pass", kind: "edge" },
        { from: "pass", to: "end", kind: "edge" },
        { from: "inner", to: "typed", kind: "branch" },
        { from: "inner", to: "end", kind: "branch" },
      ],
    });
  });

  it("has the schemas of its ends as JSON Schema, and says whether it has a state", () => {
    const input = z.object({ city: z.string() });
    const app = new Graph({ input, output: z.date() })
      .withState(() => ({ visits: 0 }))
      .addNode("when", () => new Date())
      .addEdge(START, "when")
      .addEdge("when", END)
      .compile();
    expect(app.graphInfo()).toMatchObject({
      input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      output: { type: "string", format: "date-time" },
      state: true,
    });
    const validating = {
      "~standard": { version: 1, vendor: "mine", validate: (value: unknown) => ({ value: String(value) }) },
    } as const;
    expect(new Chain({ input: validating }).append(same).compile().graphInfo()).not.toHaveProperty("input");
  });

  it("names the policies of nodes", () => {
    const retry = { attempts: 2 };
    const app = new Chain<string>()
      .append(same, { key: "all", retry, timeoutMs: 10, cache: { store: memoryCache() }, fallback: () => "" })
      .append(same, { key: "idle", idleTimeoutMs: 10 })
      .append(same, { key: "none", retry: false, cache: false })
      .compile({ name: "policies" });
    expect(app.graphInfo().nodes).toEqual([
      { key: "all", component: "lambda", policies: ["retry", "timeout", "cache", "fallback"] },
      { key: "idle", component: "lambda", policies: ["timeout"] },
      { key: "none", component: "lambda" },
    ]);
  });

  it("is plain data", () => {
    const info = graph().compile().graphInfo();
    expect(JSON.parse(JSON.stringify(info))).toEqual(info);
  });
});

describe("toMermaid()", () => {
  it("draws nodes, edges, dashed branches and nested graphs", () => {
    expect(graph().compile().toMermaid().split("\n")).toEqual([
      "flowchart TD",
      '  n0(["start"])',
      '  n1(["end"])',
      '  subgraph n2["inner"]',
      '    n2_0(["start"])',
      '    n2_1(["end"])',
      '    n2_2["only"]',
      "    n2_0 --> n2_2",
      "    n2_2 --> n2_1",
      "  end",
      '  n3["typed"]',
      '  n4["pass"]',
      "  n0 --> n2",
      "  n3 --> n4",
      "  n4 --> n1",
      "  n2 -.-> n3",
      "  n2 -.-> n1",
    ]);
  });

  it.each([
    ['say "hi"', "say #34;hi#34;"],
    ["<b>#1;", "#60;b#62;#35;1#59;"],
    ["1. first", "#49;#46; first"],
    ["- item", "#45; item"],
    ["`x` *y*", "#96;x#96; #42;y#42;"],
    ["天气 read_file v1.2", "天气 read_file v1.2"],
    ["two\nlines 🌦", "two#10;lines #127782;"],
  ])("makes the label %j harmless", (key, label) => {
    const drawn = new Chain<string>().append(same, { key }).compile().toMermaid();
    expect(drawn.split("\n")).toContain(`  n2["${label}"]`);
  });

  it("shows the display name beside the key", () => {
    const named = new Chain<string>().append(same, { key: "k", name: "Name" }).compile();
    expect(named.toMermaid()).toContain('n2["k: Name"]');
  });
});
