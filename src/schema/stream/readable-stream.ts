import { SerialSource } from "./serial-source.js";
import type { ChunkSource } from "./source.js";

/** A source over a web stream, which is locked from now on. */
export class ReadableStreamSource<out T> extends SerialSource<T> {
  private readonly reader: ReadableStreamDefaultReader<T>;

  constructor(stream: ReadableStream<T>) {
    super();
    this.reader = stream.getReader();
  }

  protected override async pull(): Promise<IteratorResult<T, undefined>> {
    try {
      const result = await this.reader.read();
      this.checkOpen();
      if (!result.done) {
        this.settle();
        return result;
      }
    } catch (error) {
      this.finish();
      throw error;
    }
    this.finish();
    this.reader.releaseLock();
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.reader.cancel(reason).then(undefined, ignore);
  }
}

export function isReadableStream(value: object): value is ReadableStream<unknown> {
  return "getReader" in value && typeof value.getReader === "function";
}

/** Converts a source to a web stream, which pulls only when it is read. */
export function toReadableStream<T>(source: ChunkSource<T>): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const result = await source.next();
        if (result.done) controller.close();
        else controller.enqueue(result.value);
      },
      cancel(reason) {
        source.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function ignore(): void {}
