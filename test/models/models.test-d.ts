import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createAnthropic as createAnthropic3 } from "ai-sdk-anthropic-3";
import { createOpenAI as createOpenAI2 } from "ai-sdk-openai-2";
import { type AgenticMessage, type AgenticModel, Chain, type Embedder, type Runnable, runnable } from "kumiko";
import {
  aiSdkEmbedder,
  aiSdkModel,
  costOf,
  fallbackModel,
  InvalidOutputError,
  isRetryableModelError,
  limitModel,
  retryModel,
  structured,
} from "kumiko/models";
import type { StandardIssue } from "kumiko/schema";
import pLimit from "p-limit";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";

declare const own: AgenticModel;
declare const messages: readonly AgenticMessage[];
declare const error: unknown;
const openai = createOpenAI();

it("takes models of the specs V2, V3 and V4 as their packages type them", () => {
  expectTypeOf(aiSdkModel(openai("gpt-5"))).toEqualTypeOf<AgenticModel>();
  expectTypeOf(aiSdkModel(createOpenAI2()("gpt-5"))).toEqualTypeOf<AgenticModel>();
  expectTypeOf(aiSdkModel(createAnthropic3()("claude-opus-4-5"))).toEqualTypeOf<AgenticModel>();
  expectTypeOf(aiSdkModel(createAnthropic()("claude-opus-4-5"))).toEqualTypeOf<AgenticModel>();
  expectTypeOf(aiSdkEmbedder(openai.embedding("text-embedding-3-small"))).toExtend<Embedder<never>>();
  expectTypeOf(aiSdkEmbedder(createOpenAI2().textEmbedding("text-embedding-3-small"))).toExtend<Embedder<never>>();
});

it("takes no names, providers or models of another kind", () => {
  // @ts-expect-error a name is no model
  aiSdkModel("gpt-5");
  // @ts-expect-error a provider is no model
  aiSdkModel(openai);
  // @ts-expect-error an embedding model writes nothing
  aiSdkModel(openai.embedding("text-embedding-3-small"));
  // @ts-expect-error a language model gives no vectors
  aiSdkEmbedder(openai("gpt-5"));
  // @ts-expect-error a model of ours needs no adapter
  aiSdkModel(own);
});

it("wraps models of both kinds into models", () => {
  expectTypeOf(retryModel(own)).toEqualTypeOf<AgenticModel>();
  expectTypeOf(
    retryModel(openai("gpt-5"), { attempts: 5, retryOn: (_, { attempt }) => attempt < 3 }),
  ).toEqualTypeOf<AgenticModel>();
  expectTypeOf(fallbackModel([own, openai("gpt-5")], { afterContent: "restart" })).toEqualTypeOf<AgenticModel>();
  expectTypeOf(limitModel(own, pLimit(2))).toEqualTypeOf<AgenticModel>();
  new Chain<AgenticMessage[]>().appendModel(retryModel(fallbackModel([own]))).compile();
  // @ts-expect-error nodes buffer, models do not
  retryModel(own, { buffer: true });
  // @ts-expect-error one of two words
  fallbackModel([own], { afterContent: "retry" });
  // @ts-expect-error a list of models
  fallbackModel(own);
  // @ts-expect-error a number is no limit
  limitModel(own, 5);
});

it("types an output by its schema", () => {
  const forecast = structured(own, z.object({ city: z.string(), celsius: z.number().default(0) }));
  expectTypeOf(forecast).toEqualTypeOf<Runnable<readonly AgenticMessage[], { city: string; celsius: number }>>();
  expectTypeOf(structured(openai("gpt-5"), z.array(z.string())).invoke(messages)).resolves.toEqualTypeOf<string[]>();
  expectTypeOf(structured(own, { type: "object" }).invoke(messages)).resolves.toEqualTypeOf<unknown>();
  expectTypeOf(
    new Chain<AgenticMessage[]>()
      .append(forecast)
      .append(({ celsius }) => celsius)
      .compile(),
  ).toExtend<Runnable<AgenticMessage[], number>>();
  // @ts-expect-error a schema is no text
  structured(own, "forecast");
  // @ts-expect-error a number of repairs
  structured(own, z.string(), { outputRepairs: true });
});

it("narrows errors, and counts costs", () => {
  if (InvalidOutputError.is(error)) expectTypeOf(error.issues).toEqualTypeOf<readonly StandardIssue[]>();
  expectTypeOf(isRetryableModelError(error)).toEqualTypeOf<boolean>();
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
  expectTypeOf(costOf({ "openai/gpt-5": usage }, { "openai/gpt-5": { input: 1, output: 2 } })).toEqualTypeOf<number>();
  // @ts-expect-error a price has two sides
  costOf({ "openai/gpt-5": usage }, { "openai/gpt-5": { input: 1 } });
});

it("makes a Runnable of a component", () => {
  expectTypeOf(runnable(own)).toEqualTypeOf<Runnable<readonly AgenticMessage[], AgenticMessage>>();
  expectTypeOf(runnable(aiSdkEmbedder(openai.embedding("m")))).toEqualTypeOf<Runnable<readonly string[], number[][]>>();
  // @ts-expect-error a function becomes a Runnable with lambda
  runnable((text: string) => text);
});
