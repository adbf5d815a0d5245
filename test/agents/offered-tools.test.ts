import { createTool, memoryStore, toolResultsOf } from "kumiko";
import { type AgentOptions, createAgent, createMiddleware } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { call, weatherTool } from "./agents.js";

/** Hides all tools of a step but these. */
const offering = (...tools: string[]) => createMiddleware({ name: "offering", beforeStep: () => ({ tools }) });

function toolsOf() {
  const open = weatherTool();
  const hidden = weatherTool();
  const pay = weatherTool({ requireApproval: true });
  return { tools: { open: open.tool, hidden: hidden.tool, pay: pay.tool }, open, hidden, pay };
}

const kinds = (result: { messages: Parameters<typeof toolResultsOf>[0][] }) =>
  result.messages.flatMap(toolResultsOf).map(({ name, errorKind, result: text }) => [name, errorKind ?? text]);

describe("a call of a tool that its step does not offer", () => {
  const both = [call("1", "hidden", { city: "Nara" }), call("2", "open", { city: "Uji" })];

  it("is a call of an unknown tool, whose result names those on offer", async () => {
    for (const way of ["generate", "stream"] as const) {
      const { tools, open, hidden } = toolsOf();
      const model = scriptedModel(both, "Done.");
      const agent = createAgent({ model, tools, store: memoryStore(), middleware: [offering("open")] });
      const result = way === "generate" ? await agent.generate("Go") : await agent.stream("Go").result;
      expect(kinds({ messages: [...result.messages] })).toEqual([
        ["hidden", "unknown_tool"],
        ["open", "Uji: 21 °C"],
      ]);
      const [unknown] = result.messages.flatMap(toolResultsOf);
      expect(unknown?.result).toContain('"open"');
      expect(unknown?.result).not.toContain('"pay"');
      expect([open.ran, hidden.ran]).toEqual([["Uji"], []]);
    }
  });

  it("is one in a step that offers nothing, and a transfer is one, too", async () => {
    const { tools, open } = toolsOf();
    const other = createAgent({ name: "other", model: scriptedModel("From the other.") });
    const calls = [call("1", "open", { city: "Nara" }), call("2", "transfer_to_other")];
    const model = scriptedModel(calls, "Done.");
    const options = { tools, handoffs: [other], store: memoryStore() };
    const result = await createAgent({ model, ...options, middleware: [offering()] }).generate("Go");
    expect(result).toMatchObject({ text: "Done.", agent: "agent" });
    expect(kinds({ messages: [...result.messages] })).toEqual([
      ["open", "unknown_tool"],
      ["transfer_to_other", "unknown_tool"],
    ]);
    expect(open.ran).toEqual([]);
  });

  it("is asked of the handler of unknown tools", async () => {
    const { tools, hidden } = toolsOf();
    const asked: string[] = [];
    const unknownToolsHandler: NonNullable<AgentOptions["toolsNode"]>["unknownToolsHandler"] = (name) => {
      asked.push(name);
      return "Not now.";
    };
    const model = scriptedModel(both, "Done.");
    const agent = createAgent({
      model,
      tools,
      store: memoryStore(),
      toolsNode: { unknownToolsHandler },
      middleware: [offering("open")],
    });
    expect(kinds({ messages: [...(await agent.generate("Go")).messages] })[0]).toEqual(["hidden", "Not now."]);
    expect(asked).toEqual(["hidden"]);
    expect(hidden.ran).toEqual([]);
  });

  it("is one after a resume, in a process that never saw the step", async () => {
    for (const inList of [false, true]) {
      const ran: string[] = [];
      const toolNamed = (id: string, requireApproval = false) =>
        createTool({ id, description: "", requireApproval, execute: () => ran.push(id) });
      const list = [toolNamed("hidden"), toolNamed("pay", true)];
      const tools = inList ? list : Object.fromEntries(list.map((tool) => [tool.id, tool]));
      const store = memoryStore();
      const build = (model: ReturnType<typeof scriptedModel>) =>
        createAgent({ model, tools, store, middleware: [offering("pay")] });
      const held = await build(scriptedModel([call("1", "hidden"), call("2", "pay")])).generate("Go", {
        threadId: "t",
      });
      const answers = Object.fromEntries(held.interrupts.map(({ id }) => [id, { approved: true }]));
      const result = await build(scriptedModel("Done.")).resume({ threadId: "t" }, answers);
      expect(kinds({ messages: [...result.messages] })).toEqual([
        ["hidden", "unknown_tool"],
        ["pay", "1"],
      ]);
      expect(ran).toEqual(["pay"]);
    }
  });

  it("runs again in a step that offers it", async () => {
    const { tools, hidden } = toolsOf();
    const later = createMiddleware({
      name: "later",
      beforeStep: ({ steps }) => (steps.length === 0 ? { tools: ["open"] } : undefined),
    });
    const once = [call("1", "hidden", { city: "Nara" })];
    const again = [call("2", "hidden", { city: "Uji" })];
    const model = scriptedModel(once, again, "Done.");
    const agent = createAgent({ model, tools, store: memoryStore(), middleware: [later] });
    await agent.generate("Go");
    expect(hidden.ran).toEqual(["Uji"]);
  });
});
