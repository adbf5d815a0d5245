import { pipe, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { DROPPED, type MapStep, mapSource } from "../../../src/schema/stream/map.js";
import type { ChunkSource } from "../../../src/schema/stream/source.js";
import { all, outcome, Producer } from "./producer.js";

function source<T>(chunks: readonly T[]): ChunkSource<T> {
  return StreamReader.from(new Producer(chunks)).takeSource();
}

function read(steps: readonly MapStep[], chunks: readonly unknown[]): Promise<unknown[]> {
  return all(new StreamReader(steps.reduce((mapped, step) => mapSource(mapped, step), source<unknown>(chunks))));
}

describe("map", () => {
  it("gives each chunk to the function, in order", async () => {
    expect(await all(StreamReader.from([1, 2, 3]).map((chunk) => chunk * 2))).toEqual([2, 4, 6]);
  });

  it("waits for promises and thenables", async () => {
    const mapped = StreamReader.from(new Producer([1, 2]))
      .map(async (chunk) => chunk + 1)
      .map((chunk): PromiseLike<string> => ({ then: (resolve) => Promise.resolve(`#${chunk}`).then(resolve) }));
    expect(await all(mapped)).toEqual(["#2", "#3"]);
  });

  it("keeps chunks that become undefined", async () => {
    expect(await all(StreamReader.from([1, 2]).map(() => undefined))).toEqual([undefined, undefined]);
  });

  it("calls each function once per chunk, chunk by chunk", async () => {
    const calls: string[] = [];
    const note = (name: string) => (chunk: number) => {
      calls.push(name + chunk);
      return chunk;
    };
    await all(
      StreamReader.from(new Producer([1, 2]))
        .map(note("a"))
        .map(note("b"))
        .map(note("c")),
    );
    expect(calls).toEqual(["a1", "b1", "c1", "a2", "b2", "c2"]);
  });

  it("delivers overlapping reads in order, however long the function takes", async () => {
    const ticks = [5, 0, 3];
    const reader = StreamReader.from([0, 1, 2]).map(async (chunk) => {
      for (let left = ticks[chunk] ?? 0; left > 0; left--) await undefined;
      return chunk;
    });
    const order: unknown[] = [];
    await Promise.all([0, 1, 2, 3].map(() => reader.next().then(({ value }) => order.push(value))));
    expect(order).toEqual([0, 1, 2, undefined]);
  });

  it.each([
    ["throws", (chunk: number) => (chunk === 2 ? fail() : chunk)],
    ["rejects", async (chunk: number) => (chunk === 2 ? fail() : chunk)],
  ])("ends the stream and cancels the source when the function %s", async (_, fn) => {
    const producer = new Producer([1, 2, 3]);
    const reader = StreamReader.from(producer).map(fn);
    expect((await reader.next()).value).toBe(1);
    await expect(reader.next()).rejects.toThrow("no 2");
    expect((await reader.next()).done).toBe(true);
    expect(producer).toMatchObject({ pulled: 2, returned: 1 });
  });

  it("hands errors of the source through", async () => {
    const failure = new Error("broken line");
    const reader = StreamReader.from(new Producer([1], failure)).map((chunk) => chunk + 1);
    expect(await outcome(reader)).toEqual({ chunks: [2], error: failure });
    expect(
      await StreamReader.from(new Producer([], failure))
        .map(String)
        .next()
        .catch(() => "failed"),
    ).toBe("failed");
  });

  it("rejects a read that is pending when the stream is cancelled", async () => {
    const { reader, writer } = pipe<number>();
    const mapped = reader.map(async (chunk) => chunk);
    const pending = mapped.next();
    void writer.write(1);
    await mapped.cancel("bored");
    await expect(pending).rejects.toMatchObject({ code: "STREAM_CANCELLED", cause: "bored" });
  });

  it("may cancel its own stream from within the function", async () => {
    const producer = new Producer([1, 2]);
    const reader: StreamReader<number> = StreamReader.from(producer).map((chunk) => {
      void reader.cancel();
      return chunk;
    });
    expect((await reader.next()).value).toBe(1);
    await expect(reader.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
    expect(producer).toMatchObject({ pulled: 1, returned: 1 });
  });
});

describe("filter", () => {
  it("keeps what passes, undefined included", async () => {
    expect(await all(StreamReader.from([0, undefined, 2, 3]).filter((chunk) => chunk !== 2))).toEqual([
      0,
      undefined,
      3,
    ]);
  });

  it("waits for async predicates", async () => {
    expect(await all(StreamReader.from(new Producer([1, 2, 3])).filter(async (chunk) => chunk > 1))).toEqual([2, 3]);
  });

  it("keeps the order of overlapping reads", async () => {
    const reader = StreamReader.from(new Producer([1, 2, 3, 4])).filter((chunk) => chunk % 2 === 0);
    const results = await Promise.all([reader.next(), reader.next(), reader.next()]);
    expect(results.map(({ value }) => value)).toEqual([2, 4, undefined]);
  });

  it("skips any number of chunks", async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => i);
    expect(await all(StreamReader.from(many).filter((chunk) => chunk === 99_999))).toEqual([99_999]);
    expect(
      await StreamReader.from(many)
        .filter((chunk) => chunk === 99_999)
        .concat(),
    ).toBe(99_999);
  });

  it("ends with the error of the source, also while it skips", async () => {
    const failure = new Error("broken line");
    const reader = StreamReader.from(new Producer([1, 1], failure)).filter((chunk) => chunk > 1);
    await expect(reader.next()).rejects.toBe(failure);
    expect((await reader.next()).done).toBe(true);
  });
});

