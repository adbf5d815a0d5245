import { Chain, END, Graph, lambda, type Runnable, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { modes } from "../run/every-way.js";

async function* find(topic: string) {
  yield { title: `${topic} 1` };
  yield { title: `${topic} 2` };
}

async function chunksOf<T>(reader: StreamReader<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of reader) chunks.push(chunk);
  return chunks;
}

it("joins the chunks of a node to what its type says", async () => {
  const list = new Chain<string>().append(find, { concat: "list" });
  expect((await list.compile().invoke("a")).map(({ title }) => title)).toEqual(["a 1", "a 2"]);
  expect((await chunksOf(list.compile().stream("a"))).map(({ title }) => title)).toEqual(["a 1", "a 2"]);
  expect(
    await list
      .append((found) => found.length)
      .compile()
      .invoke("a"),
  ).toBe(2);
  expect((await new Chain<string>().append(find, { concat: "last" }).compile().invoke("a")).title).toBe("a 2");
  const count = new Chain<string>().append(find, { concat: (chunks: { title: string }[]) => chunks.length });
  expect((await count.compile().invoke("a")).toFixed()).toBe("2");
  const value = new Chain<string>().append((text) => text.length, { concat: "list" }).compile();
  expect((await value.invoke("abc")).toFixed()).toBe("3");
  const found = lambda({ stream: find }, { concat: "list" });
  expect((await found.invoke("a")).map(({ title }) => title)).toEqual(["a 1", "a 2"]);
  expect((await chunksOf(found.stream("a"))).map(({ title }) => title)).toEqual(["a 1", "a 2"]);
});

it("gives the record of a parallel step in parts, and joined as a whole", async () => {
  const app = new Chain<string>()
    .appendParallel({ size: (text) => text.length, loud: (text) => text.toUpperCase() })
    .compile();
  const chunks = await chunksOf(app.stream("ab"));
  expect(chunks.map(({ size }) => size).filter((size) => size !== undefined)).toEqual([2]);
  expect(chunks.some(({ loud }) => loud === undefined)).toBe(true);
  const { size, loud } = await app.stream("ab").concat();
  expect([size, loud]).toEqual([2, "AB"]);
});

describe("concat of the members of a step", () => {
  const many = { node: find, options: { concat: "list" } } as const;
  const parallel = new Chain<string>().appendParallel({
    many,
    one: { node: find, options: { concat: "last" } },
    count: { node: find, options: { concat: (chunks: { title: string }[]) => chunks.length } },
    size: { node: (text) => text.length, options: { concat: "list" } },
  });
  const found = [{ title: "a 1" }, { title: "a 2" }];

  it.each(modes)("joins what each gives, in %s", async (mode) => {
    const joined = { many: found, one: { title: "a 2" }, count: 2, size: 1 };
    expect(await inMode(parallel.compile(), mode)).toEqual(joined);
    expect(await inMode(parallel.append((given) => given).compile(), mode)).toEqual(joined);
    const branched = new Chain<string>().appendBranch(() => "many", { many, none: () => 0 });
    expect(await inMode(branched.compile(), mode)).toEqual(found);
    expect(await inMode(branched.append((given) => given).compile(), mode)).toEqual(found);
  });

  it("gives chunks that are parts of the record where edges bring END parts", async () => {
    const graph = new Graph<string, { size: number; found: { title: string }[] }>()
      .addNode("size", (text: string) => text.length, { outputKey: "size" })
      .addNode("find", find, { outputKey: "found", concat: "list" })
      .addEdge(START, "size")
      .addEdge(START, "find")
      .addEdge("size", END)
      .addEdge("find", END);
    const chunks = await chunksOf(graph.compile().stream("a"));
    expect(chunks.filter(({ size }) => size !== undefined)).toEqual([{ size: 1 }]);
    expect(chunks.filter(({ found }) => found !== undefined)).toHaveLength(2);
    expect(await graph.compile().stream("a").concat()).toEqual({ size: 1, found });
  });
});

async function inMode<O>(app: Runnable<string, O>, mode: (typeof modes)[number]): Promise<O> {
  if (mode === "invoke") return await app.invoke("a");
  if (mode === "collect") return await app.collect(StreamReader.from(["a"]));
  return await (mode === "stream" ? app.stream("a") : app.transform(StreamReader.from(["a"]))).concat();
}
