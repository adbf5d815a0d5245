import { Chain, END, each, Graph, memoryStore, START, traceRecorder } from "kumiko";
import type { GraphInfo } from "kumiko/compose";
import { describe, expect, it } from "vitest";
import { toMermaid } from "../../../../src/compose/plan/picture/mermaid.js";
import { rejectedBy } from "../../../run/rejected-by.js";
import { plain, thrownBy } from "../../thrown-by.js";
import { hostileTexts } from "./hostile-texts.js";

const same = (text: string): string => text;
const lines = (drawn: string): string[] => drawn.split("\n").map((line) => line.trim());

describe("toMermaid()", () => {
  it("draws builders as it draws what they make", () => {
    const chain = new Chain<string>().append(same, { key: "a" }).append(same, { key: "b" });
    expect(chain.toMermaid()).toBe(chain.compile().toMermaid());
    const graph = new Graph<string, string>().addNode("a", same).addEdge(START, "a").addEdge("a", END);
    expect(graph.toMermaid({ direction: "LR" })).toBe(graph.compile().toMermaid({ direction: "LR" }));
    expect(lines(graph.toMermaid({ direction: "LR" }))[0]).toBe("flowchart LR");
    expect(thrownBy(() => new Graph<string, string>().toMermaid())).toMatchObject({ code: expect.any(String) });
  });

  it("gives every kind of edge a line of its own", () => {
    const info: GraphInfo = {
      name: "w",
      component: "graph",
      nodes: ["a", "b", "c"].map((key) => ({ key, component: "lambda" })),
      edges: [
        { from: "start", to: "a", kind: "data", label: "x → y" },
        { from: "start", to: "a", kind: "data", label: "z" },
        { from: "a", to: "b", kind: "branch", label: "yes" },
        { from: "a", to: "c", kind: "error" },
        { from: "b", to: "c", kind: "control" },
        { from: "c", to: "end", kind: "edge" },
      ],
    };
    expect(lines(toMermaid(info)).slice(6)).toEqual([
      'n0 -->|"x → y<br/>z"| n2',
      'n2 -.->|"yes"| n3',
      "n2 -.-> n4",
      "n3 --> n4",
      "n4 --> n1",
      "linkStyle 2 stroke:#c62828,stroke-dasharray:1 4",
      "linkStyle 3 stroke:#9e9e9e",
    ]);
  });

  it("draws what is run for each item, and a graph in it as a box", () => {
    const chain = new Chain<string[]>()
      .append(each(same), { key: "flat" })
      .append(each(new Chain<string>().append(same, { key: "inner" })), { key: "deep" });
    const drawn = lines(chain.toMermaid());
    expect(drawn).toContain('n2[["flat"]]');
    expect(drawn).toContain('subgraph n3["deep (each)"]');
    expect(drawn).toContain('n3_2["inner"]');
  });

  it("shows the display name beside the key, from plain data too", () => {
    const app = new Chain<string>().append(same, { key: "k", name: "Name" }).compile();
    expect(toMermaid(JSON.parse(JSON.stringify(app.graphInfo())))).toContain('n2["k: Name"]');
  });

  it("refuses a direction that is none", () => {
    const app = new Chain<string>().append(same).compile();
    expect(thrownBy(() => app.toMermaid({ direction: plain("UP") }))).toMatchObject({ code: "INVALID_OPTION" });
  });

  it("writes the same text each time, and no key breaks its lines", () => {
    for (const key of hostileTexts(200)) {
      const nodes = [key, "next"].map((name) => ({ key: name, name: key, component: "lambda" }) as const);
      const ends = [
        ["start", key],
        [key, "next"],
        ["next", "end"],
      ];
      const edges = ends.map(([from = "", to = ""]) => ({ from, to, kind: "edge" }) as const);
      const drawn = toMermaid({ name: key, component: "graph", nodes, edges });
      expect(toMermaid({ name: key, component: "graph", nodes, edges })).toBe(drawn);
      const label = String.raw`"(?:[\p{L}\p{N} _.,:/()×→-]|#\d+;)*"`;
      const line = new RegExp(String.raw`^(?:flowchart TD|n\d+(?:\(\[${label}\]\)|\[${label}\])|n\d+ --> n\d+)$`, "u");
      expect(lines(drawn).filter((text) => !line.test(text))).toEqual([]);
      expect(lines(drawn)).toHaveLength(8);
    }
  });
});

