import { anthropic } from "@ai-sdk/anthropic";
import { google } from "@ai-sdk/google";
import { openai } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { xai } from "@ai-sdk/xai";
import type { Model } from "kumiko/models";
import { localModel } from "./local-model.js";

/** A model, and why it is this one. */
export interface ChosenModel {
  readonly model: Model;
  readonly name: string;
  readonly why: string;
  /** Whether it is no language model, but rules that only know the demo. */
  readonly isRules: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What a key of a provider brings: its newest small model, unless KUMIKO_MODEL names another. */
const providers = [
  { key: "OPENAI_API_KEY", name: "gpt-5-mini", modelOf: openai },
  { key: "ANTHROPIC_API_KEY", name: "claude-haiku-4-5", modelOf: anthropic },
  { key: "GOOGLE_GENERATIVE_AI_API_KEY", name: "gemini-2.5-flash", modelOf: google },
  { key: "XAI_API_KEY", name: "grok-4-fast", modelOf: xai },
] as const;

/** A server of one's own first, then the first provider that there is a key for, and otherwise rules that need neither. */
export async function chooseModel(env: Environment, wordsPerSecond?: number): Promise<ChosenModel> {
  const { KUMIKO_BASE_URL: baseURL, KUMIKO_MODEL, KUMIKO_API_KEY: apiKey } = env;
  if (baseURL) {
    const name = KUMIKO_MODEL || (await firstModelOf(baseURL, apiKey));
    const model = createOpenAICompatible({ name: "local", baseURL, ...(apiKey && { apiKey }) })(name);
    return { model, name, why: `KUMIKO_BASE_URL is ${baseURL}`, isRules: false };
  }
  const found = providers.find(({ key }) => env[key]);
  if (found !== undefined) {
    const name = KUMIKO_MODEL || found.name;
    return { model: found.modelOf(name), name, why: `${found.key} is set`, isRules: false };
  }
  const why = "neither KUMIKO_BASE_URL nor the key of a provider is set (--help lists them)";
  return {
    model: localModel({ wordsPerSecond }),
    name: "local rules in place of a language model",
    why,
    isRules: true,
  };
}

/** What a server offers that speaks the API of OpenAI. */
async function firstModelOf(baseURL: string, apiKey: string | undefined): Promise<string> {
  const url = `${baseURL.replace(/\/+$/, "")}/models`;
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(5_000) });
    if (!response.ok) throw new Error(`it answers ${response.status} ${response.statusText}`);
    const { data } = (await response.json()) as { readonly data?: readonly { readonly id?: string }[] };
    const name = data?.[0]?.id;
    if (name === undefined) throw new Error("it lists no models");
    return name;
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
    throw new Error(
      `KUMIKO_BASE_URL is ${baseURL}, but ${url} cannot be read: ${reason}. Start the server, name a model with KUMIKO_MODEL, or unset KUMIKO_BASE_URL.`,
    );
  }
}
