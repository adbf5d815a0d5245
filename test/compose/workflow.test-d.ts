import { type CompiledGraph, constant, firstOf, from, Graph, START, Workflow } from "kumiko";
import { expectTypeOf, it } from "vitest";

interface Found {
  readonly hits: readonly { readonly text: string; readonly url: string }[];
  readonly note?: string;
}
declare const found: Found;

const searching = new Workflow<{ question: string }, { answer: string }>().addNode(
  "search",
  (_: { query: string }) => found,
  {
    input: { query: from(START, "question") },
  },
);

it("infers the input of a plain function from its mapping", () => {
  searching.addNode(
    "read",
    (given) => {
      expectTypeOf(given.urls).toEqualTypeOf<string[]>();
      expectTypeOf(given.first).toEqualTypeOf<string | undefined>();
      expectTypeOf(given.note).toEqualTypeOf<string>();
      expectTypeOf(given.limit).toEqualTypeOf<5>();
      expectTypeOf(given.inner.size).toEqualTypeOf<number>();
      return 1;
    },
    {
      input: {
        urls: from("search", "hits.*.url"),
        first: from("search", "hits.0.text"),
        note: from("search", "note", { default: "none" }),
        limit: constant(5),
        inner: { size: from("search", (whole: Found) => whole.hits.length) },
      },
    },
  );
});

it("gives a runnable that knows the paths of its nodes", () => {
  const app = searching.end({ answer: from("search", "hits.0.text", { default: "" }) }).compile();
  expectTypeOf(app.invoke).parameter(0).toEqualTypeOf<{ question: string }>();
  expectTypeOf(app.invoke({ question: "" })).resolves.toEqualTypeOf<{ answer: string }>();
  app.invoke({ question: "" }, { nodes: { search: {} } });
  // @ts-expect-error no such node
  app.invoke({ question: "" }, { nodes: { serch: {} } });
  expectTypeOf(app).toExtend<CompiledGraph<{ question: string }, { answer: string }, unknown>>();
});

it("is a node of a graph, and a graph is one of its nodes", () => {
  const flow = searching.end({ answer: from("search", "hits.0.text", { required: true }) });
  const graph = new Graph<{ question: string }, { answer: string }>()
    .addNode("flow", flow)
    .addEdge("start", "flow")
    .addEdge("flow", "end");
  new Workflow<{ question: string }, string>()
    .addNode("graph", graph, { input: from(START) })
    .end(from("graph", "answer"))
    .compile();
});

it("says what is wrong at the field", () => {
  searching.addNode("a", (_: { q: string }) => 1, {
    // @ts-expect-error no node "serch" before this one
    input: { q: from("serch") },
  });
  searching.addNode("a", (_: { q: string }) => 1, {
    // @ts-expect-error "search" has no "hitz"
    input: { q: from("search", "hitz") },
  });
  searching.addNode("a", ({ q }) => `${q}`, {
    // @ts-expect-error "search" has no "hitz", although the function takes what it gets
    input: { q: from("search", "hitz") },
  });
  searching.addNode("a", (q) => `${q}`, {
    // @ts-expect-error no node "serch" before this one
    input: from("serch"),
  });
  searching.addNode("a", (_: { q: number }) => 1, {
    // @ts-expect-error "question" of "start" is string, "q" takes number
    input: { q: from(START, "question") },
  });
  searching.addNode("a", (_: { q: string }) => 1, {
    // @ts-expect-error "note" of "search" may be missing: give a default
    input: { q: from("search", "note") },
  });
  searching.addNode("a", (_: { q: string; r: number }) => 1, {
    // @ts-expect-error "a" never gets "r"
    input: { q: from(START, "question") },
  });
  searching.addNode("a", (_: { q?: string }) => 1, {
    // @ts-expect-error "a" takes no "w"
    input: { w: from(START, "question") },
  });
  searching.addNode("a", (_: { deep: { q: number } }) => 1, {
    // @ts-expect-error "question" of "start" is string, "q" takes number
    input: { deep: { q: from(START, "question") } },
  });
  searching.addNode("a", (_: unknown) => 1, {
    // @ts-expect-error "search" has no "hits.0.txt"
    input: from("search", "hits.0.txt"),
  });
  searching.addNode("a", (_: number) => 1, {
    // @ts-expect-error "search" gives a record, and the function takes string
    input: from("search", (whole: string) => whole.length),
  });
  // @ts-expect-error "i" takes string and has no input
  searching.addNode("i", (_: string) => 1);
  // @ts-expect-error node "search" already exists
  searching.addNode("search", () => 1);
  // @ts-expect-error no such node
  searching.addNode("a", () => 1, { runAfter: ["serch"] });
  // @ts-expect-error the output lacks "answer"
  searching.end({});
  // @ts-expect-error the workflow has no output
  searching.compile();
});

