import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAI as createOpenAI2 } from "ai-sdk-openai-2";
import { createOpenAI as createOpenAI3 } from "ai-sdk-openai-3";
import { runnable } from "kumiko";
import { type AiSdkEmbedderOptions, type AiSdkEmbeddingModel, aiSdkEmbedder } from "kumiko/models";
import { expect, it } from "vitest";
import { failureOf } from "./attempts.js";
import { ReplayServer } from "./replay/replay-server.js";

interface Call {
  readonly values: readonly string[];
  readonly abortSignal: AbortSignal;
}

interface Settings {
  readonly most?: number;
  readonly parallel?: boolean;
  readonly answer?: (call: Call) => Promise<unknown>;
}

function fakeEmbedder({ most, parallel = false, answer = lengths }: Settings = {}) {
  const calls: Call[] = [];
  const model: AiSdkEmbeddingModel = {
    specificationVersion: "v3",
    provider: "fake.embedding",
    modelId: "small",
    maxEmbeddingsPerCall: Promise.resolve(most),
    supportsParallelCalls: parallel,
    doEmbed: ((call: Call) => {
      calls.push(call);
      return answer(call);
    }) as AiSdkEmbeddingModel["doEmbed"],
  };
  return { model, calls, embed: runnable(aiSdkEmbedder(model)) };
}

const lengths = async ({ values }: Call): Promise<unknown> => ({ embeddings: values.map((value) => [value.length]) });

it("gives a vector for each text", async () => {
  const { embed, calls } = fakeEmbedder();
  await expect(embed.invoke(["a", "bc", ""])).resolves.toEqual([[1], [2], [0]]);
  expect(calls).toHaveLength(1);
  await expect(embed.invoke([])).resolves.toEqual([]);
  expect(calls).toHaveLength(1);
});

it("splits what is more than the model takes, and keeps the order whichever call ends first", async () => {
  let open = 0;
  let most = 0;
  const answer = async (call: Call): Promise<unknown> => {
    open += 1;
    most = Math.max(most, open);
    for (let turn = call.values[0]?.length ?? 0; turn < 5; turn += 1) await Promise.resolve();
    open -= 1;
    return lengths(call);
  };
  const texts = ["a", "bb", "ccc", "dddd", "eeeee"];
  const vectors = texts.map(({ length }) => [length]);
  await expect(fakeEmbedder({ most: 2, parallel: true, answer }).embed.invoke(texts)).resolves.toEqual(vectors);
  expect(most).toBe(3);
  most = 0;
  const inTurn = fakeEmbedder({ most: 2, answer });
  await expect(inTurn.embed.invoke(texts)).resolves.toEqual(vectors);
  expect(most).toBe(1);
  expect(inTurn.calls.map(({ values }) => values.length)).toEqual([2, 2, 1]);
});

it("stops the other calls when one fails", async () => {
  const broken = new Error("no luck");
  const answer = ({ values, abortSignal }: Call): Promise<unknown> =>
    values[0] === "a"
      ? Promise.reject(broken)
      : new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason)));
  const { embed, calls } = fakeEmbedder({ most: 1, parallel: true, answer });
  expect(await failureOf(embed.invoke(["a", "b"]))).toBe(broken);
  expect(calls[1]?.abortSignal.aborted).toBe(true);
});

it("fails when there are not as many vectors as texts", async () => {
  const { embed } = fakeEmbedder({ answer: async () => ({ embeddings: [[1]] }) });
  expect(await failureOf(embed.invoke(["a", "b"]))).toMatchObject({
    code: "MODEL_FAILED",
    message: expect.stringMatching(/returned 1 embeddings for 2 texts/),
  });
});

it("sends the options of its call", async () => {
  const { embed, calls } = fakeEmbedder();
  const options: AiSdkEmbedderOptions = { headers: { "x-a": "b" }, providerOptions: { openai: { dimensions: 2 } } };
  await embed.invoke(["a"], { options: { embedder: { ...options } } });
  expect(calls[0]).toMatchObject({ values: ["a"], ...options });
});

it("refuses what is no embedding model", () => {
  expect(() => aiSdkEmbedder("small" as never)).toThrow(/aiSdkEmbedder takes a model, not the name of one/);
  expect(() => aiSdkEmbedder({} as never)).toThrow(/no doEmbed/);
});

it.each([
  ["V2", (settings: object) => createOpenAI2(settings).textEmbedding("text-embedding-3-small")],
  ["V3", (settings: object) => createOpenAI3(settings).embedding("text-embedding-3-small")],
  ["V4", (settings: object) => createOpenAI(settings).embedding("text-embedding-3-small")],
])("works with a real package of spec %s", async (_, make) => {
  const server = new ReplayServer();
  const baseURL = await server.start();
  const data = [{ embedding: [0.5, 0.25], index: 0, object: "embedding" }];
  const body = JSON.stringify({ object: "list", data, model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } });
  server.answer({ body, contentType: "application/json" });
  await expect(runnable(aiSdkEmbedder(make({ baseURL, apiKey: "test" }))).invoke(["Hi"])).resolves.toEqual([
    [0.5, 0.25],
  ]);
  expect(server.requests[0]?.body).toMatchObject({ input: ["Hi"] });
  await server.stop();
});
