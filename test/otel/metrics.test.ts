import { AgenticToolsNode, assistantMessage, Chain, createTool, runnable, userMessage } from "kumiko";
import { scriptedModel } from "kumiko/testing";
import { expect, it } from "vitest";
import { agentLoop, named, toolCall } from "./programs.js";
import { record } from "./recorded.js";

const question = [userMessage("How warm is it in Kyoto?")];
const chat = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5" };

it("counts tokens, and how long answers, tools and graphs take", async () => {
  const { handler, metrics } = record();
  await agentLoop()
    .stream(question, { callbacks: [handler] })
    .concat();
  await new Promise(setImmediate);
  const points = await metrics();
  expect(Object.keys(points).sort()).toEqual([
    "gen_ai.client.operation.duration",
    "gen_ai.client.operation.time_to_first_chunk",
    "gen_ai.client.token.usage",
    "gen_ai.execute_tool.duration",
    "gen_ai.workflow.duration",
  ]);
  const usage = points["gen_ai.client.token.usage"]?.map(({ attributes, value }) => [attributes, value.sum]);
  const answered = { ...chat, "gen_ai.response.model": "gpt-5-2026" };
  expect(usage).toEqual([
    [{ ...answered, "gen_ai.token.type": "input" }, 60],
    [{ ...answered, "gen_ai.token.type": "output" }, 12],
  ]);
  expect(points["gen_ai.client.operation.duration"]).toMatchObject([{ attributes: answered, value: { count: 2 } }]);
  expect(points["gen_ai.client.operation.time_to_first_chunk"]).toMatchObject([
    { attributes: chat, value: { count: 2 } },
  ]);
  expect(points["gen_ai.execute_tool.duration"]).toMatchObject([
    { attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather" }, value: { count: 1 } },
  ]);
  expect(points["gen_ai.workflow.duration"]).toMatchObject([
    { attributes: { "gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "weather" } },
  ]);
});

it("says of what failed with which error", async () => {
  const { handler, metrics } = record();
  const slow = createTool({
    id: "slow",
    description: "Never ends.",
    timeoutMs: 1,
    execute: () => new Promise<string>(() => {}),
  });
  const chain = new Chain<ReturnType<typeof assistantMessage>>()
    .appendToolsNode(new AgenticToolsNode([slow]))
    .compile();
  const call = assistantMessage({ ...toolCall, name: "slow" });
  await expect(chain.invoke(call, { callbacks: [handler] })).rejects.toThrow();
  await expect(
    runnable(named(scriptedModel(new RangeError("no")))).invoke(question, { callbacks: [handler] }),
  ).rejects.toThrow();
  const points = await metrics();
  expect(points["gen_ai.client.operation.duration"]?.[0]?.attributes).toEqual({ ...chat, "error.type": "RangeError" });
  expect(points["gen_ai.workflow.duration"]?.[0]?.attributes).toMatchObject({ "error.type": "timeout" });
});
