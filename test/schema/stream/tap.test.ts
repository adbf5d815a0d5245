import { StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import type { ChunkSource } from "../../../src/schema/stream/source.js";
import { tapSource } from "../../../src/schema/stream/tap.js";
import { all, outcome, Producer } from "./producer.js";

function watch<T>(source: ChunkSource<T>): { reader: StreamReader<T>; seen: unknown[] } {
  const seen: unknown[] = [];
  const hooks = {
    onChunk: (chunk: unknown) => seen.push(chunk),
    onDone: () => seen.push("done"),
    onError: (error: unknown) => seen.push(["error", error]),
    onCancel: (reason: unknown) => seen.push(["cancel", reason]),
  };
  return { reader: new StreamReader(tapSource(source, hooks)), seen };
}

describe("watchSource", () => {
  it("tells each chunk before its reader goes on, and the end once", async () => {
    const { reader, seen } = watch(StreamReader.from(new Producer([1, 2])).takeSource());
    for await (const _ of reader) seen.push("read");
    await reader.next();
    expect(seen).toEqual([1, "read", 2, "read", "done"]);
  });

  it("tells an error once", async () => {
    const failure = new Error("broken line");
    const { reader, seen } = watch(StreamReader.from(new Producer([1], failure)).takeSource());
    await outcome(reader);
    await reader.next();
    expect(seen).toEqual([1, ["error", failure]]);
  });

  it("tells a cancellation and its reason, and stops the source", async () => {
    const producer = new Producer([1, 2]);
    const { reader, seen } = watch(StreamReader.from(producer).takeSource());
    await reader.next();
    await reader.cancel("bored");
    expect(seen).toEqual([1, ["cancel", "bored"]]);
    expect(producer.returned).toBe(1);
  });

  it("tells nothing after the end", async () => {
    const { reader, seen } = watch(StreamReader.from([1]).takeSource());
    await all(reader);
    await reader.cancel();
    expect(seen).toEqual([1, "done"]);
  });

  it("hands the promises of the source through", () => {
    const promise = Promise.resolve({ done: false as const, value: 1 });
    const { reader } = watch({ next: () => promise, cancel: () => {} });
    expect(reader.next()).toBe(promise);
  });
});
