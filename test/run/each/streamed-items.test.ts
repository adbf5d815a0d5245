import { assistantMessage, Chain, each, type NodeContext, pipe, StreamReader, textOf } from "kumiko";
import { describe, expect, it } from "vitest";
import { gate, turns } from "../gate.js";
import { errorOf, rejectedBy } from "../rejected-by.js";

async function chunksOf<T>(reader: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of reader) chunks.push(chunk);
  return chunks;
}

const double = async (n: number): Promise<number> => 2 * n;

describe("Items on a stream", () => {
  it("leave as lists of one, in order", async () => {
    const app = new Chain<number[]>().append(each(double)).compile();
    expect(await chunksOf(app.stream([1, 2, 3]))).toEqual([[2], [4], [6]]);
    expect(await chunksOf(app.transform(StreamReader.from([[1, 2], [3]])))).toEqual([[2], [4], [6]]);
    expect(await app.collect(StreamReader.from([[1], [2], [3]]))).toEqual([2, 4, 6]);
    expect(await chunksOf(each(double).transform(StreamReader.from([[1], [], [2]])))).toEqual([[2], [4]]);
  });

  it("give one empty list when there are none", async () => {
    expect(await chunksOf(each(double).stream([]))).toEqual([[]]);
    expect(await chunksOf(each(double).transform(StreamReader.from([[]])))).toEqual([[]]);
  });

  it("begin as they arrive, and leave before the next has come", async () => {
    const { reader, writer } = pipe<number[]>();
    const results = each(double).transform(reader)[Symbol.asyncIterator]();
    const first = results.next();
    await writer.write([1]);
    expect(await first).toEqual({ done: false, value: [2] });
    const second = results.next();
    await writer.write([2]);
    expect(await second).toEqual({ done: false, value: [4] });
    writer.close();
    expect(await results.next()).toEqual({ done: true, value: undefined });
  });

  it("begin as a node before them streams a list", async () => {
    const [seen, more] = [gate(), gate()];
    async function* list(count: number) {
      for (let n = 0; n < count; n++) {
        if (n === 1) await more.promise;
        yield n;
      }
    }
    const app = new Chain<number>()
      .append(list, { concat: "list" })
      .append(
        each((n: number) => {
          seen.open();
          return 10 * n;
        }),
      )
      .compile();
    const results = chunksOf(app.stream(3));
    await seen.promise;
    more.open();
    expect(await results).toEqual([[0], [10], [20]]);
    expect(await app.invoke(2)).toEqual([0, 10]);
  });

  it("wait for their turn, unless unordered", async () => {
    const run = async (ordered: boolean): Promise<unknown> => {
      const first = gate();
      const node = async (n: number): Promise<number> => {
        if (n === 1) await first.promise;
        if (n === 3) first.open();
        return n;
      };
      return chunksOf(each(node, { ordered }).stream([1, 2, 3]));
    };
    expect(await run(true)).toEqual([[1], [2], [3]]);
    expect(await run(false)).toEqual([[2], [3], [1]]);
  });

  it("run no more at a time than their concurrency, and need nobody who reads on", async () => {
    let running = 0;
    let most = 0;
    let ended = 0;
    const node = async (n: number): Promise<number> => {
      most = Math.max(most, ++running);
      await turns();
      running--;
      ended++;
      return n;
    };
    const results = each(node, { concurrency: 2 }).stream([1, 2, 3, 4, 5])[Symbol.asyncIterator]();
    expect(await results.next()).toEqual({ done: false, value: [1] });
    while (ended < 5) await turns();
    expect(most).toBe(2);
    expect(await results.next()).toEqual({ done: false, value: [2] });
  });

  it("do not ask for more of the list than somebody reads", async () => {
    let given = 0;
    async function* endless() {
      for (;;) yield [given++];
    }
    const results = each((n: number) => n)
      .transform(endless())
      [Symbol.asyncIterator]();
    await results.next();
    await turns();
    const held = given;
    expect(held).toBeLessThan(40);
    await turns();
    expect(given).toBe(held);
    await results.return?.();
  });

  it("take a list of very many chunks", async () => {
    const chunks = Array.from({ length: 30_000 }, (_, n) => [n]);
    expect(await each((n: number) => n + 1).collect(StreamReader.from(chunks))).toHaveLength(30_000);
    const whole = chunks.flat();
    expect(
      await each((n: number) => n + 1)
        .stream(whole)
        .concat(),
    ).toHaveLength(30_000);
  });

  it("of messages are joined message by message first", async () => {
    const [a, b] = [assistantMessage("a"), assistantMessage("b")];
    const sparse = [
      [a, undefined],
      [undefined, b],
      [assistantMessage("c"), undefined],
    ] as (typeof a)[][];
    expect(await each(textOf).collect(StreamReader.from(sparse))).toEqual(["ac", "b"]);
  });

  it("without a list of their own are the error of joining", async () => {
    async function* twice() {
      yield [1];
      yield [2];
    }
    const app = new Chain<number>().append(twice, { key: "twice" }).append(each(double)).compile();
    const [onValues, onStreams] = [await errorOf(app.invoke(1)), await errorOf(app.stream(1).concat())];
    expect(onValues).toMatchObject({ code: "CANNOT_CONCAT", nodePath: ["twice"] });
    expect(onStreams).toMatchObject({ code: "CANNOT_CONCAT", nodePath: ["twice"] });
    async function* nothing(): AsyncGenerator<number[]> {}
    expect(await errorOf(each(double).collect(nothing()))).toMatchObject({ code: "EMPTY_STREAM" });
  });
});

