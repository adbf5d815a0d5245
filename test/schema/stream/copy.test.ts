import { pipe, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { all, outcome, Producer, settled } from "./producer.js";

describe("copy", () => {
  it("gives every copy all chunks, and pulls each one once", async () => {
    const producer = new Producer([1, 2, 3]);
    const copies = StreamReader.from(producer).copy(3);
    expect(await Promise.all(copies.map(all))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(producer.pulled).toBe(4);
  });

  it("never holds up a fast copy, and keeps everything for a slow one", async () => {
    const [fast, slow] = StreamReader.from(new Producer([1, 2, 3])).copy(2);
    expect(await all(fast)).toEqual([1, 2, 3]);
    expect(await all(slow)).toEqual([1, 2, 3]);
  });

  it("shares chunks by reference", async () => {
    const chunk = {};
    const [left, right] = StreamReader.from(new Producer([chunk])).copy(2);
    expect((await left.next()).value).toBe(chunk);
    expect((await right.next()).value).toBe(chunk);
  });

  it("pulls only when a copy reads", async () => {
    const producer = new Producer([1, 2]);
    const [left] = StreamReader.from(producer).copy(2);
    await settled();
    expect(producer.pulled).toBe(0);
    await left.next();
    expect(producer.pulled).toBe(1);
  });

  it("gives the error to every copy, after the chunks before it", async () => {
    const failure = new Error("broken line");
    const copies = StreamReader.from(new Producer([1], failure)).copy(2);
    expect(await outcome(copies[0])).toEqual({ chunks: [1], error: failure });
    expect(await outcome(copies[1])).toEqual({ chunks: [1], error: failure });
    expect((await copies[0].next()).done).toBe(true);
  });

  it("leaves no rejection unhandled when only one copy is read", async () => {
    const [read] = StreamReader.from(new Producer([1], new Error("broken line"))).copy(2);
    await outcome(read);
    await settled();
  });

  it("cancels the source when the last copy is cancelled", async () => {
    const producer = new Producer([1, 2]);
    const copies = StreamReader.from(producer).copy(3);
    await copies[0].next();
    await copies[0].cancel();
    await copies[1].cancel();
    expect(producer.returned).toBe(0);
    await copies[2].cancel();
    expect(producer.returned).toBe(1);
  });

  it("gives the reason of the last cancelled copy to the source", async () => {
    let given: unknown;
    const stream = new ReadableStream({
      cancel: (reason) => {
        given = reason;
      },
    });
    const copies = StreamReader.from(stream).copy(2);
    await copies[0].cancel("first");
    await copies[1].cancel("last");
    expect(given).toBe("last");
  });

  it("goes on for the others when one is cancelled", async () => {
    const [left, right] = StreamReader.from(new Producer([1, 2, 3])).copy(2);
    for await (const _ of left) break;
    await expect(left.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
    expect(await all(right)).toEqual([1, 2, 3]);
  });

  it("forks an array", async () => {
    const reader = StreamReader.from([1, 2, 3]);
    await reader.next();
    const [left, right] = reader.copy(2);
    await left.cancel();
    expect(await all(right)).toEqual([2, 3]);
  });

  it("of one gives one reader", async () => {
    const copies = StreamReader.from([1, 2]).copy(1);
    expect(await Promise.all(copies.map(all))).toEqual([[1, 2]]);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses %s copies, and leaves the stream readable", async (count) => {
    const reader = StreamReader.from([1]);
    expect(() => reader.copy(count)).toThrowError(expect.objectContaining({ code: "INVALID_OPTION" }));
    expect(await all(reader)).toEqual([1]);
  });
});

describe("copy with a limit", () => {
  it("fails the copy that falls behind, and only that one", async () => {
    const [fast, slow] = StreamReader.from([1, 2, 3]).copy(2, { limit: 2 });
    expect(await all(fast)).toEqual([1, 2, 3]);
    expect(await outcome(slow)).toMatchObject({ chunks: [], error: { code: "COPY_OVERFLOW" } });
    expect((await slow.next()).done).toBe(true);
  });

  it("allows a copy to be that many chunks behind, the end not counted", async () => {
    const [fast, slow] = StreamReader.from([1, 2]).copy(2, { limit: 2 });
    expect(await all(fast)).toEqual([1, 2]);
    expect(await all(slow)).toEqual([1, 2]);
  });

  it("counts what a copy has read", async () => {
    const [fast, slow] = StreamReader.from(new Producer([1, 2, 3, 4])).copy(2, { limit: 2 });
    for (const reader of [slow, fast, fast, slow, fast, fast]) await reader.next();
    expect((await slow.next()).value).toBe(3);
  });

  it("does not fail a copy that waits for the chunk", async () => {
    const { reader, writer } = pipe<number>();
    const [left, right] = reader.copy(2, { limit: 1 });
    const both = Promise.all([left, right].map(all));
    for (const chunk of [1, 2, 3]) await writer.write(chunk);
    writer.close();
    expect(await both).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it("cancels the source when the rest is cancelled after an overflow", async () => {
    const producer = new Producer([1, 2, 3]);
    const [fast, slow] = StreamReader.from(producer).copy(2, { limit: 1 });
    await fast.next();
    await fast.next();
    await fast.cancel();
    expect(producer.returned).toBe(1);
    await expect(slow.next()).rejects.toMatchObject({ code: "COPY_OVERFLOW" });
    await slow.cancel();
    expect(producer.returned).toBe(1);
  });

  it.each([0, -1, 1.5, Number.NaN, "2"])("refuses a limit of %j", (limit) => {
    expect(() => StreamReader.from([1]).copy(2, { limit: limit as never })).toThrowError(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
