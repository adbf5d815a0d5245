import { assistantMessage, createTool, memoryStore } from "kumiko";
import { createAgent, overBudget, subAgents } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, weatherCall, weatherTool } from "./agents.js";

const used = (totalTokens: number) => ({
  responseMeta: { tokenUsage: { promptTokens: totalTokens - 1, completionTokens: 1, totalTokens } },
});
const calling = (tokens: number) => assistantMessage([weatherCall("1", "Kyoto")], used(tokens));

describe("overBudget", () => {
  it("ends the turn after the round in which it is exceeded", async () => {
    const { tool, ran } = weatherTool();
    const model = scriptedModel(calling(40), calling(60), calling(1), "Never.");
    const agent = createAgent({ model, tools: [tool], stopWhen: overBudget({ tokens: 100 }) });
    const result = await agent.generate("Go");
    expect(result).toMatchObject({ finishReason: "stop_when", usage: { totalTokens: 101 } });
    expect(ran).toHaveLength(3);
  });

  it.each(["a task", "a tool"])("counts inner agents: %s", async (how) => {
    const { tool } = weatherTool();
    const inner = createAgent({
      name: "inner",
      description: "Works.",
      model: scriptedModel(calling(90), assistantMessage("Hot.", used(20))),
      tools: [tool],
    });
    const asked =
      how === "a task" ? call("1", "task", { agent: "inner", prompt: "Go" }) : call("1", "inner", { prompt: "Go" });
    const agent = createAgent({
      model: scriptedModel(assistantMessage([asked], used(5)), "Never."),
      ...(how === "a task" ? { middleware: [subAgents({ agents: [inner] })] } : { tools: [inner.asTool()] }),
      stopWhen: [overBudget({ tokens: 100 })],
    });
    expect(await agent.generate("Go")).toMatchObject({ finishReason: "stop_when", usage: { totalTokens: 115 } });
  });

  it("counts what was used before a resume, and each turn anew", async () => {
    const store = memoryStore();
    const approve = createTool({
      id: "approve",
      description: "",
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => "ok",
    });
    const asking = assistantMessage([call("1", "approve")], used(101));
    const make = (model: ReturnType<typeof scriptedModel>) =>
      createAgent({ model, tools: [approve], stopWhen: overBudget({ tokens: 100 }), store });
    const held = await make(scriptedModel(asking)).generate("Go", { threadId: "t" });
    const agent = make(scriptedModel("Next turn."));
    const result = await agent.resume({ threadId: "t" }, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(result.finishReason).toBe("stop_when");
    expect(await agent.generate("On", { threadId: "t" })).toMatchObject({ finishReason: "stop", text: "Next turn." });
  });

  it.each([{ tokens: 0 }, { tokens: 1.5 }, { tokens: "9" }, {}, undefined, { tokens: 5, tokns: 5 }])(
    "refuses %j",
    (options) => {
      expect(() => overBudget(options as never)).toThrow(/overBudget/);
    },
  );
});
