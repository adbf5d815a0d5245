import { join } from "node:path";
import { openai } from "@ai-sdk/openai";
import { memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { cassette } from "kumiko/evals";
import type { Model } from "kumiko/models";

/** Any model of the AI SDK: @ai-sdk/anthropic, @ai-sdk/google, a server of your own. */
export const model = openai("gpt-5");
export const hasKey = (process.env.OPENAI_API_KEY ?? "") !== "";

/**
 * Answers in files, for tests and for a start without a key. With a key, a test records what is missing in tape/; where CI is set,
 * it never asks a model. What comes with this project was written by hand, as a model could have answered.
 */
export const tape = cassette(join(import.meta.dirname, "tape"), hasKey ? {} : { mode: "replay" });
/** What it knows, one after the other, as long as the instructions are as they are. */
export const knownQuestions = ["Which green teas do you have?", "And which one is the mildest?"];

/** It remembers each thread. memoryStore keeps them until the program ends; sqliteStore and postgresStore keep them longer. */
export const teaShop = (given: Model) =>
  createAgent({
    model: given,
    instructions:
      "You advise the guests of a small tea shop. It has sencha, gyokuro and houjicha. Answer in one sentence.",
    store: memoryStore(),
  });
