import type { AgenticModel } from "../components/model.js";
import { adaptedModel } from "./adapted-model.js";
import { type AiSdkModel, isAiSdkModel } from "./ai-sdk/provider-model.js";
import { notAModel } from "./errors.js";

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
  if (!isAiSdkModel(model)) throw notAModel(model, "aiSdkModel", "doGenerate");
  return adaptedModel(model);
}