describe("A failure among streamed items", () => {
  const failing = async (n: number): Promise<number> => {
    if (n === 2) throw new Error("two");
    return n;
  };

  it("comes after the results before it, and names its index", async () => {
    const app = new Chain<number[]>().append(each(failing, { concurrency: 1 }), { key: "map" }).compile();
    const results = app.stream([0, 1, 2, 3])[Symbol.asyncIterator]();
    expect(await results.next()).toEqual({ done: false, value: [0] });
    expect(await results.next()).toEqual({ done: false, value: [1] });
    const error = await errorOf(results.next());
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["map"], index: 2 });
    expect(await results.next()).toEqual({ done: true, value: undefined });
  });

  it("that is one of the list stays the error of its node", async () => {
    async function* list() {
      yield 1;
      throw new Error("list");
    }
    const app = new Chain<string>().append(list, { key: "list", concat: "list" }).append(each(double)).compile();
    expect(await errorOf(app.stream("").concat())).toMatchObject({ nodePath: ["list"] });
    expect(await errorOf(app.invoke(""))).toMatchObject({ nodePath: ["list"] });
  });

  it("stops the list and the others, and so does a reader that leaves", async () => {
    for (const leaves of [false, true]) {
      let closed = false;
      let aborted = false;
      async function* list() {
        try {
          for (let n = 0; ; n++) {
            await turns();
            yield [n];
          }
        } finally {
          closed = true;
        }
      }
      const node = async (n: number, ctx: NodeContext): Promise<number> => {
        if (n === 0) return 0;
        if (n === 3 && !leaves) throw new Error("three");
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        aborted = true;
        return n;
      };
      const results = each(node).transform(list())[Symbol.asyncIterator]();
      await results.next();
      const second = results.next();
      if (leaves) {
        second.catch(() => undefined);
        await turns();
        await turns();
        await results.return?.();
      } else expect(await errorOf(second)).toMatchObject({ index: 3 });
      await turns();
      await turns();
      expect([closed, aborted]).toEqual([true, true]);
    }
  });

  it("is the reason of an abort, when the caller stops the run", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const reading = each(() => new Promise<number>(() => undefined))
      .stream([1], { signal: stop.signal })
      .concat();
    await turns();
    stop.abort(reason);
    expect(await rejectedBy(reading)).toBe(reason);
  });
});
