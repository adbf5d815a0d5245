import type { AgenticModel } from "../components/model.js";
import { type AiSdkModel, providerModelName, requireAiSdkModel } from "./ai-sdk/provider-model.js";
import { LaterModel } from "./later-model.js";

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
  const given = requireAiSdkModel(model);
  const load = async (): Promise<AgenticModel> => {
    const { AdaptedModel } = await import("./ai-sdk/adapted-model.js");
    return new AdaptedModel(given);
  };
  return new LaterModel(load, providerModelName(given));
}
