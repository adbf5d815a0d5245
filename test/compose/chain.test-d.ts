import {
  type AgenticMessage,
  type AgenticModel,
  AgenticToolsNode,
  Chain,
  END,
  Graph,
  lambda,
  mapChunks,
  passthrough,
  type Runnable,
  START,
} from "kumiko";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";

declare const model: AgenticModel;
const tools = new AgenticToolsNode([]);
const chain = new Chain<string>();

describe("a chain", () => {
  it("starts with the type of its input, and goes on with what each step gives", () => {
    const built = chain
      .append((text) => {
        expectTypeOf(text).toEqualTypeOf<string>();
        return text.length;
      })
      .append(async (count, ctx) => {
        expectTypeOf(count).toEqualTypeOf<number>();
        expectTypeOf(ctx.state).toEqualTypeOf<undefined>();
        return count > 1;
      })
      .append(async function* (many) {
        yield many ? "many" : "few";
      });
    expectTypeOf(built.compile()).toExtend<Runnable<string, string>>();
    expectTypeOf(built.compile().invoke).returns.resolves.toEqualTypeOf<"many" | "few">();
  });

  it("refuses a step that does not take what flows", () => {
    // @ts-expect-error text flows
    chain.append((count: number) => count);
    // @ts-expect-error text flows
    chain.append(lambda({ invoke: (count: number) => count }));
    // @ts-expect-error text flows
    chain.append(model);
    // @ts-expect-error text flows
    chain.appendModel(model);
    // @ts-expect-error text flows
    chain.appendToolsNode(tools);
    // @ts-expect-error text flows
    chain.appendGraph(new Chain<number>().append((count) => count));
    // @ts-expect-error text flows
    chain.appendLambda((count: number) => count);
    // @ts-expect-error the inner graph is not complete
    chain.append(new Graph<string, string>().addNode("a", (text: string) => text));
  });

  it("takes every kind of node", () => {
    const graph = new Graph<string, number>()
      .addNode("length", (text: string) => text.length)
      .addEdge(START, "length")
      .addEdge("length", END);
    const built = chain
      .append(mapChunks((text: string) => text))
      .append(passthrough())
      .append(passthrough())
      .append(graph)
      .append((count) => `${count}`)
      .append(graph.compile())
      .append((count) => ({ count }));
    expectTypeOf(built.compile().invoke).returns.resolves.toEqualTypeOf<{ count: number }>();
    expectTypeOf(new Chain<AgenticMessage>().appendToolsNode(tools).compile()).toExtend<
      Runnable<AgenticMessage, AgenticMessage[]>
    >();
    expectTypeOf(new Chain<AgenticMessage>().appendAgenticToolsNode(tools).compile()).toExtend<
      Runnable<AgenticMessage, AgenticMessage[]>
    >();
    new Chain<AgenticMessage[]>().appendModel(model, { options: { temperature: 0 } }).append(tools);
    // @ts-expect-error a model has no such option
    new Chain<AgenticMessage[]>().appendModel(model, { options: { temprature: 0 } });
  });

  it("can be continued in a loop", () => {
    let long = new Chain<string>();
    for (const mark of ["!", "?"]) long = long.append((text) => text + mark);
    for (const key of ["a", "b"]) long = long.append(async (text) => text, { key });
    expectTypeOf(long.compile().invoke).returns.resolves.toEqualTypeOf<string>();
  });

  it("works in functions that are generic in what flows", () => {
    function titled<Page extends { title: string }>(change: (page: Page) => Page): Runnable<Page, number> {
      return new Chain<Page>()
        .append(change)
        .append((page) => page.title)
        .append((title) => title.length)
        .compile();
    }
    expectTypeOf(titled).toBeFunction();
    function joined<A, B, C>(first: (a: A) => B, second: (b: B) => Promise<C>): Runnable<A, C> {
      return new Chain<A>().append(first).append(second).compile();
    }
    expectTypeOf(
      joined(
        (text: string) => text.length,
        async (size) => [size],
      ),
    ).toEqualTypeOf<Runnable<string, number[]>>();
  });
});

describe("the options of a step", () => {
  const page = new Chain<{ title: string; views: number }>();

  it("pick and wrap, and know the types", () => {
    const built = page
      .append((title) => title.length, { inputKey: "title", outputKey: "size", key: "size" })
      .append(({ size }) => size + 1);
    expectTypeOf(built.compile().invoke).returns.resolves.toEqualTypeOf<number>();
    // @ts-expect-error no such field
    page.append((title) => title, { inputKey: "author" });
    // @ts-expect-error no such option
    page.append(({ title }) => title, { kee: "size" });
    const picked = page.append(passthrough(), { inputKey: "title", outputKey: "name" }).append(({ name }) => name);
    expectTypeOf(picked.compile().invoke).returns.resolves.toEqualTypeOf<string>();
  });

  it("pick no field that may be missing, which is an error when the chain runs", () => {
    const draft = new Chain<{ title: string; author?: string }>().append((given) => given);
    // @ts-expect-error it may be missing
    draft.append((author) => author, { inputKey: "author" });
    // @ts-expect-error it may be missing
    draft.appendParallel({ a: { node: (author: unknown) => author, options: { inputKey: "author" } }, b: () => 1 });
    draft.append((title) => title.length, { inputKey: "title" });
    new Chain<Record<string, number>>().append((count) => count + 1, { inputKey: "any" });
  });

  it("have handlers when there is a state", () => {
    page
      .withState(() => ({ seen: 0 }))
      .append((title, ctx) => title.length + ctx.state.seen, {
        inputKey: "title",
        before: (input, state) => {
          expectTypeOf(input).toEqualTypeOf<{ title: string; views: number }>();
          state.seen += 1;
          return input;
        },
        after: (size) => size + 1,
      });
    // @ts-expect-error no withState(...)
    page.append(({ title }) => title, { before: (input: { title: string; views: number }) => input });
  });
});

