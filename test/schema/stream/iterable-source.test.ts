import { StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { iterableSource } from "../../../src/schema/stream/iterable-source.js";
import { all, Producer, settled } from "./producer.js";

async function* doubled(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk * 2;
}

function doubling(producer: Producer<number>): StreamReader<number> {
  const input = StreamReader.from(producer);
  return new StreamReader(iterableSource(doubled(input), input));
}

describe("a generator over an input", () => {
  it("gives its chunks", async () => {
    expect(await all(doubling(new Producer([1, 2])))).toEqual([2, 4]);
  });

  it("cancels the input although the generator never started", async () => {
    const producer = new Producer([1, 2]);
    await doubling(producer).cancel();
    expect(producer).toMatchObject({ pulled: 0, returned: 1 });
  });

  it("cancels the input although the generator waits", async () => {
    const producer = new Producer([1, 2]);
    const input = StreamReader.from(producer);
    const stuck = (async function* () {
      await input.next();
      await new Promise(() => {});
      yield 1;
    })();
    const reader = new StreamReader(iterableSource(stuck, input));
    void reader.next();
    await settled();
    await reader.cancel();
    expect(producer.returned).toBe(1);
  });

  it("cancels the input once when it was half read", async () => {
    const producer = new Producer([1, 2]);
    for await (const _ of doubling(producer)) break;
    expect(producer.returned).toBe(1);
  });

  it("cancels the input of any other iterable too", async () => {
    const reasons: unknown[] = [];
    const upstream = { cancel: (reason: unknown) => reasons.push(reason) };
    const unread = new StreamReader(iterableSource(new Producer([1]), upstream));
    await unread.cancel("unread");
    const halfRead = new StreamReader(iterableSource(new Producer([1]), upstream));
    await halfRead.next();
    await halfRead.cancel("half read");
    expect(reasons).toEqual(["unread", "half read"]);
  });
});
