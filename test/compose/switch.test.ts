import { Chain, END, Graph, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { interruptOf } from "../checkpoint/interrupt-of.js";
import { plain, thrownBy } from "./thrown-by.js";

type Plan = { kind: "search"; query: string } | { kind: "answer" | "refuse"; text: string };

const search = ({ query }: { query: string }) => `searched ${query}`;
const say = ({ text }: { text: string }) => `said ${text}`;
const nodes = () => new Graph<Plan, string>().addNode("search", search).addNode("say", say);
const switched = () =>
  nodes()
    .addSwitch(START, "kind", { search: "search", answer: "say", refuse: "say" })
    .addEdge("search", END)
    .addEdge("say", END);

describe("addSwitch", () => {
  it("leads a value by its field, in every mode", async () => {
    const app = switched().compile();
    expect(await app.invoke({ kind: "search", query: "a" })).toBe("searched a");
    expect(await app.invoke({ kind: "refuse", text: "no" })).toBe("said no");
    expect(await app.stream({ kind: "answer", text: "b" }).concat()).toBe("said b");
    async function* parts(): AsyncGenerator<Plan> {
      yield plain({ kind: "sea" });
      yield plain({ kind: "rch", query: "c" });
    }
    expect(await app.collect(parts())).toBe("searched c");
    expect(await app.transform(parts()).concat()).toBe("searched c");
  });

  it("knows booleans and END, and runs as a loop", async () => {
    type Count = { done: boolean; count: number };
    const app = new Graph<Count, Count>()
      .addNode("add", ({ count }: Count): Count => ({ count: count + 1, done: count >= 4 }))
      .addEdge(START, "add")
      .addSwitch("add", "done", { true: END, false: "add" })
      .compile();
    expect(await app.invoke({ count: 0, done: false })).toEqual({ count: 5, done: true });
  });

  it("works in an untyped graph", async () => {
    const graph = new Graph<Plan, string>().untyped().addNode("search", search).addNode("say", say);
    graph.addSwitch(START, "kind", { search: "search", answer: "say", refuse: "say" });
    graph.addEdge("search", END).addEdge("say", END);
    expect(await graph.compile().invoke({ kind: "answer", text: "x" })).toBe("said x");
  });

  it("is asked again by a run that goes on", async () => {
    const app = new Graph<Plan, string>()
      .addNode("ask", async (planned: Plan, ctx) => ((await ctx.ask<boolean>("ok", "Go on?")) ? planned : planned))
      .addNode("search", search)
      .addNode("say", say)
      .addEdge(START, "ask")
      .addSwitch("ask", "kind", { search: "search", answer: "say", refuse: "say" })
      .addEdge("search", END)
      .addEdge("say", END)
      .compile({ store: memoryStore(), durability: "step" });
    const [{ id }] = (await interruptOf(app.invoke({ kind: "search", query: "a" }, { checkpointId: "run" })))
      .interrupts;
    expect(await app.resume("run", { [id]: true })).toBe("searched a");
  });

  it("shows its cases in descriptions and pictures", () => {
    const app = switched().compile();
    expect(app.graphInfo().edges.filter(({ kind }) => kind === "branch")).toEqual([
      { from: "start", to: "search", kind: "branch", label: "search" },
      { from: "start", to: "say", kind: "branch", label: "answer, refuse" },
    ]);
    expect(app.toMermaid()).toContain('n0 -.->|"answer, refuse"| n3');
  });

  it.each([
    [{ kind: "other" }, '"kind" "other"'],
    [{ kind: "say" }, '"kind" "say"'],
    [{ kind: 1 }, "not a string or a boolean"],
    [{}, 'without a field "kind"'],
    ["text", 'without a field "kind"'],
    [null, 'without a field "kind"'],
  ])("rejects %j, for which it has no case", async (given, words) => {
    for (const run of [switched().compile(), new Chain<Plan>().append(switched()).compile()]) {
      await expect(run.invoke(plain(given))).rejects.toMatchObject({
        code: "UNKNOWN_BRANCH_TARGET",
        message: expect.stringContaining(words),
      });
      await expect(run.stream(plain(given)).concat()).rejects.toMatchObject({ code: "UNKNOWN_BRANCH_TARGET" });
    }
  });

  it.each([
    [["kind", { search: "serch" }], "UNKNOWN_NODE"],
    [["kind", { search: START }], "INVALID_EDGE"],
    [["kind", {}], "INVALID_BRANCH"],
    [["kind", ["search"]], "INVALID_BRANCH"],
    [["kind", undefined], "INVALID_BRANCH"],
    [["", { search: "search" }], "INVALID_KEY"],
    [[1, { search: "search" }], "INVALID_KEY"],
  ])("refuses the field and cases %j", (given, code) => {
    const graph: { addSwitch(...given: unknown[]): unknown } = plain(nodes());
    expect(thrownBy(() => graph.addSwitch(START, ...given)).code).toBe(code);
  });
});

describe("appendSwitch", () => {
  const chain = () =>
    new Chain<Plan>().appendSwitch("kind", {
      search: ({ query }) => `searched ${query}`,
      answer: { node: (text) => `said ${text}`, options: { inputKey: "text" } },
      refuse: async ({ text }) => `refused ${text}`,
    });

  it("goes on from the member that stands at the value", async () => {
    const app = chain()
      .append((text) => `${text}.`)
      .compile();
    expect(await app.invoke({ kind: "search", query: "a" })).toBe("searched a.");
    expect(await app.invoke({ kind: "answer", text: "b" })).toBe("said b.");
    expect(await app.stream({ kind: "refuse", text: "c" }).concat()).toBe("refused c.");
    await expect(app.invoke(plain({ kind: "x" }))).rejects.toMatchObject({ code: "UNKNOWN_BRANCH_TARGET" });
  });

  it("works behind a fork", async () => {
    const app = new Chain<Plan>()
      .appendSwitch("kind", { search: (plan) => plan, answer: (plan) => plan, refuse: (plan) => plan })
      .appendSwitch("kind", { search: ({ query }) => query, answer: ({ text }) => text, refuse: ({ text }) => text })
      .compile();
    expect(await app.invoke({ kind: "answer", text: "b" })).toBe("b");
  });

  it("is refused with one member, or without a field", () => {
    const one = { search: () => 1 };
    expect(thrownBy(() => new Chain<Plan>().appendSwitch("kind", plain(one))).code).toBe("INVALID_CHAIN");
    const two = { search: () => 1, answer: () => 2 };
    expect(thrownBy(() => new Chain<Plan>().appendSwitch(plain(""), plain(two))).code).toBe("INVALID_KEY");
  });
});
