import { beforeEach, describe, expect, it, vi } from "vitest";
import type { StreamReader as Reader } from "../../../src/schema/stream/reader.js";
import type { ChunkSource } from "../../../src/schema/stream/source.js";

// Each test has modules of its own, so that the operators are not loaded when it begins.
let StreamReader: typeof Reader;

beforeEach(async () => {
  vi.resetModules();
  ({ StreamReader } = await import("../../../src/schema/stream/reader.js"));
});

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("before its operators are loaded, a stream", () => {
  it("is mapped and filtered", async () => {
    const odd = StreamReader.from([1, 2, 3])
      .map((count) => count + 1)
      .filter((count) => count !== 3);
    expect(await all(odd)).toEqual([2, 4]);
  });

  it("gives its chunks in order to reads that overlap", async () => {
    const reader = StreamReader.from([1, 2, 3]).map((count) => count);
    const reads = [reader.next(), reader.next()];
    const results = await Promise.all([...reads, reads[0]?.then(() => reader.next())]);
    expect(results.map((result) => result?.value)).toEqual([1, 2, 3]);
  });

  it("is copied, and cancelled with its last copy", async () => {
    const { source, reasons } = watched();
    const [first, second, third] = new StreamReader(source).copy(3);
    await third?.cancel("third");
    expect(await first?.next()).toEqual({ done: false, value: 0 });
    await first?.cancel("first");
    expect(reasons).toEqual([]);
    expect(await second?.next()).toEqual({ done: false, value: 0 });
    await second?.cancel("second");
    expect(reasons).toEqual(["second"]);
  });

  it("is merged with others", async () => {
    const merged = StreamReader.merge([StreamReader.from([1, 2]).map(String), StreamReader.from(["a"]).map(String)]);
    expect((await all(merged)).sort()).toEqual(["1", "2", "a"]);
    const named = StreamReader.mergeNamed({ a: [1] });
    expect(await all(named)).toEqual([
      { source: "a", value: 1 },
      { source: "a", end: true },
    ]);
  });

  it("is joined", async () => {
    expect(await StreamReader.from(["to ", "be"]).concat()).toBe("to be");
  });

  it("is cancelled at once, before and during its first read", async () => {
    const unread = watched();
    const mapped = new StreamReader(unread.source).map((count) => count);
    void mapped.cancel("unread");
    expect(unread.reasons).toEqual(["unread"]);
    await expect(mapped.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED" });

    const read = watched();
    const reading = new StreamReader(read.source).map((count) => count);
    const first = reading.next();
    await reading.cancel("read");
    await expect(first).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
    expect(read.reasons).toEqual(["read"]);
  });

  it("refuses a second reader", async () => {
    const reader = StreamReader.from([1]);
    const mapped = reader.map((count) => count);
    await expect(all(reader)).rejects.toMatchObject({ code: "STREAM_CONSUMED" });
    expect(await all(mapped)).toEqual([1]);
  });
});

describe("when its operators cannot be imported, a stream", () => {
  it("says so once, stops its producer, and has ended then", async () => {
    const { streamOperators } = await import("../../../src/schema/stream/load-operators.js");
    streamOperators.load = () => Promise.reject(new Error("offline"));
    const { source, reasons } = watched();
    const mapped = new StreamReader(source).map((count) => count);
    await expect(mapped.next()).rejects.toThrow("offline");
    expect(reasons.map(String)).toEqual(["Error: offline"]);
    expect(await mapped.next()).toEqual({ done: true, value: undefined });

    const copied = watched();
    const [first, second] = new StreamReader(copied.source).copy(2);
    await expect(first.next()).rejects.toThrow("offline");
    await expect(second.next()).rejects.toThrow("offline");
    expect(copied.reasons.map(String)).toEqual(["Error: offline"]);
  });
});

/** Counts on, and notes why it is stopped. */
function watched(): { source: ChunkSource<number>; reasons: unknown[] } {
  const reasons: unknown[] = [];
  let count = 0;
  const source: ChunkSource<number> = {
    next: async () => ({ done: false, value: count++ }),
    cancel: (reason) => void reasons.push(reason),
  };
  return { source, reasons };
}
