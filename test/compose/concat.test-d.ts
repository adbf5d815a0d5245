import { describe, expectTypeOf, it } from "vitest";
import { Chain } from "../../src/compose/chain.js";
import { Graph } from "../../src/compose/graph.js";
import { END, START } from "../../src/compose/plan/plan.js";
import type { Runnable } from "../../src/compose/runnable.js";

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

  it("is what a handle gives", () => {
    const graph = new Graph<string, number>();
    const list = graph.node("find", find, { concat: "list" });
    const count = graph.node("count", (found: readonly Found[]) => found.length);
    const one = graph.node("one", (found: Found) => found.title.length);
    graph.connect(list, count);
    // @ts-expect-error "find" gives a list
    graph.connect(list, one);
    graph.connect(graph.node("other", find), one);
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
