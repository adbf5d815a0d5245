import { pipe, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { all, outcome, Producer, settled } from "./producer.js";

describe("merge", () => {
  it("gives chunks as they arrive", async () => {
    const [left, right] = [pipe<string>(), pipe<string>()];
    const merged = StreamReader.merge([left.reader, right.reader]);
    const read = all(merged);
    for (const [{ writer }, chunk] of [
      [right, "r1"],
      [left, "l1"],
      [right, "r2"],
    ] as const) {
      await writer.write(chunk);
      await settled();
    }
    right.writer.close();
    await left.writer.write("l2");
    left.writer.close();
    expect(await read).toEqual(["r1", "l1", "r2", "l2"]);
  });

  it("does not wait for a source that is silent", async () => {
    const silent = pipe<number>();
    const merged = StreamReader.merge([silent.reader, new Producer([1, 2])]);
    expect([(await merged.next()).value, (await merged.next()).value]).toEqual([1, 2]);
  });

  it("asks no source before it is read, and none twice ahead", async () => {
    const producers = [new Producer([1, 2, 3]), new Producer([4, 5, 6])];
    const merged = StreamReader.merge(producers);
    await settled();
    expect(producers.map(({ pulled }) => pulled)).toEqual([0, 0]);
    await merged.next();
    await settled();
    expect(producers.map(({ pulled }) => pulled)).toEqual([1, 1]);
  });

  it("answers overlapping reads", async () => {
    const merged = StreamReader.merge([new Producer([1]), new Producer([2])]);
    const results = await Promise.all([merged.next(), merged.next(), merged.next(), merged.next()]);
    expect(results.map(({ value }) => value)).toEqual([1, 2, undefined, undefined]);
  });

  it("delivers what came before an error, then the error, then the end; and cancels the others", async () => {
    const failure = new Error("broken line");
    const { reader, writer } = pipe<number>();
    const other = new Producer([1, 2, 3]);
    const merged = StreamReader.merge([reader, other]);
    expect((await merged.next()).value).toBe(1);
    writer.fail(failure);
    void merged.next();
    await settled();
    expect(other.returned).toBe(1);
    const rest = await outcome(merged);
    expect(rest.error).toBe(failure);
    expect((await merged.next()).done).toBe(true);
  });

  it("fails a read that waits", async () => {
    const [left, right] = [pipe<number>(), pipe<number>()];
    const merged = StreamReader.merge([left.reader, right.reader]);
    const pending = merged.next();
    left.writer.fail(new Error("broken line"));
    await expect(pending).rejects.toThrow("broken line");
    expect(await right.writer.write(1)).toBe(false);
  });

  it("does not cancel the source that failed, nor one that ended", async () => {
    const cancelled: string[] = [];
    const source = (name: string, next: () => Promise<IteratorResult<number, undefined>>): StreamReader<number> =>
      new StreamReader({ next, cancel: () => cancelled.push(name) });
    const failing = source("failing", () => settled().then(() => Promise.reject(new Error("broken line"))));
    const finished = source("finished", () => Promise.resolve({ done: true, value: undefined }));
    const waiting = source("waiting", () => new Promise(() => {}));
    await outcome(StreamReader.merge([finished, failing, waiting]));
    expect(cancelled).toEqual(["waiting"]);
  });

  it("cancels every source that has not ended, once", async () => {
    const producers = [new Producer([1, 2]), new Producer([3, 4]), new Producer<number>([])];
    const merged = StreamReader.merge(producers);
    for await (const _ of merged) break;
    await merged.cancel();
    expect(producers.map(({ returned }) => returned)).toEqual([1, 1, 0]);
  });

  it("rejects a read that is pending when it is cancelled", async () => {
    const merged = StreamReader.merge([pipe<number>().reader, pipe<number>().reader]);
    const pending = merged.next();
    await merged.cancel();
    await expect(pending).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
  });

  it("of nothing has ended", async () => {
    expect(await all(StreamReader.merge([]))).toEqual([]);
  });

  it("of arrays gives them one after another", async () => {
    expect(await all(StreamReader.merge([[1, 2], [], [3]]))).toEqual([1, 2, 3]);
  });

  it("of one source gives its chunks", async () => {
    expect(await all(StreamReader.merge([new Producer([1, 2])]))).toEqual([1, 2]);
  });

  it("merges what was merged", async () => {
    const inner = StreamReader.merge([new Producer([1]), new Producer([2])]);
    expect((await all(StreamReader.merge([inner, new Producer([3])]))).sort()).toEqual([1, 2, 3]);
  });
});

describe("mergeNamed", () => {
  it("says where each chunk comes from, and when a source has ended", async () => {
    const chunks = await all(StreamReader.mergeNamed({ a: new Producer([1, 2]), b: [7], empty: [] }));
    expect(chunks.filter(({ source }) => source === "a")).toEqual([
      { source: "a", value: 1 },
      { source: "a", value: 2 },
      { source: "a", end: true },
    ]);
    expect(chunks.filter(({ source }) => source === "b")).toEqual([
      { source: "b", value: 7 },
      { source: "b", end: true },
    ]);
    expect(chunks.filter(({ source }) => source === "empty")).toEqual([{ source: "empty", end: true }]);
    expect(chunks).toHaveLength(6);
  });

  it("names a single source too", async () => {
    expect(await all(StreamReader.mergeNamed({ only: [] }))).toEqual([{ source: "only", end: true }]);
  });

  it("of nothing has ended", async () => {
    expect(await all(StreamReader.mergeNamed({}))).toEqual([]);
  });

  it("gives chunks that are there at once in the order of the names", async () => {
    const names = ["z", "x1", "1x", "a", "1.5", ""];
    const chunks = await all(StreamReader.mergeNamed(Object.fromEntries(names.map((name) => [name, [name]]))));
    expect(chunks.flatMap((chunk) => ("value" in chunk ? [chunk.value] : []))).toEqual(names);
  });

  it.each(["0", "7", "-7", "007"])("refuses the name %s, and leaves the streams alone", async (name) => {
    const producer = new Producer([1]);
    const reader = StreamReader.from(producer);
    const sources: Record<string, StreamReader<number>> = { first: reader, [name]: StreamReader.from([2]) };
    expect(() => StreamReader.mergeNamed(sources)).toThrow(
      expect.objectContaining({ code: "INVALID_KEY", message: expect.stringContaining(`The key "${name}"`) }),
    );
    expect(producer.opened).toBe(0);
    expect(await all(reader)).toEqual([1]);
  });

  it("fails as a merge does", async () => {
    const { reader, writer } = pipe<number>();
    const failing = new Producer<number>([], new Error("broken line"));
    expect(await outcome(StreamReader.mergeNamed({ failing, open: reader }))).toMatchObject({
      error: { message: "broken line" },
    });
    expect(await writer.write(1)).toBe(false);
  });
});
