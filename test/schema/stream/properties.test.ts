import fc from "fast-check";
import { pipe, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { all, Producer, settled } from "./producer.js";

const chunksArbitrary = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 });

/** An operator, and what it does to a list. */
interface Operator {
  readonly name: string;
  readonly apply: (reader: StreamReader<number>) => StreamReader<number>;
  readonly model: (chunks: number[]) => number[];
}

const operators: readonly Operator[] = [
  {
    name: "map",
    apply: (reader) => reader.map((chunk) => chunk + 1),
    model: (chunks) => chunks.map((chunk) => chunk + 1),
  },
  {
    name: "async map",
    apply: (reader) => reader.map(async (chunk) => chunk * 2),
    model: (chunks) => chunks.map((chunk) => chunk * 2),
  },
  {
    name: "filter",
    apply: (reader) => reader.filter((chunk) => chunk % 3 !== 0),
    model: (chunks) => chunks.filter((chunk) => chunk % 3 !== 0),
  },
  {
    name: "async filter",
    apply: (reader) => reader.filter(async (chunk) => chunk % 2 === 0),
    model: (chunks) => chunks.filter((chunk) => chunk % 2 === 0),
  },
  { name: "copy", apply: (reader) => firstCopy(reader), model: (chunks) => chunks },
  {
    name: "merge",
    apply: (reader) => StreamReader.merge([reader, new Producer<number>([])]),
    model: (chunks) => chunks,
  },
  { name: "web stream", apply: (reader) => StreamReader.from(reader.toReadableStream()), model: (chunks) => chunks },
];

const operatorsArbitrary = fc.array(fc.constantFrom(...operators), { maxLength: 6 });

function firstCopy(reader: StreamReader<number>): StreamReader<number> {
  const [kept, dropped] = reader.copy(2);
  void dropped.cancel();
  return kept;
}

function build(source: AsyncIterable<number> | readonly number[], chain: readonly Operator[]): StreamReader<number> {
  return chain.reduce((reader, { apply }) => apply(reader), StreamReader.from(source));
}

describe("any chain of operators", () => {
  it("gives what the same functions give on a list", async () => {
    await fc.assert(
      fc.asyncProperty(chunksArbitrary, operatorsArbitrary, async (chunks, chain) => {
        const expected = chain.reduce((list, { model }) => model(list), chunks);
        const producer = new Producer(chunks);
        expect(await all(build(producer, chain))).toEqual(expected);
        expect(producer).toMatchObject({ pulled: chunks.length + 1, returned: 0 });
        expect(await all(build(chunks, chain))).toEqual(expected);
        if (expected.length > 0) expect(await build(chunks, chain).withRule("list").concat()).toEqual(expected);
      }),
    );
  });

  it("cancels its source exactly once when it is left, wherever that is", async () => {
    await fc.assert(
      fc.asyncProperty(chunksArbitrary, operatorsArbitrary, fc.nat(5), async (chunks, chain, count) => {
        const producer = new Producer([...chunks, ...chunks, 2, 4, 8, 14, 16, 20, 22, 26]);
        const reader = build(producer, chain);
        let ended = false;
        for (let i = 0; i < count; i++) ended ||= (await reader.next()).done === true;
        await reader.cancel();
        await reader.cancel();
        await settled();
        expect(producer.returned).toBe(ended ? 0 : 1);
      }),
    );
  });

  it("delivers all that comes before an error, and then that error", async () => {
    await fc.assert(
      fc.asyncProperty(chunksArbitrary, operatorsArbitrary, async (chunks, chain) => {
        const failure = new Error("broken line");
        const reader = build(new Producer(chunks, failure), chain);
        const seen: number[] = [];
        const read = async (): Promise<void> => {
          for await (const chunk of reader) seen.push(chunk);
        };
        await expect(read()).rejects.toBe(failure);
        expect(seen).toEqual(chain.reduce((list, { model }) => model(list), chunks));
        expect((await reader.next()).done).toBe(true);
      }),
    );
  });
});

