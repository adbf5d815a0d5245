import type { ModelOptions, ReasoningEffort } from "../../components/model.js";
import { type Fields, isFields } from "../../is.js";
import { strictForm } from "../strict-schema.js";
import type { AiSdkModel } from "./provider-model.js";

type ProviderOptions = NonNullable<ModelOptions["providerOptions"]>;

/** The providers whose settings are known here, by the key of their options. */
type Family = "openai" | "anthropic" | "google" | "xai";

/**
 * The settings of a provider that follow from other call options, with those of the caller, which win. `undefined` if there are none
 * of either.
 */
export function providerOptionsOf(options: ModelOptions, model: AiSdkModel): ProviderOptions | undefined {
  const given: ProviderOptions = options.providerOptions ?? {};
  const key = optionsKey(model, given);
  if (key === undefined) return options.providerOptions;
  const own = given[key] ?? {};
  const added = { ...looseFormat(options, model), ...reasoningSetting(options, model) };
  if (Object.keys(added).length === 0) return options.providerOptions;
  const { thinkingConfig } = own;
  return { ...given, [key]: { ...added, ...own, ...joinedThinking(added.thinkingConfig, thinkingConfig) } };
}

/** Whether `options.reasoning` has no effect: the provider has no such setting, or not this level. */
export function ignoresReasoning({ reasoning }: ModelOptions, model: AiSdkModel): boolean {
  if (reasoning === undefined || model.specificationVersion === "v4") return false;
  const isTooLow = reasoning === "none" || reasoning === "minimal";
  return optionsKey(model, {}) === undefined || (familyOf(model) === "xai" && isTooLow);
}

/** The words in the names of providers. Google also serves Anthropic's models. */
const families: readonly (readonly [RegExp, Family])[] = [
  [/anthropic/, "anthropic"],
  [/openai|azure/, "openai"],
  [/google|vertex/, "google"],
  [/^xai\b/, "xai"],
];

function familyOf({ provider }: AiSdkModel): Family | undefined {
  return families.find(([words]) => words.test(provider))?.[1];
}

/** The key of the model's own options: Azure and Vertex read those of OpenAI and Google unless they have their own. */
function optionsKey(model: AiSdkModel, given: ProviderOptions): string | undefined {
  const alias = ["azure", "vertex"].find((name) => model.provider.includes(name) && given[name] !== undefined);
  const family = familyOf(model);
  if (alias !== undefined && family !== "anthropic") return alias;
  // a model of @ai-sdk/openai-compatible, whatever the service is called
  return family ?? ("providerOptionsName" in model ? String(model.providerOptionsName) : undefined);
}

/** How many tokens a model may think, where a provider wants a number. */
const budgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 32_768,
};

/** `reasoning` as models of the specs V2 and V3 take it; those of V4 get it as it is. */
function reasoningSetting(options: ModelOptions, model: AiSdkModel): Fields {
  const { reasoning } = options;
  if (reasoning === undefined || model.specificationVersion === "v4" || ignoresReasoning(options, model)) return {};
  const budget = budgets[reasoning];
  switch (familyOf(model)) {
    case "anthropic":
      return { thinking: budget === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens: budget } };
    case "google":
      return { thinkingConfig: { thinkingBudget: budget } };
    default:
      return { reasoningEffort: reasoning };
  }
}

/** Google's settings are one object. A model takes either a budget or a level. */
function joinedThinking(added: unknown, own: unknown): Fields {
  if (!isFields(added) || !isFields(own) || "thinkingLevel" in own) return {};
  return { thinkingConfig: { ...added, ...own } };
}

/** OpenAI and Azure enforce every schema, and refuse one that has no strict form, unless they are told not to. */
function looseFormat({ responseFormat }: ModelOptions, model: AiSdkModel): Fields {
  if (responseFormat?.type !== "json" || responseFormat.schema === undefined || familyOf(model) !== "openai") return {};
  return strictForm(responseFormat.schema) === undefined ? { strictJsonSchema: false } : {};
}
