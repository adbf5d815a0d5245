import { pipe } from "kumiko";
import { describe, expect, it } from "vitest";
import { all, outcome, settled } from "./producer.js";

describe("pipe", () => {
  it("gives the reader what is written, in order", async () => {
    const { reader, writer } = pipe<number>();
    for (const chunk of [1, 2, 3]) expect(await writer.write(chunk)).toBe(true);
    writer.close();
    expect(await all(reader)).toEqual([1, 2, 3]);
  });

  it("gives undefined chunks too", async () => {
    const { reader, writer } = pipe<undefined>();
    void writer.write(undefined);
    writer.close();
    expect(await all(reader)).toEqual([undefined]);
  });

  it("answers reads that wait, in order", async () => {
    const { reader, writer } = pipe<number>();
    const reads = Promise.all([reader.next(), reader.next(), reader.next()]);
    void writer.write(1);
    void writer.write(2);
    writer.close();
    expect((await reads).map(({ value }) => value)).toEqual([1, 2, undefined]);
  });

  it("lets a write wait while the buffer is full", async () => {
    const { reader, writer } = pipe<number>({ capacity: 2 });
    const done: number[] = [];
    for (const chunk of [1, 2, 3, 4]) void writer.write(chunk).then(() => done.push(chunk));
    await settled();
    expect(done).toEqual([1, 2]);
    await reader.next();
    await settled();
    expect(done).toEqual([1, 2, 3]);
  });

  it("holds 16 chunks by default", async () => {
    const { writer } = pipe<number>();
    let taken = 0;
    for (let chunk = 0; chunk < 20; chunk++) void writer.write(chunk).then(() => taken++);
    await settled();
    expect(taken).toBe(16);
  });

  it.each([0, -1, 1.5, Number.NaN, "2"])("refuses a capacity of %j", (capacity) => {
    expect(() => pipe({ capacity: capacity as never })).toThrowError(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });

  it("delivers everything that was written before close, also what waited for room", async () => {
    const { reader, writer } = pipe<number>({ capacity: 1 });
    const writes = [1, 2, 3].map((chunk) => writer.write(chunk));
    writer.close();
    expect(await all(reader)).toEqual([1, 2, 3]);
    expect(await Promise.all(writes)).toEqual([true, true, true]);
  });

  it("delivers what was written before an error, then the error, then the end", async () => {
    const failure = new Error("broken line");
    const { reader, writer } = pipe<number>({ capacity: 1 });
    void writer.write(1);
    void writer.write(2);
    writer.fail(failure);
    expect(await outcome(reader)).toEqual({ chunks: [1, 2], error: failure });
    expect((await reader.next()).done).toBe(true);
  });

  it("fails one of the reads that wait, and ends the others", async () => {
    const { reader, writer } = pipe<number>();
    const reads = Promise.allSettled([reader.next(), reader.next()]);
    writer.fail("broken line");
    expect(await reads).toEqual([
      { status: "rejected", reason: "broken line" },
      { status: "fulfilled", value: { done: true, value: undefined } },
    ]);
  });

  it("leaves no rejection unhandled when nobody reads the error", async () => {
    pipe().writer.fail(new Error("broken line"));
    await settled();
  });

  it("rejects a write after close or fail", async () => {
    const { writer } = pipe<number>();
    writer.close();
    await expect(writer.write(1)).rejects.toMatchObject({ code: "WRITER_CLOSED" });
    const other = pipe<number>();
    other.writer.fail("broken line");
    await expect(other.writer.write(1)).rejects.toMatchObject({ code: "WRITER_CLOSED" });
  });

  it("counts the first end only", async () => {
    const { reader, writer } = pipe<number>();
    writer.close();
    writer.close();
    writer.fail(new Error("too late"));
    expect(await all(reader)).toEqual([]);
  });

  it("tells writes that wait, and later ones, that the reader is gone", async () => {
    const { reader, writer } = pipe<number>({ capacity: 1 });
    const writes = [1, 2].map((chunk) => writer.write(chunk));
    await reader.cancel();
    expect(await Promise.all(writes)).toEqual([true, false]);
    expect(await writer.write(3)).toBe(false);
    writer.close();
  });

  it("tells the writer when a loop is left", async () => {
    const { reader, writer } = pipe<number>();
    void writer.write(1);
    for await (const _ of reader) break;
    expect(await writer.write(2)).toBe(false);
  });

  it("rejects a read that is pending when it is cancelled", async () => {
    const { reader } = pipe<number>();
    const pending = reader.next();
    await reader.cancel("bored");
    await expect(pending).rejects.toMatchObject({ code: "STREAM_CANCELLED", cause: "bored" });
  });

  it("keeps order through a large buffer that fills and empties", async () => {
    const { reader, writer } = pipe<number>({ capacity: 5_000 });
    const read: unknown[] = [];
    let next = 0;
    for (const [writes, reads] of [
      [3_000, 1_000],
      [2_500, 4_400],
      [40, 10],
      [600, 730],
    ] as const) {
      for (let i = 0; i < writes; i++) void writer.write(next++);
      for (let i = 0; i < reads; i++) read.push((await reader.next()).value);
    }
    expect(read).toEqual(Array.from({ length: 6_140 }, (_, i) => i));
  });
});
