import { join } from "node:path";
import { openai } from "@ai-sdk/openai";
import { createTool } from "kumiko";
import { createAgent } from "kumiko/agents";
import { cassette } from "kumiko/evals";
import type { Model } from "kumiko/models";
import { z } from "zod";

/** Any model of the AI SDK: @ai-sdk/anthropic, @ai-sdk/google, a server of your own. */
export const model = openai("gpt-5");
export const hasKey = (process.env.OPENAI_API_KEY ?? "") !== "";

/**
 * Answers in files, for tests and for a start without a key. With a key, a test records what is missing in tape/; where CI is set,
 * it never asks a model. What comes with this project was written by hand, as a model could have answered.
 */
export const tape = cassette(join(import.meta.dirname, "tape"), hasKey ? {} : { mode: "replay" });
/** What it knows, as long as instructions and tools are as they are. */
export const knownQuestions = ["What is the weather in Kyoto?"];

const getWeather = createTool({
  id: "get_weather",
  description: "Current weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, celsius: 21, sky: "clear" }),
});

export const weatherAgent = (given: Model) =>
  createAgent({ model: given, tools: [getWeather], instructions: "Answer in one sentence." });
