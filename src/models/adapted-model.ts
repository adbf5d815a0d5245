import type { AgenticModel, ModelContext } from "../components/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type AiSdkModel, providerModelName } from "./ai-sdk/provider-model.js";

/** A model of the AI SDK as a model component. The adapter is loaded by its first call. */
export function adaptedModel(model: AiSdkModel): AgenticModel {
  const load = async (): Promise<AgenticModel> => {
    const { AdaptedModel } = await import("./ai-sdk/adapted-model.js");
    return new AdaptedModel(model);
  };
  return new LaterModel(load, providerModelName(model));
}

/** A model whose code is loaded by its first call: a program that does not use it does not carry it. */
class LaterModel implements AgenticModel {
  readonly component = "model" as const;
  readonly type: string | undefined;
  readonly #load: () => Promise<AgenticModel>;
  #loaded: AgenticModel | undefined;

  constructor(load: () => Promise<AgenticModel>, type: string | undefined) {
    this.#load = load;
    this.type = type;
  }

  async generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    return (await this.#model()).generate(messages, ctx);
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    if (this.#loaded !== undefined) return StreamReader.from(this.#loaded.stream(messages, ctx));
    const load = (): Promise<AgenticModel> => this.#model();
    async function* later(): AsyncGenerator<AgenticMessage, void> {
      yield* StreamReader.from((await load()).stream(messages, ctx));
    }
    return StreamReader.from(later());
  }

  async #model(): Promise<AgenticModel> {
    this.#loaded ??= await this.#load();
    return this.#loaded;
  }
}
