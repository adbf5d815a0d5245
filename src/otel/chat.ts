import type { RunInfo } from "../callbacks/run-info.js";
import { type Fields, isFields, numberIf, textIf } from "../is.js";
import { type AgenticMessage, isAgenticMessage, type TokenUsage } from "../schema/message/agentic-message.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { Attributes } from "./api.js";
import { inputContent, outputContent, toolDefinitions } from "./content.js";

/** The provider and model, as the semantic conventions name them. */
export interface ModelName {
  readonly provider: string;
  readonly model: string | undefined;
}

/** Models that only call other models, which have spans of their own. */
const wrappers = new Set(["RetryModel", "FallbackModel"]);

export function isWrapper({ component, type }: RunInfo): boolean {
  return component === "model" && wrappers.has(type);
}

/** Providers whose name in the semantic conventions differs from the first word of their own name. */
const providers: Readonly<Record<string, string>> = {
  "google.generative-ai": "gcp.gemini",
  "google.vertex": "gcp.vertex_ai",
  google: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  bedrock: "aws.bedrock",
  azure: "azure.ai.openai",
  "azure-openai": "azure.ai.openai",
  mistral: "mistral_ai",
  watsonx: "ibm.watsonx.ai",
  xai: "x_ai",
};

/** Parses a name such as `openai.responses/gpt-5`. A name without a slash is that of a custom model. */
export function parseModelName(type: string): ModelName {
  const slash = type.indexOf("/");
  if (slash < 0) return { provider: type || "unknown", model: type || undefined };
  const service = type.slice(0, slash);
  const [first = "", second = ""] = service.split(".");
  const provider = nameIn(`${first}.${second}`) ?? nameIn(first) ?? (first || "unknown");
  return { provider, model: type.slice(slash + 1) };
}

function nameIn(word: string): string | undefined {
  return Object.hasOwn(providers, word) ? providers[word] : undefined;
}

/** The options in the input of a model, `{ messages, options }`. */
export function chatOptions(value: unknown): Fields {
  return isFields(value) && isFields(value.options) ? value.options : {};
}

export function chatStartAttributes(options: Fields): Attributes {
  const { temperature, topP, topK, maxOutputTokens, seed, stop, frequencyPenalty, presencePenalty, responseFormat } =
    options;
  const outputType = isFields(responseFormat) ? responseFormat.type : undefined;
  return withoutUndefined({
    "gen_ai.request.temperature": numberIf(temperature),
    "gen_ai.request.top_p": numberIf(topP),
    "gen_ai.request.top_k": numberIf(topK),
    "gen_ai.request.max_tokens": numberIf(maxOutputTokens),
    "gen_ai.request.seed": numberIf(seed),
    "gen_ai.request.frequency_penalty": numberIf(frequencyPenalty),
    "gen_ai.request.presence_penalty": numberIf(presencePenalty),
    "gen_ai.request.stop_sequences": Array.isArray(stop) ? stop.map(String) : undefined,
    "gen_ai.output.type": typeof outputType === "string" ? outputType : undefined,
  });
}

export function chatInput(value: unknown): Fields {
  if (!isFields(value)) return {};
  return { ...inputContent(value.messages), ...toolDefinitions(chatOptions(value).tools) };
}

/** The attributes, usage and content of an answer. */
export interface ChatEnd {
  readonly attributes: Attributes;
  /** The model that answered, for metrics. */
  readonly responseModel: string | undefined;
  /** The tokens, with the model name as in `prices`. */
  readonly usage: { readonly model: string; readonly tokens: TokenUsage } | undefined;
  readonly content: Fields;
}

export function chatEnd(message: unknown, info: RunInfo): ChatEnd {
  if (!isAgenticMessage(message)) {
    return { attributes: {}, responseModel: undefined, usage: undefined, content: {} };
  }
  const { tokenUsage, finishReason, model = info.type } = message.responseMeta ?? {};
  const { id, modelId } = responseOf(message);
  const responseModel =
    modelId ?? (message.responseMeta?.model === undefined ? undefined : parseModelName(model).model);
  const attributes = withoutUndefined({
    "gen_ai.response.id": id,
    "gen_ai.response.model": responseModel,
    "gen_ai.response.finish_reasons": finishReason === undefined ? undefined : [finishReason],
  });
  const usage = tokenUsage === undefined ? undefined : { model, tokens: tokenUsage };
  return { attributes, responseModel, usage, content: outputContent(message) };
}

/** The ids of the response and its model, as the provider sent them. */
function responseOf({ responseMeta = {} }: AgenticMessage): { readonly id?: string; readonly modelId?: string } {
  const { extension, openaiExtension, claudeExtension, geminiExtension } = responseMeta;
  const found = [extension, openaiExtension, claudeExtension, geminiExtension].find(isFields);
  if (!isFields(found)) return {};
  const { id, modelId } = found;
  return withoutUndefined({ id: textIf(id), modelId: textIf(modelId) }) as { id?: string; modelId?: string };
}
