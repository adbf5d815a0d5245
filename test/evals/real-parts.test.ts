import { readdirSync, rmSync } from "node:fs";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Levenshtein } from "autoevals";
import fc from "fast-check";
import { assistantMessage, createTool, functionToolCall, functionToolResult, Runtime, userMessage } from "kumiko";
import { createAgent } from "kumiko/agents";
import { cassette, evaluate } from "kumiko/evals";
import { scriptedModel, toolContext } from "kumiko/testing";
import { exactMatch } from "openevals";
import { expect, test } from "vitest";
import { z } from "zod";
import { newFolder } from "./temporary-folder.js";

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 2, text: 2, reasoning: undefined },
};

test("scorers of autoevals and openevals work as they are", async () => {
  const report = await evaluate({
    run: async ({ input }) => input,
    scorers: { levenshtein: Levenshtein, exactMatch },
  }).invoke([
    { input: "kitten", expected: "sitting" },
    { input: "same", expected: "same" },
  ]);
  expect(report.results.map(({ scores }) => [scores.levenshtein?.score, scores.exactMatch?.score])).toEqual([
    [expect.closeTo(4 / 7), 0],
    [1, 1],
  ]);
});

test("a model of the AI SDK is called once, and by its provider and name", async () => {
  let calls = 0;
  const model = () =>
    new MockLanguageModelV3({
      provider: "mock",
      modelId: "one",
      doGenerate: async () => {
        calls += 1;
        return {
          content: [{ type: "text", text: "Hello!" }],
          finishReason: { unified: "stop", raw: "stop" },
          usage,
          warnings: [],
        };
      },
    });
  const folder = newFolder();
  for (const mode of ["auto", "auto", "replay"] as const) {
    const agent = createAgent({ model: cassette(folder, { mode }).model(model()) });
    const { text, usage: used } = await agent.generate("Hi");
    expect([text, used.totalTokens]).toEqual(["Hello!", 5]);
  }
  expect(calls).toBe(1);
  const other = new MockLanguageModelV3({ provider: "mock", modelId: "two" });
  await expect(
    createAgent({ model: cassette(folder, { mode: "replay" }).model(other) }).generate("Hi"),
  ).rejects.toThrow(/mock\/one/);
});

test("call ids, key order and the dialect of schemas make no other request; prompts and options do", async () => {
  const folder = newFolder();
  const tape = cassette(folder, { mode: "auto" });
  const model = tape.model(scriptedModel(...Array.from({ length: 20 }, () => "x")));
  const ask = (id: string, args: string, order: boolean, options: object = {}) => {
    const fields = order ? { a: z.string(), b: z.number() } : { b: z.number(), a: z.string() };
    const info = createTool({ id: "t", description: "d", inputSchema: z.object(fields) }).info;
    const other = createTool({ id: "u", description: "e" }).info;
    const messages = [
      userMessage("Hi"),
      assistantMessage([functionToolCall({ callId: id, name: "t", arguments: args })]),
      userMessage([functionToolResult({ callId: id, name: "t", result: "1" })]),
    ];
    const ctx = toolContext().with({ options: { tools: order ? [info, other] : [other, info], ...options } });
    return model.generate(messages, ctx as never);
  };
  await ask("call_1", '{"a":"x","b":1}', true);
  await ask("other", '{"b":1, "a":"x"}', false, { headers: { authorization: "x" } });
  expect(readdirSync(folder).filter((name) => name.startsWith("model-"))).toHaveLength(1);
  await ask("call_1", '{"a":"y","b":1}', true);
  await ask("call_1", '{"a":"x","b":1}', true, { temperature: 1 });
  expect(readdirSync(folder).filter((name) => name.startsWith("model-"))).toHaveLength(3);
});

test("a model of the AI SDK streams the same again, with its tools", async () => {
  let calls = 0;
  const parts = (...given: LanguageModelV3StreamPart[]) => ({
    stream: simulateReadableStream<LanguageModelV3StreamPart>({
      chunks: [
        { type: "stream-start", warnings: [] },
        ...given,
        { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
      ],
    }),
  });
  const model = () =>
    new MockLanguageModelV3({
      provider: "mock",
      modelId: "one",
      doStream: async ({ prompt }) => {
        calls += 1;
        if (prompt.at(-1)?.role !== "tool") {
          return parts({ type: "tool-call", toolCallId: `call-${calls}`, toolName: "lookup", input: '{"id":7}' });
        }
        return parts(
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "It costs " },
          { type: "text-delta", id: "t", delta: "5 euros." },
          { type: "text-end", id: "t" },
        );
      },
    });
  const lookup = createTool({
    id: "lookup",
    description: "Finds a price.",
    inputSchema: z.object({ id: z.number() }),
    execute: async ({ id }) => ({ id, euros: 5 }),
  });
  const folder = newFolder();
  const seen: string[][] = [];
  for (const mode of ["auto", "replay"] as const) {
    const agent = createAgent({ model: cassette(folder, { mode }).model(model()), tools: [lookup] });
    const pieces: string[] = [];
    for await (const piece of agent.stream("What does it cost?").textStream) pieces.push(piece);
    seen.push(pieces);
  }
  expect(seen).toEqual([
    ["It costs ", "5 euros."],
    ["It costs ", "5 euros."],
  ]);
  expect(calls).toBe(2);
});

test("a name is resolved by the runtime of the run, and the key has what it stands for", async () => {
  const folder = newFolder();
  let calls = 0;
  const runtimeOf = (modelId: string) =>
    new Runtime({
      models: () =>
        new MockLanguageModelV3({
          provider: "mock",
          modelId,
          doGenerate: async () => {
            calls += 1;
            const finishReason = { unified: "stop", raw: "stop" } as const;
            return { content: [{ type: "text", text: modelId }], finishReason, usage, warnings: [] };
          },
        }),
    });
  const ask = async (mode: "auto" | "replay", modelId: string) => {
    const model = cassette(folder, { mode }).model("house:best");
    return (await createAgent({ model, runtime: runtimeOf(modelId) }).generate("Hi")).text;
  };
  expect([await ask("auto", "one"), await ask("replay", "one"), calls]).toEqual(["one", "one", 1]);
  await expect(ask("replay", "two")).rejects.toThrow(/recorded: "mock\/one"\n {2}asked: {4}"mock\/two"/);
  expect(calls).toBe(1);
});

test("the order of keys, sets and tools never makes another request, and a changed value always does", async () => {
  const folder = newFolder();
  const tape = cassette(folder, { mode: "auto" });
  const model = tape.model({ component: "model", type: "m", generate: async () => assistantMessage("x") });
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, shuffled(inner)]),
    );
  };
  const countOf = async (args: unknown, required: string[], callId: string): Promise<number> => {
    const names = [...required];
    const tools = names.map((name) => ({ name, description: "d", toJsonSchema: () => ({ type: "object", required }) }));
    const messages = [
      userMessage("Hi"),
      assistantMessage([functionToolCall({ callId, name: "t", arguments: JSON.stringify(args) })]),
    ];
    await model.generate(messages, toolContext().with({ options: { tools } }) as never);
    return readdirSync(folder).filter((name) => name.startsWith("model-")).length;
  };
  const list = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), list, async (args, required) => {
      const count = await countOf({ args }, required, "call_1");
      expect(await countOf(shuffled({ args }), required.toReversed(), "other")).toBe(count);
      expect(await countOf({ args, more: 1 }, required, "call_1")).toBe(count + 1);
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 60 },
  );
});
