import { Readable } from "node:stream";
import { pipe, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { all, outcome, Producer, settled } from "./producer.js";

async function* words(): AsyncGenerator<string, undefined> {
  yield "to";
  yield "be";
}

describe("StreamReader.from", () => {
  it("reads an array", async () => {
    expect(await all(StreamReader.from([1, 2, 3]))).toEqual([1, 2, 3]);
  });

  it("reads an async generator", async () => {
    expect(await all(StreamReader.from(words()))).toEqual(["to", "be"]);
  });

  it("reads a hand-written async iterable", async () => {
    expect(await all(StreamReader.from(new Producer([1, 2])))).toEqual([1, 2]);
  });

  it("reads a class with a generator method", async () => {
    class Words {
      async *[Symbol.asyncIterator](): AsyncGenerator<string> {
        yield* words();
      }
    }
    expect(await all(StreamReader.from(new Words()))).toEqual(["to", "be"]);
  });

  it("reads a web stream", async () => {
    expect(await all(StreamReader.from(new Blob(["abc"]).stream().pipeThrough(new TextDecoderStream())))).toEqual([
      "abc",
    ]);
  });

  it("reads a web stream that cannot be iterated, and unlocks it at the end", async () => {
    const stream = webStream(["a", "b"]);
    Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined });
    expect(await all(StreamReader.from(stream))).toEqual(["a", "b"]);
    expect(stream.locked).toBe(false);
  });

  it("reads a stream of Node", async () => {
    expect(await all(StreamReader.from<string>(Readable.from(["a", "b"])))).toEqual(["a", "b"]);
  });

  it("gives a StreamReader back as it is", () => {
    const reader = StreamReader.from([1]);
    expect(StreamReader.from(reader)).toBe(reader);
  });

  it.each([
    ["a promise", Promise.resolve([1])],
    ["a set", new Set([1])],
    ["a string", "abc"],
    ["a number", 7],
    ["null", null],
    ["nothing", undefined],
  ])("refuses %s at once", (_, given) => {
    expect(() => StreamReader.from(given as never)).toThrowError(
      expect.objectContaining({ code: "TYPE_MISMATCH", message: expect.stringContaining("async iterable") }),
    );
  });

  it("opens an iterable at the first read", async () => {
    const producer = new Producer([1]);
    const reader = StreamReader.from(producer);
    expect(producer.opened).toBe(0);
    await reader.concat();
    expect(producer.opened).toBe(1);
  });

  it("raises what an iterable throws when it is opened, then ends", async () => {
    const broken: AsyncIterable<number> = {
      [Symbol.asyncIterator]() {
        throw new Error("closed today");
      },
    };
    const reader = StreamReader.from(broken);
    await expect(reader.next()).rejects.toThrow("closed today");
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });
});

describe("reading", () => {
  it("gives the very promises of a generator", async () => {
    const promise = Promise.resolve({ done: false as const, value: 1 });
    const generator = Object.assign(words(), { next: () => promise });
    expect(StreamReader.from(generator)[Symbol.asyncIterator]().next()).toBe(promise);
  });

  it("keeps the order of reads that overlap", async () => {
    let reads = 0;
    const careless: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const index = reads++;
          for (let ticks = 5 - index; ticks > 0; ticks--) await undefined;
          return index < 3 ? { done: false, value: index } : { done: true, value: undefined };
        },
      }),
    };
    const reader = StreamReader.from(careless);
    const results = await Promise.all([reader.next(), reader.next(), reader.next(), reader.next(), reader.next()]);
    expect(results.map(({ value }) => value)).toEqual([0, 1, 2, undefined, undefined]);
    expect(reads).toBe(4);
  });

  it("delivers the chunks before an error, then the error, then the end", async () => {
    const failure = new Error("broken line");
    const reader = StreamReader.from(new Producer([1, 2], failure));
    expect([await reader.next(), await reader.next()].map(({ value }) => value)).toEqual([1, 2]);
    await expect(reader.next()).rejects.toBe(failure);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("ends after an error of a web stream", async () => {
    const failure = new Error("broken line");
    const reader = StreamReader.from(new ReadableStream({ pull: () => Promise.reject(failure) }));
    await expect(reader.next()).rejects.toBe(failure);
    expect((await reader.next()).done).toBe(true);
  });

  it("takes no longer than microtasks", async () => {
    let macrotask = false;
    setImmediate(() => {
      macrotask = true;
    });
    const merged = StreamReader.merge([words(), StreamReader.from(new Producer(["or"])).map(async (word) => word)]);
    const [left, right] = merged.filter((word) => word.length === 2).copy(2);
    await Promise.all([all(left), all(right)]);
    expect(macrotask).toBe(false);
  });
});

