import type { Contender } from "../contender.js";

/** The streams that are built into the platform. */
export const webStreams: Contender = {
  name: "Web Streams",
  generators: (count) => (source) => {
    let chunks = readable(source);
    for (let n = 0; n < count; n++) chunks = chunks.pipeThrough(mapped((chunk) => chunk + 1));
    return sumOf(chunks);
  },
  split: (first, second) => async (source) => {
    const [left, right] = readable(source).tee();
    const sums = await Promise.all([sumOf(left.pipeThrough(mapped(first))), sumOf(right.pipeThrough(mapped(second)))]);
    return sums[0] + sums[1];
  },
};

function readable(source: AsyncIterable<number>): ReadableStream<number> {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

function mapped(step: (chunk: number) => number | Promise<number>): TransformStream<number, number> {
  return new TransformStream({
    async transform(chunk, controller) {
      controller.enqueue(await step(chunk));
    },
  });
}

async function sumOf(chunks: ReadableStream<number>): Promise<number> {
  let sum = 0;
  for await (const chunk of chunks) sum += chunk;
  return sum;
}
