/** Models of the AI SDK's provider packages, with retries, fallbacks, limits and structured answers. @packageDocumentation */

export type { AiSdkEmbeddingModel, AiSdkModel, AiSdkVersion } from "./ai-sdk/provider-model.js";
export { type AiSdkEmbedderOptions, aiSdkEmbedder } from "./ai-sdk-embedder.js";
export { aiSdkModel } from "./ai-sdk-model.js";
export { costOf, type ModelPrice } from "./cost-of.js";
export { type FallbackModelOptions, fallbackModel } from "./fallback-model.js";
export { InvalidOutputError } from "./invalid-output-error.js";
export { isRetryableModelError } from "./is-retryable-model-error.js";
export { type Limit, limitModel } from "./limit-model.js";
export type { Model, NamedModels } from "./model.js";
export type { AfterContent } from "./model-attempts.js";
export { ModelsExhaustedError } from "./models-exhausted-error.js";
export { type ModelRetryPolicy, retryModel } from "./retry-model.js";
export { type StructuredOptions, structured } from "./structured.js";
export { toModel } from "./to-model.js";
