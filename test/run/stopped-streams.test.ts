import { Chain } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";

const letters = new Chain<string>()
  .append(async function* (text: string) {
    yield* text;
  })
  .compile();

describe("a stream of a run", () => {
  it("rejects the next read with the signal's reason when it was stopped between two reads", async () => {
    const controller = new AbortController();
    const reader = letters.stream("abc", { signal: controller.signal });
    const first = await reader.next();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(reader.next()).rejects.toBe(reason);
    await expect(reader.next()).resolves.toEqual({ done: true, value: undefined });
    expect(first.value).toBe("a");
  });

  it("rejects the next read with the TimeoutError when its time was up between two reads", async () => {
    const reader = letters.stream("abc", { timeoutMs: 1 });
    await reader.next();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(reader.next()).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("refuses every read after its loop was left", async () => {
    const reader = letters.stream("abc");
    const loop = reader[Symbol.asyncIterator]();
    await loop.next();
    await expect(loop.return?.()).resolves.toEqual({ done: true, value: undefined });
    await expect(loop.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
    await expect(loop.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
    await expect(reader.concat()).rejects.toMatchObject({ code: "STREAM_CANCELLED" });
  });

  it("refuses every read of a loop after it was cancelled beside it", async () => {
    const reader = letters.stream("abc");
    const loop = reader[Symbol.asyncIterator]();
    await loop.next();
    const reason = new Error("enough");
    await reader.cancel(reason);
    await expect(loop.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED", cause: reason });
    await expect(loop.next()).rejects.toMatchObject({ code: "STREAM_CANCELLED", cause: reason });
  });

  it("closes the web stream that it was given when its signal is aborted before the first read", async () => {
    const given = webStream();
    const controller = new AbortController();
    const reader = letters.transform(given.stream, { signal: controller.signal });
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(reader.next()).rejects.toBe(reason);
    expect(given.cancelledWith).toBe(reason);
  });

  it("closes the web stream that it was given when its options are refused", async () => {
    const refused = { nodes: plain({ nowhere: {} }) };
    const collected = webStream();
    await expect(letters.collect(collected.stream, refused)).rejects.toMatchObject({ code: "UNKNOWN_PATH" });
    expect(collected.cancelledWith).toMatchObject({ code: "UNKNOWN_PATH" });
    const transformed = webStream();
    await expect(letters.transform(transformed.stream, refused).next()).rejects.toMatchObject({ code: "UNKNOWN_PATH" });
    expect(transformed.cancelledWith).toMatchObject({ code: "UNKNOWN_PATH" });
  });
});

function webStream() {
  const given = {
    cancelledWith: undefined as unknown,
    stream: new ReadableStream<string>({
      cancel(reason) {
        given.cancelledWith = reason;
      },
    }),
  };
  return given;
}
