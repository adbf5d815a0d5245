import { Chain, END, Graph, lambda, passthrough, type Runnable, START } from "kumiko";
import { describe, expectTypeOf, it } from "vitest";

interface Found {
  readonly title: string;
}
async function* find(topic: string): AsyncGenerator<Found> {
  yield { title: topic };
}
async function* lists(topic: string): AsyncGenerator<Found[]> {
  yield [{ title: topic }];
}
const chain = new Chain<string>();

describe("concat of a node that streams", () => {
  it("is what the next step of a chain gets", () => {
    chain.append(find, { concat: "list" }).append((found) => expectTypeOf(found).toEqualTypeOf<Found[]>());
    chain.append(lists, { concat: "list" }).append((found) => expectTypeOf(found).toEqualTypeOf<Found[]>());
    chain.append(find, { concat: "last" }).append((found) => expectTypeOf(found).toEqualTypeOf<Found>());
    chain.append(find, { concat: "record" }).append((found) => expectTypeOf(found).toEqualTypeOf<Found>());
    chain.append(find).append((found) => expectTypeOf(found).toEqualTypeOf<Found>());
    chain
      .append(find, { concat: (chunks: Found[]) => chunks.length })
      .append((count) => expectTypeOf(count).toEqualTypeOf<number>());
    chain
      .append(find, { concat: "list", outputKey: "found" })
      .append((given) => expectTypeOf(given).toEqualTypeOf<Readonly<Record<"found", Found[]>>>());
    chain
      .withState(() => ({}))
      .append(find, {
        concat: "list",
        after: (found) => {
          expectTypeOf(found).toEqualTypeOf<Found[]>();
          return found;
        },
      });
  });

  it("says nothing about a node that gives values", () => {
    chain.append((text) => text.length, { concat: "list" }).append((n) => expectTypeOf(n).toEqualTypeOf<number>());
    chain
      .append(async (text) => ({ text }), { concat: "list" })
      .append((given) => expectTypeOf(given).toEqualTypeOf<{ text: string }>());
    chain.append(() => [1, 2], { concat: "list" }).append((list) => expectTypeOf(list).toEqualTypeOf<number[]>());
  });

  it("is what an edge of a graph brings", () => {
    const graph = () =>
      new Graph<string, number>()
        .addNode("find", find, { concat: "list" })
        .addNode("count", (found: readonly Found[]) => found.length)
        .addNode("one", (found: Found) => found.title.length)
        .addEdge(START, "find");
    graph().addEdge("find", "count");
    // @ts-expect-error "find" gives a list
    graph().addEdge("find", "one");
    const last = new Graph<string, Found>().addNode("find", find, { concat: "last" }).addEdge(START, "find");
    expectTypeOf(last.addEdge("find", END).compile()).toExtend<Runnable<string, Found>>();
    // @ts-expect-error no such rule
    graph().addNode("more", find, { concat: "lists" });
  });

  it("takes functions that give streams or values", () => {
    const mixed = (text: string): number | AsyncIterable<string> => (text === "" ? 0 : find2(text));
    async function* find2(text: string) {
      yield text;
    }
    chain.append(mixed).append((given) => expectTypeOf(given).toEqualTypeOf<string | number>());
    chain.append(mixed, { concat: "list" }).append((given) => expectTypeOf(given).toEqualTypeOf<string[] | number>());
    chain.append((): never => {
      throw new Error("never");
    });
    chain.append((text) => JSON.parse(text)).append((given) => expectTypeOf(given).toBeAny());
    chain
      .append(async function* (): AsyncGenerator<unknown> {
        yield 1;
      })
      .append((given) => expectTypeOf(given).toBeUnknown());
  });
});