const branched = searching.addBranch("search", ["long", "short"], ({ hits }) => (hits.length > 3 ? "long" : "short"));
const both = branched
  .addNode("long", (given: Found) => ({ text: given.note ?? "" }), { input: from("search") })
  .addNode("short", () => "short");

it("knows which nodes may have been skipped", () => {
  both.end({ answer: firstOf(from("long", "text"), from("short")) }).compile();
  // @ts-expect-error "text" of "long" may be missing
  both.end({ answer: from("long", "text") });
  both.end({ answer: from("long", "text", { default: "" }) });
  both.addNode("next", (_: string) => 1, { input: from("long", "text") });
  both.addNode("next", (_: { a: string; b: string }) => 1, {
    // @ts-expect-error each may be missing beside the other
    input: { a: from("long", "text"), b: from("short") },
  });
  const third = both.addNode("other", () => 1);
  third.addNode("next", (_: { a: string; b: number }) => 1, {
    // @ts-expect-error "text" of "long" may be missing: read "other" with dataOnly if this node belongs to "long"
    input: { a: from("long", "text"), b: from("other") },
  });
  third.addNode("next", (_: { a: string; b: number }) => 1, {
    input: { a: from("long", "text"), b: from("other", { dataOnly: true }) },
  });
});

it("is sure of a node that reads all targets of a branch", () => {
  const joined = both.addNode("join", (_: { a?: string | undefined; b?: string | undefined }) => "joined", {
    input: { a: from("long", "text"), b: from("short") },
  });
  joined.end({ answer: from("join") }).compile();
});

it("wants the targets of a branch behind it, all of them", () => {
  // @ts-expect-error "search" stands before this branch
  searching.addBranch("search", ["search"], () => "search");
  const half = branched.addNode("long", () => 1).end({ answer: constant("") });
  // @ts-expect-error the branch from "search" leads to "short", which is not a node
  half.compile();
  // @ts-expect-error it chooses what it does not declare
  searching.addBranch("search", ["long"], () => "other");
});

type Plan = { kind: "search"; query: string } | { kind: "answer"; text: string };

it("narrows what the targets of a switch read", () => {
  const switched = new Workflow<Plan, string>().addSwitch(START, "kind", { search: "search", answer: "answer" });
  switched
    .addNode("search", ({ query }) => query, { input: from(START) })
    .addNode("answer", (text: string) => text, { input: from(START, "text") })
    .end(firstOf(from("search"), from("answer")))
    .compile();
  // @ts-expect-error "answer" has no target
  new Workflow<Plan, string>().addSwitch(START, "kind", { search: "search" });
});

it("checks any and unknown when it runs", () => {
  const open = new Workflow<{ any: ReturnType<typeof JSON.parse>; unknown: unknown }, number>();
  open.addNode("a", (_: string) => 1, { input: from(START, "any.b.c") });
  open.addNode("a", (_: string) => 1, { input: from(START, "unknown") });
  open.addNode("a", (_: { b: string }) => 1, { input: { b: from(START, "unknown.x.*.y") } });
});

it("takes literals as what they are", () => {
  const literal = new Workflow<string, number>();
  literal.addNode("a", (_: { mode: "fast" | "slow"; list: string[] }) => 1, {
    input: { mode: constant("fast"), list: constant(["x"]) },
  });
  // @ts-expect-error "quick" is not a mode
  literal.addNode("a", (_: { mode: "fast" | "slow" }) => 1, { input: { mode: constant("quick") } });
});

it("knows no keys once it is untyped", () => {
  const flow = new Workflow<string, string>().untyped();
  flow.addNode("a", (text: string) => text, { input: from("later") }).addNode("later", () => "");
  expectTypeOf(flow.end(from("a")).compile().invoke("")).resolves.toEqualTypeOf<string>();
});
