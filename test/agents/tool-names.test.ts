import { createTool, type ModelContext, memoryStore } from "kumiko";
import { approvals, calledTool, clearToolResults, createAgent, createMiddleware } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { call, resultTexts } from "./agents.js";

const toolNamed = (id: string) => createTool({ id, description: "Looks.", execute: () => `ran ${id}` });

/** Calls the first tool that it is offered. */
const callsFirst = (_messages: unknown, { options }: ModelContext) => [call("1", options.tools?.[0]?.name ?? "")];

describe.each(["repo.search", "x".repeat(80)])("a tool that models know by another name than %s", (id) => {
  const tools = [toolNamed(id)];

  it("returns directly, stops, and asks by its own name", async () => {
    const model = () => scriptedModel(callsFirst, "Not asked.");
    const returned = await createAgent({ model: model(), tools, returnDirectly: [id] }).generate("Go");
    expect(returned).toMatchObject({ finishReason: "returned", text: `ran ${id}` });
    const stopped = await createAgent({ model: model(), tools, stopWhen: calledTool(id) }).generate("Go");
    expect(stopped.finishReason).toBe("stop_when");
    const composed = await createAgent({ model: model(), tools, stopWhen: (run) => calledTool(id)(run) }).generate(
      "Go",
    );
    expect(composed.finishReason).toBe("stop_when");
    const rules = [{ tool: id, action: "ask" } as const];
    const asking = createAgent({ model: model(), tools, middleware: [approvals({ rules })], store: memoryStore() });
    expect((await asking.generate("Go")).finishReason).toBe("waiting");
  });

  it("does so too where it is called by an alias", async () => {
    const toolsNode = { toolAliases: { [id]: { nameAliases: ["nick"] } } };
    const model = () => scriptedModel([call("1", "nick")], "Not asked.");
    const returned = await createAgent({ model: model(), tools, toolsNode, returnDirectly: [id] }).generate("Go");
    expect(returned.finishReason).toBe("returned");
    const stopped = await createAgent({ model: model(), tools, toolsNode, stopWhen: calledTool(id) }).generate("Go");
    expect(stopped.finishReason).toBe("stop_when");
  });

  it("is chosen by its own name in beforeStep", async () => {
    const model = scriptedModel("Hi.");
    const chooser = createMiddleware({
      name: "chooser",
      beforeStep: () => ({ tools: [id], toolChoice: { toolNames: [id] } }),
    });
    await createAgent({ model, tools: [toolNamed("other"), ...tools], middleware: [chooser] }).generate("Go");
    const { tools: offered = [], toolChoice } = model.calls[0]?.options ?? {};
    expect(offered).toHaveLength(1);
    expect(toolChoice).toEqual({ toolNames: offered.map(({ name }) => name) });
  });

  it("keeps its results where clearToolResults leaves them out by its own name", async () => {
    const model = scriptedModel(callsFirst, callsFirst, callsFirst, "Done.");
    const clear = clearToolResults({ atTokens: 1, keepRounds: 1, exclude: [id] });
    await createAgent({ model, tools, middleware: [clear] }).generate("Go");
    expect(resultTexts(model.calls.at(-1)?.messages ?? [])).toEqual([`ran ${id}`, `ran ${id}`, `ran ${id}`]);
  });
});

it("an agent with a long name is handed over to", async () => {
  const name = "b".repeat(64);
  const other = createAgent({ name, description: "Has a long name.", model: scriptedModel("Here.") });
  const agent = createAgent({ name: "a", model: scriptedModel(callsFirst), handoffs: [other] });
  expect(await agent.generate("Go")).toMatchObject({ agent: name, text: "Here." });
});

it("clearToolResults takes a list of names", () => {
  expect(() => clearToolResults({ atTokens: 1, exclude: "search" as never })).toThrow("exclude of clearToolResults");
});
