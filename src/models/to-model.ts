import type { AgenticModel } from "../components/model.js";
import { isFields } from "../is.js";
import { adaptedModel } from "./adapted-model.js";
import { type AiSdkModel, isAiSdkModel } from "./ai-sdk/provider-model.js";
import { notAModel } from "./errors.js";

/** Either kind of model: a model component, or a model of a provider package of the AI SDK. */
export type Model = AgenticModel | AiSdkModel;

/** Wraps a model of the AI SDK in an adapter, and returns a model component unchanged. `where` names the caller in errors. */
export function toModel(model: Model, where: string): AgenticModel {
  if (isAiSdkModel(model)) return adaptedModel(model);
  if (isAgenticModel(model)) return model;
  throw notAModel(model, where, "doGenerate");
}

function isAgenticModel(value: unknown): value is AgenticModel {
  if (!isFields(value) || value.component !== "model") return false;
  return typeof value.generate === "function" && typeof value.stream === "function";
}
