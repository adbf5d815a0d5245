// What a chunk costs in each operator: node bench/start.mjs bench/details/operators.ts
import { pipe } from "../../src/schema/stream/pipe.js";
import { StreamReader } from "../../src/schema/stream/reader.js";
import { tapSource } from "../../src/schema/stream/tap.js";
import { compare } from "./compare.js";

const CHUNKS = 10_000;
const array = Array.from({ length: CHUNKS }, (_, i) => i);

async function* numbers(): AsyncGenerator<number, undefined> {
  for (let i = 0; i < CHUNKS; i++) yield i;
}

async function* add1(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk + 1;
}
async function* add2(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk + 2;
}
async function* times3(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk * 3;
}
async function* minus4(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk - 4;
}
async function* half(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk / 2;
}
const generators = [add1, add2, times3, minus4, half];

const functions: ((chunk: number) => number)[] = [
  (chunk) => chunk + 1,
  (chunk) => chunk + 2,
  (chunk) => chunk * 3,
  (chunk) => chunk - 4,
  (chunk) => chunk / 2,
];

async function drain(chunks: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of chunks) count++;
  return count;
}

function callAll(chunk: number): number {
  let value = chunk;
  for (const fn of functions) value = fn(value);
  return value;
}

function mapped(reader: StreamReader<number>): StreamReader<number> {
  return functions.reduce((chunks, fn) => chunks.map(fn), reader);
}

/** Runs every kind of stream first, so that call sites are as mixed as in a real process. */
async function pollute(): Promise<void> {
  for (let round = 0; round < 300; round++) {
    const few = [1, 2, 3];
    const { reader, writer } = pipe<number>();
    for (const chunk of few) void writer.write(chunk);
    writer.close();
    const [left, right] = mapped(StreamReader.from(few)).copy(2);
    await Promise.all([
      drain(StreamReader.merge([reader, StreamReader.from(few), StreamReader.from(add1(StreamReader.from(few)))])),
      drain(StreamReader.from(left.filter((chunk) => chunk > 1).toReadableStream())),
      right.map(async (chunk) => String(chunk)).concat(),
      drain(StreamReader.mergeNamed({ a: few, b: new ReadableStream({ start: (controller) => controller.close() }) })),
    ]);
  }
}

await pollute();

await compare({
  name: "five async generators, per chunk and generator",
  operations: CHUNKS * 5,
  baseline: () => drain(generators.reduce<AsyncIterable<number>>((chunks, next) => next(chunks), numbers())),
  variants: {
    "through readers": () =>
      drain(generators.reduce((chunks, next) => StreamReader.from(next(chunks)), StreamReader.from(numbers()))),
  },
  budgets: { "through readers": 1.15 },
});

await compare({
  name: "five functions over an async source, per chunk",
  operations: CHUNKS,
  baseline: async () => {
    for await (const chunk of numbers()) callAll(chunk);
  },
  variants: { "five maps": () => drain(mapped(StreamReader.from(numbers()))) },
  budgets: { "five maps": 2 },
});

await compare({
  name: "five functions over an array, per chunk (against `for await` over the array)",
  operations: CHUNKS,
  baseline: async () => {
    for await (const chunk of array) callAll(chunk);
  },
  variants: {
    "five maps, read": () => drain(mapped(StreamReader.from(array))),
    "five maps, concat": () => mapped(StreamReader.from(array)).concat(),
  },
  budgets: { "five maps, read": 2, "five maps, concat": 1 },
});

await compare({
  name: "operators, per chunk (against one async generator)",
  operations: CHUNKS,
  baseline: () => drain(numbers()),
  variants: {
    reader: () => drain(StreamReader.from(numbers())),
    "copy(2), both read": async () => {
      const [left, right] = StreamReader.from(numbers()).copy(2);
      await Promise.all([drain(left), drain(right)]);
    },
    "copy(2), one cancelled": async () => {
      const [left, right] = StreamReader.from(numbers()).copy(2);
      void right.cancel();
      await drain(left);
    },
    watched: () => {
      const hooks = { onChunk: () => {}, onDone: () => {}, onError: () => {}, onCancel: () => {} };
      return drain(new StreamReader(tapSource(StreamReader.from(numbers()).takeSource(), hooks)));
    },
    pipe: async () => {
      const { reader, writer } = pipe<number>();
      const produce = async (): Promise<void> => {
        for (let i = 0; i < CHUNKS; i++) await writer.write(i);
        writer.close();
      };
      await Promise.all([produce(), drain(reader)]);
    },
  },
  budgets: { reader: 1.15, "copy(2), both read": 1.8, "copy(2), one cancelled": 1.2, pipe: 1.2 },
});

await compare({
  name: "merge(2), per chunk (against the two generators one after another)",
  operations: CHUNKS * 2,
  baseline: async () => {
    await drain(numbers());
    await drain(numbers());
  },
  variants: {
    "merge(2)": () => drain(StreamReader.merge([numbers(), numbers()])),
    "mergeNamed(2)": () => drain(StreamReader.mergeNamed({ a: numbers(), b: numbers() })),
  },
  budgets: { "merge(2)": 2 },
});
