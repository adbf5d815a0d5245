import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pipe, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { settled } from "./producer.js";

const STREAMS = 10_000;
/** Generous: one leaked stream of a kilobyte each would be ten times that. */
const ALLOWED_BYTES = 2_000_000;

/** Generators that have started and not ended. */
let open = 0;

const collectGarbage = findCollector();

describe("memory", () => {
  it.each<[string, (load: () => object) => Promise<unknown>]>([
    [
      "half-read streams whose loop was left",
      async (load) => {
        for await (const _ of endless(load).map((chunk) => chunk)) break;
      },
    ],
    ["streams that were cancelled before their first read", (load) => endless(load).filter(Boolean).cancel()],
    [
      "copies of which one was cancelled",
      async (load) => {
        const [read, cancelled] = endless(load).copy(2);
        await read.next();
        await cancelled.cancel();
        await read.cancel();
      },
    ],
    [
      "merged streams that were left",
      async (load) => {
        for await (const _ of StreamReader.merge([endless(load), endless(load)])) break;
      },
    ],
    [
      "pipes whose reader is gone",
      async (load) => {
        const { reader, writer } = pipe<object>();
        await writer.write(load());
        await reader.cancel();
        await writer.write(load());
      },
    ],
    [
      "streams that failed",
      async (load) => {
        const failing = endless(load).map(() => Promise.reject(load()));
        await failing.next().catch(() => {});
      },
    ],
  ])("does not grow with %s", async (_, use) => {
    const load = (): object => ({ bytes: new Array(100).fill(0) });
    for (let i = 0; i < STREAMS / 10; i++) await use(load);
    const before = await heapInUse();
    for (let i = 0; i < STREAMS; i++) await use(load);
    expect((await heapInUse()) - before).toBeLessThan(ALLOWED_BYTES);
    expect(open).toBe(0);
  });

  it("keeps of a copied stream only what the slowest copy has not read", async () => {
    const made: WeakRef<object>[] = [];
    const source = endless(() => {
      const chunk = {};
      made.push(new WeakRef(chunk));
      return chunk;
    });
    const [left, right] = source.copy(2);
    for (let i = 0; i < 1_000; i++) {
      await left.next();
      await right.next();
    }
    await heapInUse();
    expect(made.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(10);
    await left.cancel();
    await right.cancel();
  });

  it("keeps nothing of a pipe that was read or cancelled, though the writer goes on", async () => {
    const [read, cancelled] = [pipe<object>(), pipe<object>()];
    const made = [read, read, cancelled].map(({ writer }) => {
      const chunk = {};
      void writer.write(chunk);
      return new WeakRef(chunk);
    });
    await read.reader.next();
    await read.reader.next();
    await cancelled.reader.cancel();
    await heapInUse();
    expect(made.map((reference) => reference.deref())).toEqual([undefined, undefined, undefined]);
    expect([await read.writer.write({}), await cancelled.writer.write({})]).toEqual([true, false]);
  });
});

function endless(load: () => object): StreamReader<object> {
  return StreamReader.from(
    (async function* () {
      open++;
      try {
        for (;;) yield load();
      } finally {
        open--;
      }
    })(),
  );
}

async function heapInUse(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    await settled();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

function findCollector(): () => void {
  setFlagsFromString("--expose_gc");
  return runInNewContext("gc") as () => void;
}