describe("one reader only", () => {
  const uses: [string, (reader: StreamReader<number>) => Promise<unknown>][] = [
    ["a loop", (reader) => all(reader)],
    ["concat", (reader) => reader.concat()],
    ["map", (reader) => all(reader.map((chunk) => chunk))],
    ["filter", (reader) => all(reader.filter(() => true))],
    ["a copy", (reader) => all(reader.copy(2)[1])],
    ["a merge", (reader) => all(StreamReader.merge([reader, [1]]))],
    ["a web stream", (reader) => all(StreamReader.from(reader.toReadableStream()))],
    ["another rule", (reader) => reader.withRule("last").concat()],
  ];

  for (const [first, use] of uses) {
    it(`rejects every second use after ${first}`, async () => {
      for (const [, useAgain] of uses) {
        const reader = StreamReader.from([1, 2]);
        await use(reader);
        await expect(useAgain(reader)).rejects.toMatchObject({ code: "STREAM_CONSUMED" });
      }
    });
  }

  it("refuses the second loop at its read, not when it is made", async () => {
    const reader = StreamReader.from([1, 2]);
    const first = reader[Symbol.asyncIterator]();
    const second = reader[Symbol.asyncIterator]();
    await expect(second.next()).rejects.toMatchObject({ code: "STREAM_CONSUMED" });
    expect(await first.next()).toEqual({ done: false, value: 1 });
  });

  it("may hand on the rest after single reads", async () => {
    const reader = StreamReader.from([1, 2, 3]);
    await reader.next();
    const [left, right] = reader.copy(2);
    expect([await all(left), await all(right)]).toEqual([
      [2, 3],
      [2, 3],
    ]);
  });
});

