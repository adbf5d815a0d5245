import { createTool, END, functionToolCall, Graph, isInterrupt, lambda, memoryStore, START } from "kumiko";
import {
  approvals,
  type CallRule,
  createAgent,
  createMiddleware,
  isClientTool,
  isMcpApproval,
  isToolApproval,
  isToolSuspended,
  messagesOf,
} from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { call, canBeSent, eventsOf, failureOf, resultTexts, weatherCall, weatherTool } from "./agents.js";

async function idsIn(store: ReturnType<typeof memoryStore>): Promise<string[]> {
  const ids: string[] = [];
  for (const prefix of ["", "~"]) for await (const id of store.list(prefix)) ids.push(id);
  return ids;
}

const askAll = approvals({ rules: [{ tool: "*", action: "ask" }] });

describe("an agent that waits", () => {
  it("is saved in one write, which is taken back where its store cannot say that it was made", async () => {
    const store = memoryStore();
    const put = vi.spyOn(store, "put");
    const { tool } = weatherTool({ requireApproval: true });
    const model = scriptedModel([weatherCall("1", "Kyoto")], [weatherCall("2", "Nara")]);
    const agent = createAgent({ model, tools: [tool], store });
    expect((await agent.generate("Weather?")).finishReason).toBe("waiting");
    expect(put).toHaveBeenCalledOnce();
    const ids = await idsIn(store);
    const write = store.put.bind(store);
    put.mockRestore();
    vi.spyOn(store, "put").mockImplementationOnce(async (...args) => {
      await write(...args);
      throw new Error("The line broke.");
    });
    expect((await failureOf(agent.generate("Weather?"))).code).toBe("STORE_FAILED");
    expect(await idsIn(store)).toEqual(ids);
  });

  it("resolves with what it waits for, and goes on with the answers", async () => {
    const store = memoryStore();
    const { tool, ran } = weatherTool({ requireApproval: true });
    const model = scriptedModel([weatherCall("1", "Kyoto"), weatherCall("2", "Nara")], "Warm.");
    const agent = createAgent({ model, tools: [tool], store });
    const held = await agent.generate("Weather?");
    expect(held.finishReason).toBe("waiting");
    if (held.finishReason !== "waiting") return;
    const [first, second] = held.interrupts;
    expect(isToolApproval(first) && first.info.input).toEqual({ city: "Kyoto" });
    expect(() => held.output).toThrow("waits");
    const half = await agent.resume(held, { [first.id]: { approved: true } });
    expect(half.finishReason).toBe("waiting");
    expect(half.interrupts.map(({ id }) => id)).toEqual([second?.id]);
    const done = await agent.resume(half, { [second?.id ?? ""]: { approved: false, reason: "too far" } });
    expect(done).toMatchObject({ finishReason: "stop", text: "Warm." });
    expect(ran).toEqual(["Kyoto"]);
    expect(resultTexts(done.messages)[1]).toContain("too far");
    expect(model.calls).toHaveLength(2);
    expect(await idsIn(store)).toEqual([]);
  });

  it("keeps nothing of a run that nobody can name and that has ended", async () => {
    const store = memoryStore();
    await createAgent({ model: scriptedModel("Hi."), store }).generate("Hi");
    await failureOf(createAgent({ model: scriptedModel(new Error("x")), retry: false, store }).generate("Hi"));
    expect(await idsIn(store)).toEqual([]);
  });

  it("tells of it in events, and goes on as events that are new", async () => {
    const { tool } = weatherTool({ requireApproval: true });
    const agent = createAgent({
      model: scriptedModel([weatherCall("1", "Kyoto")], "Warm."),
      tools: [tool],
      store: memoryStore(),
    });
    const stream = agent.stream("Weather?", { checkpointId: "w-1" });
    const events = await eventsOf(stream);
    expect(events.slice(-2)).toMatchObject([
      { type: "interrupt" },
      { type: "finish", finishReason: "waiting", checkpointId: "w-1" },
    ]);
    const held = await stream.result;
    const [question] = held.interrupts;
    const resumed = await eventsOf(agent.resumeStream("w-1", { [question?.id ?? ""]: { approved: true } }));
    expect(resumed.map(({ type }) => type)).toEqual([
      "start",
      "tool_call",
      "tool_result",
      "step_finish",
      "step_start",
      "text_delta",
      "message",
      "step_finish",
      "finish",
    ]);
    expect(resumed[0]?.seq).toBe(0);
  });

  it("does not run a finished tool again", async () => {
    const { tool, ran } = weatherTool();
    const pay = createTool({ id: "pay", description: "Pays.", requireApproval: true, execute: () => "paid" });
    const model = scriptedModel([weatherCall("1", "Kyoto"), call("2", "pay")], "Done.");
    const agent = createAgent({ model, tools: [tool, pay], store: memoryStore() });
    const held = await agent.generate("Pay");
    const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(ran).toEqual(["Kyoto"]);
    expect(resultTexts(done.messages)).toEqual(["Kyoto: 21 °C", "paid"]);
  });

  it("asks for suspended tools, client tools and MCP tools of the provider", async () => {
    const suspended = createTool({
      id: "pick",
      description: "Picks.",
      inputSchema: z.object({}),
      suspendSchema: z.object({ options: z.array(z.string()) }),
      resumeSchema: z.object({ choice: z.string() }),
      execute: async (_input, { resumeData, suspend }) =>
        resumeData === undefined ? suspend({ options: ["a", "b"] }) : resumeData.choice,
    });
    const client = createTool({ id: "locate", description: "Where the user is.", inputSchema: z.object({}) });
    const request = {
      type: "mcp_tool_approval_request",
      id: "m-1",
      name: "search",
      arguments: "{}",
      serverLabel: "docs",
    } as const;
    const model = scriptedModel([call("1", "pick"), call("2", "locate")], [request], "Done.");
    const agent = createAgent({ model, tools: [suspended, client], store: memoryStore() });
    const held = await agent.generate("Go");
    expect(held.interrupts).toHaveLength(2);
    const first = held.interrupts.find(isToolSuspended);
    const second = held.interrupts.find(isClientTool);
    const mcp = await agent.resume(held, { [first?.id ?? ""]: { choice: "b" }, [second?.id ?? ""]: "Kyoto" });
    expect(resultTexts(mcp.messages)).toEqual(["b", "Kyoto"]);
    const [third] = mcp.interrupts;
    expect(third !== undefined && isMcpApproval(third)).toBe(true);
    const done = await agent.resume(mcp, { [third?.id ?? ""]: { approved: true } });
    expect(done.text).toBe("Done.");
    expect(model.calls[2]?.messages.at(-1)?.contentBlocks).toMatchObject([
      { type: "mcp_tool_approval_response", approvalRequestId: "m-1", approve: true },
    ]);
  });

  it("needs a store before the first call of the model", async () => {
    const { tool } = weatherTool({ requireApproval: true });
    const client = createTool({ id: "locate", description: "Where the user is." });
    for (const tools of [[tool], [client]]) {
      const model = scriptedModel("never");
      expect((await failureOf(createAgent({ model, tools }).generate("Go"))).code).toBe("NO_STORE");
      expect(model.calls).toHaveLength(0);
    }
    const plain = weatherTool();
    const policy = createAgent({ model: scriptedModel("never"), tools: [plain.tool], middleware: [askAll] });
    expect((await failureOf(policy.generate("Go"))).code).toBe("NO_STORE");
    const before = scriptedModel("never");
    const other = createAgent({ name: "other", model: scriptedModel("never"), tools: [tool] });
    const handing = createAgent({ model: before, handoffs: [other] });
    expect((await failureOf(handing.generate("Go"))).code).toBe("NO_STORE");
    expect(before.calls).toHaveLength(0);
  });

  it("fails where a tool or a hook asks and nothing keeps the run, with a result for every call", async () => {
    const { tool } = weatherTool();
    const asks = createTool({
      id: "asks",
      description: "Asks.",
      execute: (_input, ctx) => ctx.ask<string>("key", "Well?"),
    });
    const model = scriptedModel([
      weatherCall("1", "Kyoto"),
      functionToolCall({ callId: "2", name: "asks", arguments: "" }),
    ]);
    const error = await failureOf(createAgent({ model, tools: [tool, asks] }).generate("Go"));
    expect(error.code).toBe("NO_STORE");
    expect(error.message).toContain("tool:asks:2");
    expect(canBeSent(messagesOf(error))).toBe(true);
    expect(resultTexts(messagesOf(error))[0]).toBe("Kyoto: 21 °C");
    const middleware = [createMiddleware({ name: "m", beforeStep: ({ ctx }) => ctx.ask<undefined>("key", "Well?") })];
    const stream = createAgent({ model: scriptedModel("never"), middleware }).stream("Go");
    const told: unknown[] = [];
    const reading = (async () => {
      for await (const event of stream) told.push(event);
    })();
    expect((await failureOf(reading)).code).toBe("NO_STORE");
    expect(told.at(-1)).toMatchObject({ type: "error", error: { code: "NO_STORE" } });
  });

  it("is stopped by its own rules too: for all tools, by name, or where a function says so", async () => {
    const policies: readonly CallRule[] = [
      { tool: "*", action: "ask" },
      { tool: "get_weather", action: "ask" },
      { tool: "get_*", action: "ask", when: (input) => input.city === "Kyoto" },
    ];
    for (const rule of policies) {
      const { tool, ran } = weatherTool();
      const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
      const agent = createAgent({
        model,
        tools: [tool],
        middleware: [approvals({ rules: [rule] })],
        store: memoryStore(),
      });
      const held = await agent.generate("Weather?");
      expect(held.interrupts).toHaveLength(1);
      const answer = { approved: true, arguments: { city: "Osaka" } };
      const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: answer });
      expect(ran).toEqual(["Osaka"]);
      expect(done.finishReason).toBe("stop");
    }
  });

  it("asks once where the tool asks as well", async () => {
    const { tool, ran } = weatherTool({ requireApproval: true });
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
    const agent = createAgent({ model, tools: [tool], middleware: [askAll], store: memoryStore() });
    const held = await agent.generate("Weather?");
    const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(done.finishReason).toBe("stop");
    expect(ran).toEqual(["Kyoto"]);
  });

  it("keeps the question open when the tool is gone", async () => {
    const store = memoryStore();
    const { tool } = weatherTool({ requireApproval: true });
    const script = () => scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
    const held = await createAgent({ model: script(), tools: [tool], store }).generate("Weather?");
    const answers = { [held.interrupts[0]?.id ?? ""]: { approved: true } };
    const error = await failureOf(createAgent({ model: script(), store }).resume(held, answers));
    expect(error.code).toBe("UNKNOWN_TOOL");
    const again = createAgent({ model: scriptedModel("Warm."), tools: [tool], store });
    expect((await again.resume(held, answers)).text).toBe("Warm.");
  });

  it("travels to the parent that called it", async () => {
    const { tool, ran } = weatherTool({ requireApproval: true });
    const agent = createAgent({ model: scriptedModel([weatherCall("1", "Kyoto")], "Warm."), tools: [tool] });
    const app = new Graph<string, string>()
      .addNode("ask", lambda({ invoke: (q: string, ctx) => agent.generate(q, { parent: ctx }).then((r) => r.output) }))
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ store: memoryStore() });
    const error = await failureOf(app.invoke("Weather?", { checkpointId: "p-1" }));
    if (!isInterrupt(error)) throw error;
    expect(await app.resume("p-1", { [error.interrupts[0]?.id ?? ""]: { approved: true } })).toBe("Warm.");
    expect(ran).toEqual(["Kyoto"]);
  });

  it("goes on after a failure where it was", async () => {
    const store = memoryStore();
    const { tool, ran } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], new Error("down"), "Warm.");
    const agent = createAgent({ model, tools: [tool], retry: false, store });
    await failureOf(agent.generate("Weather?", { checkpointId: "f-1" }));
    const result = await agent.resume("f-1");
    expect(result.text).toBe("Warm.");
    expect(ran).toEqual(["Kyoto"]);
    expect(canBeSent(result.messages)).toBe(true);
    expect((await failureOf(agent.resume("f-1"))).code).toBe("UNKNOWN_CHECKPOINT");
    expect((await failureOf(agent.resume({}))).code).toBe("INVALID_OPTION");
  });
});
