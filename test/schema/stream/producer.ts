/** A hand-written source of chunks that counts what is done to it. */
export class Producer<T> implements AsyncIterable<T> {
  opened = 0;
  pulled = 0;
  returned = 0;
  private readonly chunks: readonly T[];
  private readonly failure: unknown;

  /** With a failure, it throws after the last chunk, at each further read. */
  constructor(chunks: readonly T[], failure?: unknown) {
    this.chunks = chunks;
    this.failure = failure;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    this.opened++;
    return {
      next: async () => {
        const index = this.pulled++;
        if (index < this.chunks.length) return { done: false, value: this.chunks[index] as T };
        if (this.failure !== undefined) throw this.failure;
        return { done: true, value: undefined };
      },
      return: async () => {
        this.returned++;
        return { done: true, value: undefined };
      },
    };
  }
}

/** Everything a stream gives, and what it throws at its end, if anything. */
export async function outcome<T>(stream: AsyncIterable<T>): Promise<{ chunks: T[]; error: unknown }> {
  const chunks: T[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    return { chunks, error };
  }
  return { chunks, error: undefined };
}

export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** Lets everything run that needs no timer and no input from outside. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
