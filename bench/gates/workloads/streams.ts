import { Chain, lambda, mapChunks, pipe, StreamReader } from "kumiko";
import type { Workloads } from "./workload.js";

const CHUNKS = 100;
const NODES = 5;
const operations = CHUNKS * NODES;

/** What a chunk costs; the source, a generator, is a part of it. */
export const streamWorkloads: Workloads = {
  "chunk through a generator node": { prepare: () => through(generators()), operations, expected: CHUNKS },
  "chunk through a mapChunks node": { prepare: () => through(maps()), operations, expected: CHUNKS },
  "chunk of a copied stream, per copy": { prepare: () => copied, operations: CHUNKS * 2, expected: CHUNKS * 2 },
  "chunk of merged streams": { prepare: () => merged, operations: CHUNKS * 2, expected: CHUNKS * 2 },
  "chunk through a pipe": { prepare: () => piped, operations: CHUNKS, expected: CHUNKS },
  "chain of 5, streamed": { prepare: () => streamed(maps()), expected: 1 },
};

interface Streaming {
  transform(input: AsyncIterable<number>): AsyncIterable<number>;
  stream(input: number): AsyncIterable<number>;
}

async function* numbers(): AsyncGenerator<number, undefined> {
  for (let n = 0; n < CHUNKS; n++) yield n;
}

async function* addOne(chunks: AsyncIterable<number>): AsyncGenerator<number, undefined> {
  for await (const chunk of chunks) yield chunk + 1;
}

async function count(chunks: AsyncIterable<unknown>): Promise<number> {
  let total = 0;
  for await (const _ of chunks) total++;
  return total;
}

function generators(): Streaming {
  const node = () => lambda({ transform: (chunks: StreamReader<number>) => addOne(chunks) });
  let chain = new Chain<number>().append(node());
  for (let n = 1; n < NODES; n++) chain = chain.append(node());
  return chain.compile();
}

function maps(): Streaming {
  const node = () => mapChunks((chunk: number) => chunk + 1);
  let chain = new Chain<number>().append(node());
  for (let n = 1; n < NODES; n++) chain = chain.append(node());
  return chain.compile();
}

function through(runnable: Streaming): () => Promise<number> {
  return () => count(runnable.transform(numbers()));
}

function streamed(runnable: Streaming): () => Promise<number> {
  return () => count(runnable.stream(0));
}

async function copied(): Promise<number> {
  const [left, right] = StreamReader.from(numbers()).copy(2);
  const counts = await Promise.all([count(left), count(right)]);
  return counts[0] + counts[1];
}

function merged(): Promise<number> {
  return count(StreamReader.merge([numbers(), numbers()]));
}

async function piped(): Promise<number> {
  const { reader, writer } = pipe<number>();
  const write = async (): Promise<void> => {
    for (let n = 0; n < CHUNKS; n++) await writer.write(n);
    writer.close();
  };
  const [, read] = await Promise.all([write(), count(reader)]);
  return read;
}