describe("cancelling", () => {
  it("stops the source when a loop is left", async () => {
    const producer = new Producer([1, 2, 3]);
    for await (const _ of StreamReader.from(producer)) break;
    expect(producer).toMatchObject({ pulled: 1, returned: 1 });
  });

  it("runs the finally of a generator", async () => {
    let closed = 0;
    const reader = StreamReader.from(
      (async function* () {
        try {
          yield 1;
          yield 2;
        } finally {
          closed++;
        }
      })(),
    );
    for await (const _ of reader) break;
    await settled();
    expect(closed).toBe(1);
  });

  it("rejects reads after a loop was left", async () => {
    const reader = StreamReader.from([1, 2]);
    for await (const _ of reader) break;
    await expect(all(reader)).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
    await expect(reader.concat()).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
  });

  it("rejects reads after cancel, with the reason as cause", async () => {
    const reader = StreamReader.from([1, 2]);
    await reader.cancel("bored");
    await expect(reader.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED", cause: "bored" });
    await expect(all(reader.map(String))).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
  });

  it("can be repeated, and stops the source once", async () => {
    const producer = new Producer([1, 2]);
    const reader = StreamReader.from(producer);
    await reader.next();
    await reader.cancel();
    await reader.cancel();
    expect(producer.returned).toBe(1);
  });

  it("stops a source of which nothing was read", async () => {
    const producer = new Producer([1, 2]);
    await StreamReader.from(producer).cancel();
    expect(producer).toMatchObject({ pulled: 0, returned: 1 });
  });

  it("reaches the source through maps, copies and merges of which nothing was read", async () => {
    const producers = [new Producer([1]), new Producer([2])];
    const [left, right] = StreamReader.merge(producers.map((one) => StreamReader.from(one).map((chunk) => chunk))).copy(
      2,
    );
    await left.map((chunk) => chunk).cancel();
    await right.filter(() => true).cancel();
    expect(producers.map(({ returned }) => returned)).toEqual([1, 1]);
  });

  it("gives the reason to a web stream", async () => {
    let given: unknown;
    const reader = StreamReader.from(
      new ReadableStream({
        cancel: (reason) => {
          given = reason;
        },
      }),
    );
    await reader.cancel("bored");
    expect(given).toBe("bored");
  });

  it("destroys a stream of Node of which nothing was read", async () => {
    const stream = Readable.from(["a"]);
    await StreamReader.from(stream).cancel();
    expect(stream.destroyed).toBe(true);
  });

  it("does not wait for a generator that waits itself", async () => {
    const reader = StreamReader.from(
      (async function* () {
        yield 1;
        await new Promise(() => {});
      })(),
    );
    await reader.next();
    void reader.next();
    await expect(reader.cancel()).resolves.toBeUndefined();
  });

  it("never throws what the producer throws while it stops", async () => {
    const iterator = { next: async () => ({ done: false, value: 1 }) };
    const rejecting = {
      [Symbol.asyncIterator]: () => ({ ...iterator, return: () => Promise.reject(new Error("no")) }),
    };
    const throwing = {
      [Symbol.asyncIterator]: () => ({
        ...iterator,
        return: (): never => {
          throw new Error("no");
        },
      }),
    };
    for (const source of [rejecting, throwing]) {
      for await (const _ of StreamReader.from<number>(source as AsyncIterable<number>)) break;
    }
    await settled();
  });

  it("never lets a cancelled stream look like one that ended", async () => {
    const { reader } = pipe<string>();
    const whole = reader.concat();
    await reader.cancel();
    await expect(whole).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
  });

  it("is harmless after the end", async () => {
    const producer = new Producer([1]);
    const reader = StreamReader.from(producer);
    await all(reader);
    await reader.cancel();
    expect(producer.returned).toBe(0);
  });

  it("leaves a stream alone that was handed on", async () => {
    const reader = StreamReader.from([1, 2]);
    const mapped = reader.map((chunk) => chunk * 2);
    await reader.cancel();
    expect(await all(mapped)).toEqual([2, 4]);
  });
});

describe("concat", () => {
  it("joins the chunks", async () => {
    expect(await StreamReader.from(words()).concat()).toBe("tobe");
    expect(await StreamReader.from(["to", "be"]).concat()).toBe("tobe");
  });

  it("rejects for an empty stream", async () => {
    await expect(StreamReader.from<string>([]).concat()).rejects.toMatchObject({ code: "EMPTY_STREAM" });
  });

  it("rejects with the error of the stream", async () => {
    const failure = new Error("broken line");
    await expect(StreamReader.from(new Producer(["a"], failure)).concat()).rejects.toBe(failure);
  });

  it("joins by the given rule, which copies, filters and merges keep and maps lose", async () => {
    const numbered = (): StreamReader<number> => StreamReader.from([1, 2]).withRule("list");
    expect(await numbered().concat()).toEqual([1, 2]);
    expect(await numbered().copy(2)[0].concat()).toEqual([1, 2]);
    expect(await numbered().filter(Boolean).concat()).toEqual([1, 2]);
    expect(await StreamReader.merge([numbered(), numbered()]).concat()).toEqual([1, 2, 1, 2]);
    expect(await StreamReader.merge([numbered(), StreamReader.from([3])]).concat()).toBe(3);
    expect(
      await numbered()
        .map((chunk) => chunk * 2)
        .concat(),
    ).toBe(4);
  });

  it("names the place in errors", async () => {
    const source = StreamReader.from([{}, {}]).takeSource();
    await expect(new StreamReader(source, { where: 'node "search"' }).concat()).rejects.toThrow('node "search"');
  });
});

describe("toReadableStream", () => {
  it("produces nothing before it is read", async () => {
    const producer = new Producer([1, 2]);
    const stream = StreamReader.from(producer).toReadableStream();
    await settled();
    expect(producer.pulled).toBe(0);
    expect((await stream.getReader().read()).value).toBe(1);
    expect(producer.pulled).toBe(1);
  });

  it("gives all chunks, also undefined ones, and ends", async () => {
    expect(await all(StreamReader.from(StreamReader.from([1, undefined, 3]).toReadableStream()))).toEqual([
      1,
      undefined,
      3,
    ]);
  });

  it("fails with the error of the stream, after the chunks before it", async () => {
    const failure = new Error("broken line");
    const stream = StreamReader.from(new Producer([1], failure)).toReadableStream();
    expect(await outcome(StreamReader.from(stream))).toEqual({ chunks: [1], error: failure });
  });

  it("cancels the source with the reason", async () => {
    const { reader, writer } = pipe<number>();
    await reader.toReadableStream().cancel("bored");
    expect(await writer.write(1)).toBe(false);
  });
});

function webStream<T>(chunks: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
