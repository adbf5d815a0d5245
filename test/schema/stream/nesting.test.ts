import { StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { iterableSource } from "../../../src/schema/stream/iterable-source.js";
import { all, outcome, Producer, settled } from "./producer.js";

const deep = 10_000;

async function* through<T>(chunks: AsyncIterable<T>): AsyncGenerator<T, undefined> {
  for await (const chunk of chunks) yield chunk;
}

/** A stream that reads a stream that reads a stream …, as the steps of a loop do. */
function nested<T>(innermost: StreamReader<T>, depth: number): StreamReader<T> {
  let reader = innermost;
  for (let level = 0; level < depth; level++) {
    const [taken, other] = StreamReader.from(through(reader)).copy(2);
    void other.cancel();
    reader = taken;
  }
  return reader;
}

/** The same, where cancelling one stream cancels what it reads at once. */
function linked<T>(innermost: StreamReader<T>, depth: number): StreamReader<T> {
  let reader = innermost;
  for (let level = 0; level < depth; level++) {
    const [taken, other] = new StreamReader(iterableSource(through(reader), reader)).copy(2);
    void other.cancel();
    reader = taken;
  }
  return reader;
}

/** Around the depth at which reads begin to wait. */
const depths = Array.from({ length: 20 }, (_, n) => 90 + n);

describe("Streams that read each other", () => {
  it("may be nested as deep as memory allows", async () => {
    expect(await all(nested(StreamReader.from(new Producer([1, 2, 3])), deep))).toEqual([1, 2, 3]);
  });

  it("hand an error of the innermost one through to the outermost", async () => {
    const failure = new Error("broken line");
    const reader = nested(StreamReader.from(new Producer([1], failure)), deep);
    expect(await outcome(reader)).toEqual({ chunks: [1], error: failure });
  });

  it("are all left when a loop over the outermost one is left", async () => {
    const producer = new Producer([1, 2, 3]);
    for await (const chunk of nested(StreamReader.from(producer), deep)) if (chunk === 2) break;
    await settled();
    expect(producer.returned).toBe(1);
  });

  it("are all cancelled with the outermost one, which gets the reason at once", async () => {
    const producer = new Producer([1, 2, 3]);
    const reader = nested(StreamReader.from(producer), deep);
    await reader.next();
    await reader.cancel("enough");
    await expect(reader.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED", cause: "enough" });
    await settled();
    expect(producer.returned).toBe(1);
  });

  it("are all cancelled when none was read", async () => {
    const producer = new Producer([1]);
    await linked(StreamReader.from(producer), deep).cancel();
    await settled();
    expect(producer.returned).toBe(1);
  });

  it.each(depths)("keep the order of overlapping reads, also where some of them wait (%i deep)", async (depth) => {
    const [inside, beside] = StreamReader.from(new Producer([1, 2, 3])).copy(2);
    const outermost = nested(inside, depth);
    const first = outermost.next();
    const reads = await Promise.all([beside.next(), beside.next(), beside.next()]);
    expect(reads.map(({ value }) => value)).toEqual([1, 2, 3]);
    expect(await first).toEqual({ done: false, value: 1 });
    expect(await all(outermost)).toEqual([2, 3]);
  });

  it.each(depths)("never take a cancellation for the end, also when a read waits (%i deep)", async (depth) => {
    const innermost = StreamReader.from(through(new Producer([1, 2])));
    const [inside, beside] = innermost.copy(2);
    const read = outcome(nested(inside, depth));
    await Promise.all([inside.cancel("enough"), beside.cancel("enough")]);
    expect(await read).toMatchObject({ error: { code: "STREAM_CANCELLED", cause: "enough" } });
  });
});
