import { Chain, END, each, from, Graph, type Runnable, START, Workflow } from "kumiko";
import { expectTypeOf, it } from "vitest";

interface City {
  readonly name: string;
  readonly people: number;
}
declare const count: Runnable<City, number>;

it("takes lists, and gives lists", () => {
  expectTypeOf(each((text: string) => text.length)).toExtend<Runnable<string[], number[]>>();
  expectTypeOf(each(async (text: string) => text.length)).toExtend<Runnable<string[], number[]>>();
  expectTypeOf(each(count, { concurrency: 2, ordered: false })).toEqualTypeOf<Runnable<readonly City[], number[]>>();
  expectTypeOf(each(each(count))).toEqualTypeOf<Runnable<readonly (readonly City[])[], number[][]>>();
  expectTypeOf(each(new Chain<City>().append(({ name }) => name))).toEqualTypeOf<Runnable<readonly City[], string[]>>();
});

it("knows in a chain what the items are", () => {
  const app = new Chain<City[]>()
    .append(
      each((city) => {
        expectTypeOf(city).toEqualTypeOf<City>();
        return city.name;
      }),
    )
    .append(each(async (name) => name.length))
    .compile();
  expectTypeOf(app).toExtend<Runnable<City[], number[]>>();
});

it("is checked against what flows into it", () => {
  // @ts-expect-error numbers are no texts
  new Chain<number[]>().append(each((text: string) => text.length));
  // @ts-expect-error a text is no list
  new Chain<string>().append(each((text: string) => text.length));
  new Graph<City[], number[]>().addNode("count", each(count)).addEdge(START, "count").addEdge("count", END);
  // @ts-expect-error texts are no cities
  new Graph<string[], number[]>().addNode("count", each(count)).addEdge(START, "count");
});

it("gives a handler of errors the item, and takes what an item gives", () => {
  each(count, {
    onItemError: (error, city, index) => {
      expectTypeOf(error.code).toExtend<string>();
      expectTypeOf(city).toEqualTypeOf<City>();
      return index;
    },
  });
  // @ts-expect-error a text is no number
  each(count, { onItemError: () => "none" });
  // @ts-expect-error there is no such option
  each(count, { limit: 2 });
});

it("takes lists that may not be changed, wherever they come from", () => {
  new Chain<readonly City[]>().append(each(count));
  new Chain<readonly City[]>().append(each(({ name }) => name.length));
  const cities = (_: { readonly query: string }): { readonly found: readonly City[] } => ({ found: [] });
  new Workflow<{ readonly query: string }, number[]>()
    .addNode("search", cities, { input: from(START) })
    .addNode("count", each(count), { input: from("search", "found") })
    .end(from("count"));
});
