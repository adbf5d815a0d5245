import type { ValueCheck } from "../compose/plan/plan.js";
import { joinChunks } from "../schema/concat/concat-chunks.js";
import { untilJoinable } from "../schema/concat/load-message-joining.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { ChunkSource } from "../schema/stream/source.js";

type Result = IteratorResult<unknown, undefined>;

/** The same chunks; at their end the whole is checked, and the stream fails if it does not fit. `tell` gets what the check gives. */
export function checkedStream(
  reader: StreamReader<unknown>,
  check: ValueCheck,
  tell: (checked: unknown) => void,
): StreamReader<unknown> {
  return new StreamReader(new CheckedSource(reader, async (value) => tell(await check(value))), reader.joining);
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
      await untilJoinable(this.#chunks);
      await this.#check(joinChunks(this.#chunks, this.#joining));
    }
    return result;
  }

  cancel(reason?: unknown): void {
    this.#source.cancel(reason);
  }
}