describe("a parallel step", () => {
  it("gives a record of what its members give", () => {
    const built = chain.appendParallel({
      size: (text) => text.length,
      loud: async (text) => text.toUpperCase(),
      letters: async function* (text) {
        yield text === "";
      },
      named: { node: (text) => [text], options: { name: "Named" } },
    });
    expectTypeOf(built.compile().invoke).returns.resolves.toEqualTypeOf<{
      size: number;
      loud: string;
      letters: boolean;
      named: string[];
    }>();
  });

  it("gives a member the field of what flows that its input key names", () => {
    const page = new Chain<{ title: string; views: number }>();
    const built = page
      .withState(() => ({ seen: 0 }))
      .appendParallel({
        whole: ({ title, views }) => title.length + views,
        title: { node: (title) => title.toUpperCase(), options: { inputKey: "title" } },
        views: {
          node: async function* (views) {
            yield views.toFixed();
          },
          options: {
            inputKey: "views",
            before: (input, state) => {
              expectTypeOf(input).toEqualTypeOf<{ title: string; views: number }>();
              state.seen += 1;
              return input;
            },
          },
        },
        same: { node: ({ title }) => [title], options: { name: "Same" } },
      });
    expectTypeOf(built.compile().invoke).returns.resolves.toEqualTypeOf<{
      whole: number;
      title: string;
      views: string;
      same: string[];
    }>();
    // @ts-expect-error the field is a text
    page.appendParallel({ a: { node: (count: number) => count, options: { inputKey: "title" } }, b: () => 1 });
    // @ts-expect-error no such field
    page.appendParallel({ a: { node: () => 1, options: { inputKey: "author" } }, b: () => 1 });
    // @ts-expect-error no such option
    page.appendParallel({ a: { node: () => 1, options: { inputKee: "title" } }, b: () => 1 });
    // @ts-expect-error the output goes under the key of the member
    page.appendParallel({ a: { node: () => 1, options: { outputKey: "title" } }, b: () => 1 });
    page.appendBranch(() => "a", { a: { node: (title) => title.length, options: { inputKey: "title" } }, b: () => 1 });
    // @ts-expect-error the field is a text
    page.appendBranch(() => "a", { a: { node: (n: number) => n, options: { inputKey: "title" } }, b: () => 1 });
  });

  it("refuses members that do not take what flows, and keys that are none", () => {
    // @ts-expect-error text flows
    chain.appendParallel({ size: (count: number) => count, loud: (text) => text });
    // @ts-expect-error JavaScript would move it to the front
    chain.appendParallel({ 1: (text) => text, loud: (text) => text });
    // @ts-expect-error a slash separates the keys of a path
    chain.appendParallel({ "a/b": (text) => text, loud: (text) => text });
    chain.appendParallel({ start: (text) => text, end: (text) => text });
  });
});

describe("a branch", () => {
  it("gives what one of its members gives", () => {
    const built = chain.appendBranch((text) => (text === "" ? "empty" : "full"), {
      empty: () => 0,
      full: (text) => text,
    });
    expectTypeOf(built.compile().invoke).returns.resolves.toEqualTypeOf<string | number>();
    chain.appendBranch(() => ["empty", "full"], { empty: () => ({ a: 1 }), full: (text) => ({ text }) });
    chain.appendBranch(async () => "full", { empty: () => 0, full: (text) => text });
    chain.appendStreamBranch(
      async (stream) => {
        for await (const chunk of stream) expectTypeOf(chunk).toEqualTypeOf<string>();
        return "full";
      },
      { empty: () => 0, full: (text) => text },
    );
  });

  it("chooses among its members", () => {
    // @ts-expect-error "ful" is no member
    chain.appendBranch((text) => (text === "" ? "empty" : "ful"), { empty: () => 0, full: (text) => text });
    // @ts-expect-error "ful" is no member
    chain.appendBranch(() => ["empty", "ful"], { empty: () => 0, full: (text) => text });
  });
});

describe("a chain with schemas", () => {
  it("has the types of its schemas", () => {
    const built = new Chain({
      input: z.object({ count: z.number().default(1) }),
      output: z.string().transform((text) => text.length),
    });
    const compiled = built.append(({ count }) => "x".repeat(count)).compile();
    expectTypeOf(compiled.invoke).parameter(0).toEqualTypeOf<{ count?: number | undefined }>();
    expectTypeOf(compiled.invoke).returns.resolves.toEqualTypeOf<number>();
    // @ts-expect-error the last step does not fit the output schema
    built.append(({ count }) => count).compile();
  });
});