describe("mapSource", () => {
  it("takes one hop for any number of neighbouring steps", async () => {
    const add = { apply: (chunk: number) => chunk + 1 };
    const ticks = async (steps: number): Promise<number> => {
      let mapped: ChunkSource<unknown> = new StreamReader(source([1])).takeSource();
      for (let i = 0; i < steps; i++) mapped = mapSource(mapped, add);
      let arrived = false;
      void mapped.next().then(() => {
        arrived = true;
      });
      let count = 0;
      for (; !arrived; count++) await undefined;
      return count;
    };
    expect(await ticks(50)).toBe(await ticks(1));
  });

  it("drops what a dropping step makes undefined, and DROPPED of any step", async () => {
    const keepEven: MapStep = { apply: async (chunk: number) => (chunk % 2 === 0 ? chunk : undefined), drop: true };
    const notFour: MapStep = { apply: (chunk: number) => (chunk === 4 ? DROPPED : chunk) };
    expect(await read([keepEven, notFour], [1, 2, 3, 4, 5, 6])).toEqual([2, 6]);
  });

  it("lets the step that failed name its error", async () => {
    const wrap = (error: unknown): Error => new Error("in step two", { cause: error });
    const steps: MapStep[] = [{ apply: (chunk) => chunk }, { apply: fail, wrap }, { apply: (chunk) => chunk }];
    await expect(read(steps, [2])).rejects.toMatchObject({ message: "in step two", cause: { message: "no 2" } });
  });

  it("does not name errors that come from the source", async () => {
    const failure = new Error("broken line");
    const failing = StreamReader.from(new Producer([], failure)).takeSource();
    await expect(mapSource(failing, { apply: fail, wrap: () => new Error("mine") }).next()).rejects.toBe(failure);
  });

  it("maps a stream that was partly read already", async () => {
    const first = StreamReader.from([1, 2, 3]).map((chunk) => chunk * 10);
    await first.next();
    expect(await all(first.map((chunk) => chunk + 1))).toEqual([21, 31]);
    const second = StreamReader.from([1, 2, 3]).map((chunk) => chunk * 10);
    await second.next();
    expect(
      await second
        .map((chunk) => chunk + 1)
        .withRule("list")
        .concat(),
    ).toEqual([21, 31]);
  });

  it("does not read past an error of a stream that is being read", async () => {
    const first = StreamReader.from(new Producer([1, 2])).map(async (chunk) => (chunk === 1 ? fail() : chunk));
    const pending = first.next();
    const rest = all(first.map((chunk) => chunk));
    await expect(pending).rejects.toThrow("no 2");
    expect(await rest).toEqual([]);
  });
});

function fail(): never {
  throw new Error("no 2");
}
