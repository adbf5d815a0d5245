import type { AgenticModel, ModelContext } from "../components/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type AiSdkModel, providerModelName } from "./ai-sdk/provider-model.js";

/** A model of the AI SDK as a model component. Its first call loads the adapter: a program without one does not carry it. */
export function adaptedModel(model: AiSdkModel): AgenticModel {
  let loaded: AgenticModel | undefined;
  const load = async (): Promise<AgenticModel> => {
    const { AdaptedModel } = await import("./ai-sdk/adapted-model.js");
    loaded ??= new AdaptedModel(model);
    return loaded;
  };
  async function* later(messages: readonly AgenticMessage[], ctx: ModelContext): AsyncGenerator<AgenticMessage, void> {
    yield* StreamReader.from((await load()).stream(messages, ctx));
  }
  return {
    component: "model",
    type: providerModelName(model),
    generate: async (messages, ctx) => (loaded ?? (await load())).generate(messages, ctx),
    stream: (messages, ctx) => StreamReader.from(loaded?.stream(messages, ctx) ?? later(messages, ctx)),
  };
}
