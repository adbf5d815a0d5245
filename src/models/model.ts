import type { AgenticModel, CustomModel } from "../components/model.js";
import type { AiSdkModel } from "./ai-sdk/provider-model.js";

/**
 * Any kind of model: a model component, also one with only one of its two methods; a model of a provider package of the AI SDK; or
 * the name of a model, which the option `models` of the `Runtime` resolves.
 */
export type Model = AgenticModel | CustomModel | AiSdkModel | string;

/** What resolves the names of models: a provider registry, custom provider or gateway of the AI SDK as it is, or a function. */
export type NamedModels =
  | {
      /** Returns the model of a name, or throws. */
      languageModel(id: string): Model;
    }
  | ((id: string) => Model);
