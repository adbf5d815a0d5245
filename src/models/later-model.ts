import type { AgenticModel, ModelContext } from "../components/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { OnDemand } from "../schema/on-demand.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type RepeatingModel, repeatsOthers } from "./attempts.js";

/** A model that is made of a part which its first call loads: a program that does not use it does not carry it. */
export class LaterModel<Part> implements RepeatingModel {
  readonly component = "model" as const;
  readonly type: string | undefined;
  readonly [repeatsOthers]: boolean;
  readonly #part: OnDemand<Part>;
  readonly #make: (part: Part) => AgenticModel;
  #made: AgenticModel | undefined;

  constructor(
    part: OnDemand<Part>,
    make: (part: Part) => AgenticModel,
    { type, isRepeating = false }: { readonly type: string | undefined; readonly isRepeating?: boolean },
  ) {
    this.#part = part;
    this.#make = make;
    this.type = type;
    this[repeatsOthers] = isRepeating;
  }

  generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    const made = this.#ready;
    if (made !== undefined) return made.generate(messages, ctx);
    return this.#load().then((loaded) => loaded.generate(messages, ctx));
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    const made = this.#ready;
    if (made !== undefined) return StreamReader.from(made.stream(messages, ctx));
    const load = (): Promise<AgenticModel> => this.#load();
    async function* later(): AsyncGenerator<AgenticMessage, void> {
      yield* StreamReader.from((await load()).stream(messages, ctx));
    }
    return StreamReader.from(later());
  }

  get #ready(): AgenticModel | undefined {
    const { part } = this.#part;
    if (this.#made === undefined && part !== undefined) this.#made = this.#make(part);
    return this.#made;
  }

  async #load(): Promise<AgenticModel> {
    const part = await this.#part.load();
    this.#made ??= this.#make(part);
    return this.#made;
  }
}
