import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockLanguageModelV3 } from "ai/test";
import { Levenshtein } from "autoevals";
import { assistantMessage, createTool, functionToolCall, functionToolResult, userMessage } from "kumiko";
import { createAgent } from "kumiko/agents";
import { cassette, evaluate } from "kumiko/evals";
import { toModel } from "kumiko/models";
import { scriptedModel, toolContext } from "kumiko/testing";
import { exactMatch } from "openevals";
import { expect, test } from "vitest";
import { z } from "zod";

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), "tape-")), "tape");
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

test("a name is resolved by the runtime of the run, and 1,000 files or cases are fast", async () => {
  expect(toModel("a:b").type).toBe("a/b");
  const folder = newFolder();
  const tape = cassette(folder, { mode: "auto" });
  const model = tape.model({ component: "model", type: "m", generate: async () => assistantMessage("x") });
  const ctx = toolContext() as never;
  for (let index = 0; index < 1_000; index++) await model.generate([userMessage(`question ${index}`)], ctx);
  const replay = cassette(folder, { mode: "replay" }).model({
    component: "model",
    type: "m",
    generate: async () => assistantMessage("y"),
  });
  await replay.generate([userMessage("question 0")], ctx);
  const start = performance.now();
  for (let index = 0; index < 200; index++) await replay.generate([userMessage(`question ${index}`)], ctx);
  const perCall = (performance.now() - start) / 200;
  const app = evaluate({ run: async () => 1, scorers: { one: () => 1 } });
  await app.invoke([]);
  const begun = performance.now();
  await app.invoke(Array.from({ length: 1_000 }, () => ({ input: "" })));
  const cases = performance.now() - begun;
  console.log(`replayed call ${perCall.toFixed(3)} ms, 1,000 cases ${cases.toFixed(0)} ms`);
  expect(perCall).toBeLessThan(20);
  expect(cases).toBeLessThan(5_000);
});
