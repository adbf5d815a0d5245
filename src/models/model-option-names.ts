import type { ModelOptions } from "../components/model.js";

const known: Readonly<Record<keyof ModelOptions, true>> = {
  model: true,
  temperature: true,
  topP: true,
  topK: true,
  maxOutputTokens: true,
  stop: true,
  seed: true,
  presencePenalty: true,
  frequencyPenalty: true,
  responseFormat: true,
  reasoning: true,
  headers: true,
  providerOptions: true,
  tools: true,
  toolChoice: true,
};

/** The names of the call options that all models share. */
export const modelOptionNames = Object.keys(known) as readonly (keyof ModelOptions)[];

export function isModelOptionName(name: string): name is keyof ModelOptions {
  return Object.hasOwn(known, name);
}

/** The names of the same options in other libraries. */
const otherNames: Readonly<Record<string, keyof ModelOptions>> = {
  maxTokens: "maxOutputTokens",
  maxCompletionTokens: "maxOutputTokens",
  stopSequences: "stop",
  reasoningEffort: "reasoning",
};

/** The name that was probably meant, as part of a sentence; empty if none is near. */
export function modelOptionHint(name: string): string {
  return Object.hasOwn(otherNames, name) ? `It is called ${otherNames[name]} here.` : "";
}
