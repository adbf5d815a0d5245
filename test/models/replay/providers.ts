import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createXai } from "@ai-sdk/xai";
import { createAnthropic as createAnthropic2 } from "ai-sdk-anthropic-2";
import { createAnthropic as createAnthropic3 } from "ai-sdk-anthropic-3";
import { createGoogleGenerativeAI as createGoogle2 } from "ai-sdk-google-2";
import { createOpenAI as createOpenAI2 } from "ai-sdk-openai-2";
import { createOpenAI as createOpenAI3 } from "ai-sdk-openai-3";
import { createOpenAICompatible as createOpenAICompatible1 } from "ai-sdk-openai-compatible-1";
import type { AiSdkModel } from "kumiko/models";
import type { Recording } from "./recordings.js";

/** A real provider package, talking to a server on this machine. */
export interface Provider {
  /** The package and the version of its spec. */
  readonly name: string;
  reads(recording: Recording): boolean;
  model(baseURL: string): AiSdkModel;
}

const apiKey = "test";
const isXai = ({ name }: Recording): boolean => name.startsWith("xai-");
const at =
  (endpoint: Recording["endpoint"], matches: (recording: Recording) => boolean = () => true) =>
  (recording: Recording): boolean =>
    recording.endpoint === endpoint && matches(recording);
const notXai = (recording: Recording): boolean => !isXai(recording);

/** Packages of the specs V2, V3 and V4, and the recordings that each of them can read. */
export const providers: readonly Provider[] = [
  {
    name: "openai 2 (responses, v2)",
    reads: at("openai-responses", notXai),
    model: (baseURL) => createOpenAI2({ baseURL, apiKey }).responses("gpt-5"),
  },
  {
    name: "openai 3 (responses, v3)",
    reads: at("openai-responses", notXai),
    model: (baseURL) => createOpenAI3({ baseURL, apiKey }).responses("gpt-5"),
  },
  {
    name: "openai 4 (responses, v4)",
    reads: at("openai-responses", notXai),
    model: (baseURL) => createOpenAI({ baseURL, apiKey }).responses("gpt-5"),
  },
  {
    name: "xai 5 (responses, v4)",
    reads: at("openai-responses", isXai),
    model: (baseURL) => createXai({ baseURL, apiKey }).responses("grok-4"),
  },
  {
    name: "openai 2 (chat, v2)",
    reads: at("openai-chat"),
    model: (baseURL) => createOpenAI2({ baseURL, apiKey }).chat("gpt-5"),
  },
  {
    name: "openai 4 (chat, v4)",
    reads: at("openai-chat"),
    model: (baseURL) => createOpenAI({ baseURL, apiKey }).chat("gpt-5"),
  },
  {
    name: "openai-compatible 1 (v2)",
    reads: at("openai-chat"),
    model: (baseURL) => createOpenAICompatible1({ name: "local", baseURL, apiKey }).chatModel("local"),
  },
  {
    name: "openai-compatible 3 (v4)",
    reads: at("openai-chat"),
    model: (baseURL) => createOpenAICompatible({ name: "local", baseURL, apiKey }).chatModel("local"),
  },
  {
    name: "anthropic 2 (v2)",
    reads: at("anthropic-messages"),
    model: (baseURL) => createAnthropic2({ baseURL, apiKey })("claude-opus-4-5"),
  },
  {
    name: "anthropic 3 (v3)",
    reads: at("anthropic-messages"),
    model: (baseURL) => createAnthropic3({ baseURL, apiKey })("claude-opus-4-5"),
  },
  {
    name: "anthropic 4 (v4)",
    reads: at("anthropic-messages"),
    model: (baseURL) => createAnthropic({ baseURL, apiKey })("claude-opus-4-5"),
  },
  {
    name: "google 2 (v2)",
    reads: at("google-generate-content"),
    model: (baseURL) => createGoogle2({ baseURL, apiKey })("gemini-3-pro-preview"),
  },
  {
    name: "google 4 (v4)",
    reads: at("google-generate-content"),
    model: (baseURL) => createGoogleGenerativeAI({ baseURL, apiKey })("gemini-3-pro-preview"),
  },
];
