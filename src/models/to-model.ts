import type { AgenticModel } from "../components/model.js";
import { isFields } from "../is.js";
import { type AiSdkModel, isAiSdkModel } from "./ai-sdk/provider-model.js";
import { aiSdkModel } from "./ai-sdk-model.js";
import { notAModel } from "./errors.js";

/** What may be given where a model is wanted: a model of ours, or one of a provider package of the AI SDK. */
export type Model = AgenticModel | AiSdkModel;

/** The model itself, or the adapter of one of the AI SDK. `where` names the function that was given it. */
export function toModel(model: Model, where: string): AgenticModel {
  if (isAiSdkModel(model)) return aiSdkModel(model);
  if (isAgenticModel(model)) return model;
  throw notAModel(model, where, "doGenerate");
}

function isAgenticModel(value: unknown): value is AgenticModel {
  if (!isFields(value) || value.component !== "model") return false;
  return typeof value.generate === "function" && typeof value.stream === "function";
}
