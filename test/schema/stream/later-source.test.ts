import { describe, expect, it } from "vitest";
import { ArraySource } from "../../../src/schema/stream/array-source.js";
import { LaterSource } from "../../../src/schema/stream/later-source.js";
import { StreamReader } from "../../../src/schema/stream/reader.js";
import type { ChunkSource } from "../../../src/schema/stream/source.js";

const none = { done: true, value: undefined };

describe("a source that is still to come", () => {
  it("passes on the chunks in order, also to reads that came before it", async () => {
    const source = new LaterSource(Promise.resolve(new ArraySource(["a", "b", "c"])));
    const early = [source.next(), source.next()];
    expect((await Promise.all(early)).map(({ value }) => value)).toEqual(["a", "b"]);
    expect(await source.next()).toEqual({ done: false, value: "c" });
    expect(await source.next()).toEqual(none);
  });

  it("passes on a cancellation after the reads before it", async () => {
    const calls: string[] = [];
    const given: ChunkSource<string> = {
      next: async () => {
        calls.push("next");
        return { done: true, value: undefined };
      },
      cancel: (reason) => void calls.push(`cancel: ${String(reason)}`),
    };
    const source = new LaterSource(Promise.resolve(given));
    const read = source.next();
    source.cancel("enough");
    await read;
    expect(calls).toEqual(["next", "cancel: enough"]);
  });

  it("rejects the reads that waited if it does not come, and has then ended", async () => {
    const stream = new StreamReader(new LaterSource<string>(Promise.reject(new Error("offline"))));
    await expect(stream.next()).rejects.toThrow("offline");
    expect(await stream.next()).toEqual(none);
  });

  it("needs no reader to hear that it does not come", async () => {
    const source = new LaterSource<string>(Promise.reject(new Error("offline")));
    source.cancel();
    await new Promise((resolve) => setTimeout(resolve)); // an unhandled rejection would fail the test
    expect(await source.next()).toEqual(none);
  });
});
