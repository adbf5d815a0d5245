import { Chain, END, Graph, passthrough, type Runnable, START } from "kumiko";
import { describe, expectTypeOf, it } from "vitest";

type Search = { kind: "search"; query: string };
type Answer = { kind: "answer" | "refuse"; text: string };
type Plan = Search | Answer;

const base = () =>
  new Graph<string, string>()
    .addNode("plan", (text: string): Plan => ({ kind: "search", query: text }))
    .addNode("search", ({ query }: Search) => query)
    .addNode("answer", ({ text }: Answer) => text)
    .addNode("refuse", ({ text }: { kind: "refuse"; text: string }) => text)
    .addNode("any", ({ kind }: Plan) => kind)
    .addEdge(START, "plan");

describe("addSwitch", () => {
  it("gives each target the members of the union that its values select", () => {
    const graph = base()
      .addSwitch("plan", "kind", { search: "search", answer: "answer", refuse: "refuse" })
      .addEdge("search", END)
      .addEdge("answer", END)
      .addEdge("refuse", END)
      .addEdge("any", END);
    // @ts-expect-error "any" has no incoming edge
    graph.compile();
    const whole = base().addSwitch("plan", "kind", { search: "any", answer: "any", refuse: "answer" });
    const done = whole.addSwitch("plan", "kind", { search: "search", answer: "answer", refuse: "refuse" });
    const ended = done.addEdge("any", END).addEdge("answer", END).addEdge("search", END).addEdge("refuse", END);
    expectTypeOf(ended.compile()).toExtend<Runnable<string, string>>();
  });

  it("knows booleans, END, and what flows through a passthrough", () => {
    type Checked = { ok: true; value: number } | { ok: false; error: string };
    const graph = new Graph<Checked, { ok: false; error: string } | number>()
      .addNode("value", ({ value }: { value: number }) => value)
      .addNode("same", passthrough())
      .addSwitch(START, "ok", { true: "same", false: END })
      .addEdge("same", "value")
      .addEdge("value", END);
    expectTypeOf(graph.compile()).toExtend<Runnable<Checked, unknown>>();
  });

  it("refuses what does not fit", () => {
    // @ts-expect-error "refuse" has no target
    base().addSwitch("plan", "kind", { search: "search", answer: "answer" });
    // @ts-expect-error "other" is not a value of "kind"
    base().addSwitch("plan", "kind", { search: "search", answer: "answer", refuse: "refuse", other: "any" });
    // @ts-expect-error an answer is no search
    base().addSwitch("plan", "kind", { search: "search", answer: "search", refuse: "refuse" });
    // @ts-expect-error no such node
    base().addSwitch("plan", "kind", { search: "search", answer: "anser", refuse: "refuse" });
    // @ts-expect-error not in all members of the union
    base().addSwitch("plan", "query", {});
    // @ts-expect-error any text is no closed set
    new Graph<{ a: string }, string>().addNode("x", (v: { a: string }) => v.a).addSwitch(START, "a", { b: "x" });
    // @ts-expect-error a number is no case
    new Graph<{ a: 1 | 2 }, string>().addNode("x", (v: { a: number }) => `${v.a}`).addSwitch(START, "a", { b: "x" });
  });
});

describe("appendSwitch", () => {
  it("gives each member what its value selects", () => {
    const built = new Chain<Plan>().appendSwitch("kind", {
      search: ({ query }) => query.length,
      answer: (answer) => {
        expectTypeOf(answer.kind).toEqualTypeOf<"answer">();
        return answer.text;
      },
      refuse: { node: (text) => [text], options: { inputKey: "text" } },
    });
    expectTypeOf(built.compile().invoke).returns.resolves.toEqualTypeOf<number | string | string[]>();
  });

  it("infers the inputs of functions that all destructure them", () => {
    type Two = Search | { kind: "answer"; text: string };
    const built = new Chain<Two>().appendSwitch("kind", {
      search: ({ query }) => query.length,
      answer: ({ text }) => text,
    });
    expectTypeOf(built.compile().invoke).returns.resolves.toEqualTypeOf<number | string>();
    // @ts-expect-error "answer" has no member
    new Chain<Two>().appendSwitch("kind", { search: ({ query }) => query.length });
  });

  it("refuses what does not fit", () => {
    const chain = new Chain<Plan>();
    // @ts-expect-error "refuse" has no member
    chain.appendSwitch("kind", { search: () => 1, answer: () => 2 });
    // @ts-expect-error "other" is not a value of "kind"
    chain.appendSwitch("kind", { search: () => 1, answer: () => 2, refuse: () => 3, other: () => 4 });
    // @ts-expect-error a search has no text
    chain.appendSwitch("kind", { search: ({ text }) => text, answer: () => 2, refuse: () => 3 });
    // @ts-expect-error a search has no text
    chain.appendSwitch("kind", { search: (given: Answer) => given.text, answer: () => 2, refuse: () => 3 });
    // @ts-expect-error no such field
    chain.appendSwitch("sort", { search: () => 1, answer: () => 2 });
    // @ts-expect-error any text is no closed set
    new Chain<{ a: string }>().appendSwitch("a", { b: () => 1, c: () => 2 });
  });
});
