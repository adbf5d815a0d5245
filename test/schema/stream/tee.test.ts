import { describe, expect, it } from "vitest";
import { StreamReader } from "../../../src/schema/stream/reader.js";
import { teeSource } from "../../../src/schema/stream/tee.js";
import { all, outcome, Producer, settled } from "./producer.js";

function tee<T>(producer: Producer<T>): { main: StreamReader<T>; observers: StreamReader<T>[] } {
  const { main, observers } = teeSource(StreamReader.from(producer).takeSource(), 2);
  return { main: new StreamReader(main), observers: observers.map((source) => new StreamReader(source)) };
}

describe("teeSource", () => {
  it("shows observers what the main consumer has read, whenever they look", async () => {
    const { main, observers } = tee(new Producer([1, 2, 3]));
    expect(await all(main)).toEqual([1, 2, 3]);
    expect(await Promise.all(observers.map(all))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it("never pulls for an observer", async () => {
    const producer = new Producer([1]);
    const { observers } = tee(producer);
    void observers[0]?.next();
    await settled();
    expect(producer.pulled).toBe(0);
  });

  it("fails observers with the error of the stream", async () => {
    const failure = new Error("broken line");
    const { main, observers } = tee(new Producer([1], failure));
    await outcome(main);
    expect(await Promise.all(observers.map(outcome))).toEqual([
      { chunks: [1], error: failure },
      { chunks: [1], error: failure },
    ]);
  });

  it.each([
    [undefined, { name: "AbortError" }],
    ["bored", "bored"],
  ])("fails observers when the main consumer leaves early, with its reason %s", async (reason, expected) => {
    const { main, observers } = tee(new Producer([1, 2]));
    await main.next();
    await main.cancel(reason);
    const { chunks, error } = await outcome(observers[0] ?? main);
    expect(chunks).toEqual([1]);
    if (typeof expected === "string") expect(error).toBe(expected);
    else expect(error).toMatchObject(expected);
  });

  it("goes on when an observer is cancelled", async () => {
    const producer = new Producer([1, 2]);
    const { main, observers } = tee(producer);
    await observers[0]?.cancel();
    expect(await all(main)).toEqual([1, 2]);
    expect(await all(observers[1] ?? main)).toEqual([1, 2]);
    expect(producer.returned).toBe(0);
  });

  it("leaves no rejection unhandled when nobody looks", async () => {
    const { main } = tee(new Producer([1], new Error("broken line")));
    await outcome(main);
    await settled();
  });
});
