import type { ValueCheck } from "../../compose/plan/plan.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";

type Result = IteratorResult<unknown, undefined>;

/** The same chunks; at the end the joined value is checked, and the stream fails if it is invalid. */
export function checkedStream(
  reader: StreamReader<unknown>,
  check: ValueCheck,
  onChecked: (checked: unknown) => void,
): StreamReader<unknown> {
  return new StreamReader(new CheckedSource(reader, async (value) => onChecked(await check(value))), reader.joining);
}

class CheckedSource implements ChunkSource<unknown> {
  readonly #source: ChunkSource<unknown>;
  readonly #joining: StreamReader<unknown>["joining"];
  readonly #check: (value: unknown) => Promise<void>;
  readonly #chunks: unknown[] = [];
  #checked = false;

  constructor(reader: StreamReader<unknown>, check: (value: unknown) => Promise<void>) {
    this.#joining = reader.joining;
    this.#source = reader.takeSource();
    this.#check = check;
  }

  async next(): Promise<Result> {
    const result = await this.#source.next();
    if (!result.done) this.#chunks.push(result.value);
    else if (!this.#checked) {
      this.#checked = true;
      await this.#check(joinChunks(this.#chunks, this.#joining));
    }
    return result;
  }

  cancel(reason?: unknown): void {
    this.#source.cancel(reason);
  }
}

/** Reads a stream that no node takes, so that its node runs to completion. */
export async function readToEnd(reader: StreamReader<unknown>): Promise<void> {
  for await (const _chunk of reader) {
    // only the effects of its node matter
  }
}

/** The same stream; it ends after these reads, and fails if one of them fails. */
export function endingAfter(output: unknown, unread: readonly Promise<void>[]): unknown {
  if (!(output instanceof StreamReader)) return output;
  return new StreamReader<unknown>(new EndingAfter(output.takeSource(), Promise.all(unread)), output.joining);
}

class EndingAfter implements ChunkSource<unknown> {
  readonly #source: ChunkSource<unknown>;
  readonly #unread: Promise<unknown>;
  readonly #failed: Promise<never>;
  #isOver = false;

  constructor(source: ChunkSource<unknown>, unread: Promise<unknown>) {
    this.#source = source;
    this.#unread = unread;
    this.#failed = unread.then(() => new Promise<never>(ignore));
    this.#failed.then(undefined, ignore);
  }

  async next(): Promise<Result> {
    if (this.#isOver) return ended();
    try {
      const result = await Promise.race([this.#source.next(), this.#failed]);
      if (result.done !== true) return result;
      await this.#unread;
      this.#isOver = true;
      return result;
    } catch (error) {
      this.#isOver = true;
      this.#source.cancel(error);
      throw error;
    }
  }

  cancel(reason?: unknown): void {
    this.#isOver = true;
    this.#source.cancel(reason);
  }
}

/** The same stream; `over` is called when it ends, fails or is cancelled, after `locate` has found where an error comes from. */
export function endingWith(
  output: StreamReader<unknown>,
  over: () => void,
  locate: (error: unknown) => Promise<unknown>,
): StreamReader<unknown> {
  const source = output.takeSource();
  const next = async (): Promise<IteratorResult<unknown, undefined>> => {
    try {
      const result = await source.next();
      if (result.done) over();
      return result;
    } catch (error) {
      const located = await locate(error);
      over();
      throw located;
    }
  };
  const cancel = (reason: unknown): void => {
    source.cancel(reason);
    over();
  };
  return new StreamReader({ next, cancel }, output.joining);
}

function ignore(): void {}