describe("concat of a member of a parallel step", () => {
  it("is what the next step gets under its key", async () => {
    const built = chain.appendParallel({
      list: { node: find, options: { concat: "list" } },
      last: { node: find, options: { concat: "last" } },
      count: { node: find, options: { concat: (chunks: Found[]) => chunks.length } },
      inline: {
        node: async function* (text) {
          expectTypeOf(text).toEqualTypeOf<string>();
          yield text.length;
        },
        options: { concat: "list", name: "Inline" },
      },
      value: { node: (text) => text.length, options: { concat: "list" } },
      later: { node: async (text) => ({ text }), options: { concat: "list" } },
      plain: find,
      size: (text) => text.length,
      named: { node: (text) => [text], options: { name: "Named" } },
    });
    const app = built.compile();
    expectTypeOf(app.invoke).returns.resolves.toEqualTypeOf<{
      list: Found[];
      last: Found;
      count: number;
      inline: number[];
      value: number;
      later: { text: string };
      plain: Found;
      size: number;
      named: string[];
    }>();
    built.append(({ list, inline }) => list.length + inline.length);
    for await (const { list, size } of app.stream("x")) {
      expectTypeOf(list).toEqualTypeOf<Found | undefined>();
      expectTypeOf(size).toEqualTypeOf<number | undefined>();
    }
    // @ts-expect-error no such rule
    chain.appendParallel({ a: { node: find, options: { concat: "lists" } }, b: () => 1 });
  });

  it("is what the members of branches and switches give as well", () => {
    const members = {
      many: { node: find, options: { concat: "list" } },
      one: { node: find, options: { concat: "last" } },
      none: (text: string) => text.length,
    } as const;
    const branched = chain.appendBranch((text) => (text === "" ? "none" : "many"), members);
    expectTypeOf(branched.compile().invoke).returns.resolves.toEqualTypeOf<Found[] | Found | number>();
    const switched = new Chain<{ kind: "many"; topic: string } | { kind: "none"; topic: string }>().appendSwitch(
      "kind",
      {
        many: { node: find, options: { inputKey: "topic", concat: "list" } },
        none: ({ topic }) => topic.length,
      },
    );
    expectTypeOf(switched.compile().invoke).returns.resolves.toEqualTypeOf<Found[] | number>();
  });

  it("goes with an input key", () => {
    new Chain<{ topic: string; limit: number }>()
      .appendParallel({
        found: { node: find, options: { inputKey: "topic", concat: "list" } },
        most: { node: (limit) => limit * 2, options: { inputKey: "limit" } },
      })
      .append(({ found, most }) => found.slice(0, most));
  });
});

describe("chunks that are not values", () => {
  it("are the chunks of a streaming node whose concat makes a list of them", async () => {
    const app = chain.append(find, { concat: "list" }).compile();
    expectTypeOf(app).toExtend<Runnable<string, Found[]>>();
    expectTypeOf(app.invoke).returns.resolves.toEqualTypeOf<Found[]>();
    for await (const chunk of app.stream("x")) expectTypeOf(chunk).toEqualTypeOf<Found>();
    for await (const chunk of app.resumeStream("id")) expectTypeOf(chunk).toEqualTypeOf<Found>();
    expectTypeOf(app.stream("x").concat()).resolves.toEqualTypeOf<Found[]>();
  });

  it("are parts of the record of a parallel step", async () => {
    const parallel = chain.appendParallel({ size: (text) => text.length, loud: (text) => text.toUpperCase() });
    const app = parallel.compile();
    expectTypeOf(app).toExtend<Runnable<string, { size: number; loud: string }>>();
    for await (const chunk of app.stream("x")) {
      expectTypeOf(chunk.size).toEqualTypeOf<number | undefined>();
      // @ts-expect-error a chunk may lack it
      chunk.loud.length;
    }
    expectTypeOf(app.stream("x").concat()).resolves.toEqualTypeOf<{ size: number; loud: string }>();
    parallel.append(passthrough()).appendStreamBranch(
      async (stream) => {
        for await (const { size } of stream) expectTypeOf(size).toEqualTypeOf<number | undefined>();
        return "a";
      },
      { a: ({ size }) => size, b: ({ loud }) => loud.length },
    );
    new Chain<string>().append(app).append(({ size, loud }) => size + loud.length);
    new Chain<string>().append(parallel).append(({ size, loud }) => size + loud.length);
  });

  it("are those of a lambda that streams", async () => {
    const found = lambda({ stream: find }, { concat: "list" });
    expectTypeOf(found).toExtend<Runnable<string, Found[]>>();
    for await (const chunk of found.stream("x")) expectTypeOf(chunk).toEqualTypeOf<Found>();
    chain.append(found).append((list) => expectTypeOf(list).toEqualTypeOf<Found[]>());
    const both = lambda(
      { invoke: async (title: string): Promise<Found> => ({ title }), stream: find },
      { concat: "last" },
    );
    expectTypeOf(both).toEqualTypeOf<Runnable<string, Found>>();
    expectTypeOf(lambda<string, Found>({ stream: find }, { concat: "last" })).toEqualTypeOf<Runnable<string, Found>>();
    const graph = new Graph<string, number>()
      .addNodes({ find: { node: find, options: { concat: "list" } }, count: (list: Found[]) => list.length })
      .addEdge(START, "find")
      .addEdge("find", "count")
      .addEdge("count", END);
    expectTypeOf(graph.compile()).toExtend<Runnable<string, number>>();
  });
});