describe("toMermaid() with a trace", () => {
  const loop = () =>
    new Graph<number, number>()
      .addNode("model", (n: number) => n + 1)
      .addNode("tools", (n: number) => n + 1)
      .addNode("rest", (n: number) => n)
      .addEdge(START, "model")
      .addBranch("model", ["tools", "model", "rest", END], (n) => (n < 4 ? "tools" : END))
      .addEdge("tools", "model")
      .addEdge("rest", END)
      .compile({ name: "loop" });

  it("says what ran how often, and which way it went", async () => {
    const trace = traceRecorder();
    await loop().invoke(0, { callbacks: [trace] });
    const drawn = lines(loop().toMermaid({ trace: trace.toJSON() }));
    expect(drawn).toContain('n2["model ×3"]');
    expect(drawn).toContain('n3["tools ×2"]');
    expect(drawn).toContain("n0 ==> n2");
    expect(drawn).toContain("n3 ==> n2");
    expect(drawn).toContain("n4 --> n1");
    expect(drawn).toContain("class n0,n1,n2,n3 done");
    expect(drawn).toContain("class n4 skipped");
    const edges = drawn.filter((line) => /^n\d+ (?:-|=)/.test(line));
    const thick = drawn.flatMap((line) => /^linkStyle (\d+) stroke-width/.exec(line)?.[1] ?? []);
    expect(thick.map((n) => edges[Number(n)])).toEqual(["n2 -.-> n3", "n2 -.-> n1"]);
    const [root] = trace.toJSON().runs;
    expect(loop().toMermaid({ trace: root })).toBe(loop().toMermaid({ trace: trace.toJSON() }));
  });

  it("says what failed and what waits, also inside of graphs and items", async () => {
    const app = (key: "fail" | "ask") =>
      new Chain<string[]>()
        .append((list) => list, { key: "a" })
        .append(
          each(
            new Chain<string>().append(
              async (text, ctx) => {
                if (key === "fail") throw new Error(text);
                return ctx.ask("q", text);
              },
              { key: "in; side" },
            ),
          ),
          { key: "map" },
        )
        .append((list) => list, { key: "z" })
        .compile({ name: "app; 1", store: memoryStore() });
    for (const [key, status] of [
      ["fail", "failed"],
      ["ask", "waiting"],
    ] as const) {
      const trace = traceRecorder();
      await rejectedBy(app(key).invoke(["x"], { callbacks: [trace], checkpointId: "r" }));
      const drawn = lines(app(key).toMermaid({ trace: trace.toJSON() }));
      expect(drawn).toContain(`class n3,n3_2 ${status}`);
      expect(drawn).toContain("class n1,n3_1,n4 skipped");
      expect(drawn).toContain("class n0,n2,n3_0 done");
    }
  });

  it("takes the entries of a history", () => {
    const entries = [
      {
        id: "3",
        at: 3,
        cause: "interrupt",
        ran: ["tools"],
        next: [],
        interrupts: [{ id: "i", address: "runnable:loop;node:rest" }],
      },
      { id: "2", at: 2, cause: "task", ran: ["model"], next: ["tools"], interrupts: [] },
      { id: "1", at: 1, cause: "start", ran: [], next: ["model"], interrupts: [] },
    ];
    const drawn = lines(loop().toMermaid({ trace: entries }));
    expect(drawn).toContain("class n0,n2,n3 done");
    expect(drawn).toContain("class n4 waiting");
    expect(drawn).toContain("class n1 skipped");
    expect(drawn).toContain("n0 ==> n2");
  });

  it("takes the entries of a history that were all made in one moment", () => {
    const entries = [
      { id: "10", at: 1, cause: "end", ran: ["rest"], next: [], interrupts: [] },
      {
        id: "9",
        at: 1,
        cause: "interrupt",
        ran: ["model", "tools"],
        next: ["rest"],
        interrupts: [{ id: "i", address: "runnable:loop;node:rest" }],
      },
    ];
    const drawn = lines(loop().toMermaid({ trace: entries }));
    expect(drawn).toContain("class n0,n1,n2,n3,n4 done");
    expect(lines(loop().toMermaid({ trace: entries.toReversed() }))).toEqual(drawn);
  });

  it("marks what failed in an entry of a history, until it ran", () => {
    const failure = { id: "2", at: 2, cause: "failure", ran: ["model"], next: ["tools"], interrupts: [] };
    expect(lines(loop().toMermaid({ trace: [failure] }))).toContain("class n3 failed");
    const later = { id: "3", at: 3, cause: "task", ran: ["tools"], next: ["model"], interrupts: [] };
    expect(lines(loop().toMermaid({ trace: [later, failure] }))).toContain("class n0,n2,n3 done");
  });

  it.each([[5], ["text"], [null], [{}], [[5]], [[null]], [[{ ran: 5 }]]])("refuses %j as a trace", (trace) => {
    expect(() => loop().toMermaid({ trace: trace as never })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });

  it.each([[5], [null], [{ traces: [] }]])("refuses %j as options", (options) => {
    expect(() => loop().toMermaid(options as never)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  });
});