describe("copies", () => {
  it("give the same chunks in any interleaving of reads and cancellations, and pull each once", async () => {
    const action = fc.record({ copy: fc.nat(3), kind: fc.constantFrom("read", "read", "read", "cancel") });
    await fc.assert(
      fc.asyncProperty(
        chunksArbitrary,
        fc.integer({ min: 1, max: 4 }),
        fc.array(action),
        async (chunks, count, actions) => {
          const producer = new Producer(chunks);
          const copies = StreamReader.from(producer).copy(count);
          const reads: Promise<IteratorResult<number>>[][] = copies.map(() => []);
          const cancelled = new Set<number>();
          for (const { copy, kind } of actions) {
            const index = copy % count;
            if (kind === "cancel") {
              cancelled.add(index);
              await copies[index]?.cancel();
            } else if (!cancelled.has(index)) {
              reads[index]?.push(copies[index]?.next() ?? Promise.reject());
            }
          }
          for (const list of reads) {
            const results = await Promise.allSettled(list);
            // reads that a cancelled source answered say so; all others are the chunks, then the end
            results.forEach((result, i) => {
              if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "STREAM_CANCELLED" });
              else if (result.value.done) expect(i >= chunks.length || cancelled.size === count).toBe(true);
              else expect(result.value.value).toBe(chunks[i]);
            });
          }
          const most = Math.max(...reads.map(({ length }) => length));
          expect(producer.pulled).toBeLessThanOrEqual(Math.min(most, chunks.length + 1));
          for (const copy of copies) await copy.cancel();
          expect(producer.returned).toBeLessThanOrEqual(1);
          if (producer.pulled <= chunks.length) expect(producer.returned).toBe(1);
        },
      ),
    );
  });
});

describe("merged streams", () => {
  const sourcesArbitrary = fc.array(chunksArbitrary, { minLength: 1, maxLength: 4 });

  it("lose nothing and keep the order of each source, whichever is faster", async () => {
    await fc.assert(
      fc.asyncProperty(sourcesArbitrary, fc.scheduler(), async (lists, scheduler) => {
        const log = { opened: 0, closed: 0 };
        const sources = Object.fromEntries(lists.map((list, i) => [`s${i}`, timed(list, scheduler, log)]));
        const read = all(StreamReader.mergeNamed(sources));
        await scheduler.waitFor(read);
        const merged = await read;
        lists.forEach((list, i) => {
          const mine = merged.filter(({ source }) => source === `s${i}`);
          expect(mine.flatMap((chunk) => ("value" in chunk ? [chunk.value] : []))).toEqual(list);
          expect(mine.filter((chunk) => "end" in chunk)).toHaveLength(1);
          expect(mine.at(-1)).toEqual({ source: `s${i}`, end: true });
        });
        expect(merged).toHaveLength(lists.flat().length + lists.length);
        expect(log.closed).toBe(log.opened);
      }),
    );
  });

  it("close every source that they opened when they are left", async () => {
    await fc.assert(
      fc.asyncProperty(sourcesArbitrary, fc.nat(6), fc.scheduler(), async (lists, count, scheduler) => {
        const log = { opened: 0, closed: 0 };
        const reader = StreamReader.merge(lists.map((list) => timed(list, scheduler, log)));
        for (let i = 0; i < count; i++) await scheduler.waitFor(reader.next());
        await reader.cancel();
        await scheduler.waitIdle();
        await settled();
        expect(log.closed).toBe(log.opened);
      }),
    );
  });
});

describe("pipes", () => {
  it("deliver what is written, in order, and let writes wait for room, in any interleaving", async () => {
    const actionsArbitrary = fc.array(fc.constantFrom("write", "write", "read", "wait"), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), actionsArbitrary, async (capacity, actions) => {
        const { reader, writer } = pipe<number>({ capacity });
        const reads: Promise<IteratorResult<number, undefined>>[] = [];
        let written = 0;
        let accepted = 0;
        for (const action of actions) {
          if (action === "write") void writer.write(written++).then(() => accepted++);
          else if (action === "read") reads.push(reader.next());
          else await settled();
          expect(accepted).toBeLessThanOrEqual(Math.min(written, reads.length + capacity));
        }
        await settled();
        expect(accepted).toBe(Math.min(written, reads.length + capacity));
        writer.close();
        const results = (await Promise.all(reads)).filter(({ done }) => !done).map(({ value }) => value);
        expect([...results, ...(await all(reader))]).toEqual(Array.from({ length: written }, (_, i) => i));
      }),
    );
  });
});

/** A generator whose chunks come when the scheduler says so. */
async function* timed(
  chunks: readonly number[],
  scheduler: fc.Scheduler,
  log: { opened: number; closed: number },
): AsyncGenerator<number, undefined> {
  log.opened++;
  try {
    for (const chunk of chunks) yield await scheduler.schedule(Promise.resolve(chunk));
  } finally {
    log.closed++;
  }
}
