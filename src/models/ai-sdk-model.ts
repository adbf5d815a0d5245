import type { AgenticModel, ModelContext } from "../components/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { OnDemand } from "../schema/on-demand.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type AiSdkModel, providerModelName, requireAiSdkModel } from "./ai-sdk/provider-model.js";

const part = new OnDemand(async () => (await import("./ai-sdk/adapted-model.js")).AdaptedModel);

/**
 * Creates a model from one of a provider package of the AI SDK (specs V2, V3 and V4). Content that no block type can
 * represent is kept as an `extension` block. What the provider needs to see again, such as reasoning signatures, is sent
 * back to it.
 *
 * @example
 * const app = new Chain<AgenticMessage[]>().appendModel(aiSdkModel(openai("gpt-5"))).compile();
 * const answer = await app.invoke([userMessage("Weather in Kyoto?")], { options: { model: { temperature: 0 } } });
 */
export function aiSdkModel(model: AiSdkModel): AgenticModel {
  return new PackageModel(requireAiSdkModel(model));
}

/** Loads the adapter on the first call, so that programs which use other models do not bundle it. */
class PackageModel implements AgenticModel {
  readonly component = "model" as const;
  /** `openai.responses/gpt-5` */
  readonly type: string;
  readonly #model: AiSdkModel;
  #adapted: AgenticModel | undefined;

  constructor(model: AiSdkModel) {
    this.#model = model;
    this.type = providerModelName(model);
  }

  generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    const adapted = this.#ready;
    if (adapted !== undefined) return adapted.generate(messages, ctx);
    return this.#load().then((loaded) => loaded.generate(messages, ctx));
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    const adapted = this.#ready;
    if (adapted !== undefined) return StreamReader.from(adapted.stream(messages, ctx));
    const load = (): Promise<AgenticModel> => this.#load();
    async function* later(): AsyncGenerator<AgenticMessage, void> {
      yield* StreamReader.from((await load()).stream(messages, ctx));
    }
    return StreamReader.from(later());
  }

  get #ready(): AgenticModel | undefined {
    if (this.#adapted === undefined && part.part !== undefined) this.#adapted = new part.part(this.#model);
    return this.#adapted;
  }

  async #load(): Promise<AgenticModel> {
    const Adapted = await part.load();
    this.#adapted ??= new Adapted(this.#model);
    return this.#adapted;
  }
}
