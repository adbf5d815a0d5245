import { expect, it } from "vitest";
import { Chain } from "../../src/compose/chain.js";
import { lambda } from "../../src/compose/lambda.js";
import type { StreamReader } from "../../src/schema/stream/reader.js";

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
