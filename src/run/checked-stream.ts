import type { ValueCheck } from "../compose/plan/plan.js";
import { concatChunks } from "../schema/concat/concat-chunks.js";
import { untilJoinable } from "../schema/concat/load-message-joining.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { ChunkSource } from "../schema/stream/source.js";

type Result = IteratorResult<unknown, undefined>;

/** The same chunks; at their end the whole is checked, and the stream fails if it does not fit. */
export function checkedStream(reader: StreamReader<unknown>, check: ValueCheck): StreamReader<unknown> {
  return new StreamReader(new CheckedSource(reader, check), reader.joining);
}

class CheckedSource implements ChunkSource<unknown> {
  readonly #source: ChunkSource<unknown>;
  readonly #joining: StreamReader<unknown>["joining"];
  readonly #check: ValueCheck;
  readonly #chunks: unknown[] = [];
  #checked = false;

  constructor(reader: StreamReader<unknown>, check: ValueCheck) {
    this.#joining = reader.joining;
    this.#source = reader.takeSource();
    this.#check = check;
  }

  async next(): Promise<Result> {
    const result = await this.#source.next();
    if (!result.done) this.#chunks.push(result.value);
    else if (!this.#checked) {
      this.#checked = true;
      const { rule, registry, where } = this.#joining ?? {};
      await untilJoinable(this.#chunks);
      await this.#check(concatChunks(this.#chunks, rule, registry, where));
    }
    return result;
  }

  cancel(reason?: unknown): void {
    this.#source.cancel(reason);
  }
}
