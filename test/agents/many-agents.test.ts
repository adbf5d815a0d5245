import { AgenticToolsNode, assistantMessage, type CheckpointStore, Graph, memoryStore, textOf } from "kumiko";
import { type Agent, createAgent, createMiddleware, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, canBeSent, eventsOf, resultTexts, weatherCall, weatherTool } from "./agents.js";

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const responseMeta = { tokenUsage: usage, model: "demo/m" };

describe("an agent as a tool", () => {
  it("runs inside the call, and counts for its caller", async () => {
    const inner = createAgent({
      name: "expert",
      description: "Knows.",
      model: scriptedModel(assistantMessage("42", { responseMeta })),
    });
    const model = scriptedModel(
      assistantMessage([call("1", "expert", { prompt: "What?" })], { responseMeta }),
      assistantMessage("It is 42.", { responseMeta }),
    );
    const result = await createAgent({ model, tools: [inner.asTool()] }).generate("Tell me");
    expect(resultTexts(result.messages)).toEqual(["42"]);
    expect(result.usageByModel["demo/m"]?.totalTokens).toBe(6);
  });

  it("takes what its schema says, gives its output as JSON, and knows the conversation if it is to", async () => {
    const innerModel = scriptedModel('{"celsius":21}');
    const inner = createAgent({
      name: "expert",
      description: "Knows.",
      model: innerModel,
      output: z.object({ celsius: z.number() }),
    });
    const tool = inner.asTool({ id: "ask_expert", inputSchema: z.object({ city: z.string() }), history: "parent" });
    const model = scriptedModel([call("1", "ask_expert", { city: "Kyoto" })], "Done.");
    const result = await createAgent({ model, tools: [tool] }).generate("Weather?");
    expect(resultTexts(result.messages)).toEqual(['{"celsius":21}']);
    expect(innerModel.calls[0]?.messages.map(textOf)).toEqual(["Weather?", '{"city":"Kyoto"}']);
  });

  it("gives a failing run as an error of the tool", async () => {
    const inner = createAgent({
      name: "expert",
      description: "Knows.",
      model: scriptedModel(new Error("down")),
      retry: false,
    });
    const model = scriptedModel([call("1", "expert", { prompt: "What?" })], "Sorry.");
    const result = await createAgent({ model, tools: [inner.asTool()] }).generate("Tell me");
    expect(resultTexts(result.messages)[0]).toContain("down");
    expect(result.text).toBe("Sorry.");
  });

  it("keeps its approval in the checkpoint of its caller, where only the tool that asks runs again", async () => {
    const { tool, ran } = weatherTool({ requireApproval: true });
    const innerModel = scriptedModel([weatherCall("i", "Kyoto")], "Warm.");
    const inner = createAgent({ name: "expert", description: "Knows.", model: innerModel, tools: [tool] });
    const model = scriptedModel([call("1", "expert", { prompt: "Weather?" })], "It is warm.");
    const agent = createAgent({ name: "boss", model, tools: [inner.asTool()], store: memoryStore() });
    const held = await agent.generate("Weather?");
    expect(held.interrupts).toHaveLength(1);
    const done = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(done.text).toBe("It is warm.");
    expect(ran).toEqual(["Kyoto"]);
    expect(innerModel.calls).toHaveLength(2);
    expect(model.calls).toHaveLength(2);
  });

  it("tells its events with a longer path, which never reach the text", async () => {
    const inner = createAgent({ name: "expert", description: "Knows.", model: scriptedModel("inner", "inner") });
    const calls = [call("1", "expert", { prompt: "a" }), call("2", "expert", { prompt: "b" })];
    const agent = createAgent({ name: "boss", model: scriptedModel(calls, "outer"), tools: [inner.asTool()] });
    const stream = agent.stream("Go");
    const events = await eventsOf(stream);
    const told = events.filter(({ agentPath }) => agentPath.length === 2);
    expect(new Set(told.map(({ parentCallId }) => parentCallId))).toEqual(new Set(["1", "2"]));
    expect(new Set(told.map(({ runId }) => runId)).size).toBe(2);
    expect(told.every(({ agentPath }) => agentPath.join("/") === "boss/expert")).toBe(true);
    let text = "";
    for await (const piece of stream.textStream) text += piece;
    expect(text).toBe("outer");
  });

  it("needs a description, and is not a tool or a node by itself", () => {
    const inner = createAgent({ name: "expert", model: scriptedModel() });
    expect(() => inner.asTool()).toThrow("description");
    expect(() => createAgent({ model: scriptedModel(), tools: [inner as never] })).toThrow("asTool");
    expect(() => new AgenticToolsNode([inner as never])).toThrow(
      "tools[0] is an agent. Give it as a tool: agent.asTool().",
    );
    expect(() => new Graph().addNode("expert", inner as never)).toThrow("agent.graph");
    expect(() => new AgenticToolsNode([inner as never])).toThrow();
  });
});

describe("a handoff", () => {
  function desk() {
    const { tool, ran } = weatherTool();
    const frontModel = scriptedModel([weatherCall("1", "Kyoto"), call("2", "transfer_to_billing")], "front again");
    const billingModel = scriptedModel("Paid.", "Still billing.");
    const billing = createAgent({
      name: "billing",
      description: "Takes payments.",
      model: billingModel,
      instructions: "You bill.",
    });
    const store = memoryStore();
    const front = createAgent({
      name: "front",
      model: frontModel,
      tools: [tool],
      instructions: "You greet.",
      handoffs: [billing],
      store,
    });
    return { front, frontModel, billingModel, ran, store };
  }

  it("gives the conversation to another agent, with its model, instructions and tools", async () => {
    const { front, billingModel, frontModel, ran } = desk();
    const stream = front.stream("Pay");
    const events = await eventsOf(stream);
    const result = await stream.result;
    expect(result).toMatchObject({ text: "Paid.", agent: "billing" });
    expect(ran).toEqual(["Kyoto"]);
    expect(events.find(({ type }) => type === "handoff")).toMatchObject({ from: "front", to: "billing" });
    expect(frontModel.calls[0]?.options.tools?.map(({ name }) => name)).toEqual(["get_weather", "transfer_to_billing"]);
    expect(billingModel.calls[0]?.messages.map(textOf).slice(0, 2)).toEqual(["You bill.", "Pay"]);
    expect(billingModel.calls[0]?.options.tools).toBeUndefined();
    expect(canBeSent(result.messages)).toBe(true);
    expect(result.steps.map(({ agent }) => agent)).toEqual(["front", "billing"]);
  });

  it("begins when the step of the agent that hands over is done, its hooks included", async () => {
    const hooks = (name: string, ended: string[]) =>
      createMiddleware({
        name,
        async afterStep({ agent }, { ctx }) {
          await ctx.ask("next", "Go on?");
          ended.push(`${name}: ${agent}`);
        },
      });
    const ended: string[] = [];
    const { tool, ran } = weatherTool();
    const store = memoryStore();
    const build = () => {
      const b = createAgent({ name: "b", description: "B.", model: bModel, middleware: [hooks("of b", ended)] });
      return createAgent({
        name: "a",
        model: aModel,
        tools: [tool],
        middleware: [hooks("of a", ended)],
        handoffs: [b],
        store,
      });
    };
    const aModel = scriptedModel([weatherCall("1", "Kyoto"), call("2", "transfer_to_b")]);
    const bModel = scriptedModel("b is here");
    const stream = build().stream("Go");
    expect((await eventsOf(stream)).some(({ type }) => type === "handoff")).toBe(false);
    let result = await stream.result;
    expect(result.agent).toBe("a");
    for (const _ of [1, 2]) {
      // as another process would, which only has the checkpoint
      result = await build().resume(result, { [result.interrupts[0]?.id ?? ""]: true });
    }
    expect(result).toMatchObject({ text: "b is here", agent: "b" });
    expect(resultTexts(result.messages)[0]).toBe("Kyoto: 21 °C");
    expect([ended, ran]).toEqual([["of a: a", "of b: b"], ["Kyoto"]]);
  });

  it("tells the end of the step before the transfer, with the agent that gave the answer", async () => {
    const { front } = desk();
    const events = await eventsOf(front.stream("Pay"));
    const ends = events.filter(({ type }) => type === "step_finish" || type === "handoff" || type === "step_start");
    expect(ends.map(({ type, agentPath, step }) => `${type} ${agentPath.join()} ${step}`)).toEqual([
      "step_start front 1",
      "step_finish front 1",
      "handoff front 1",
      "step_start billing 2",
      "step_finish billing 2",
    ]);
  });

  it("does not take away what its agent returns directly", async () => {
    const { tool } = weatherTool();
    const b = createAgent({ name: "b", description: "B.", model: scriptedModel("never") });
    const model = scriptedModel([weatherCall("1", "Kyoto"), call("2", "transfer_to_b")]);
    const a = createAgent({ name: "a", model, tools: [tool], returnDirectly: ["get_weather"], handoffs: [b] });
    expect(await a.generate("Go")).toMatchObject({ text: "Kyoto: 21 °C", finishReason: "returned" });
  });

  it("is remembered by the thread, unless the agent is gone", async () => {
    const { front, billingModel, store } = desk();
    await front.generate("Pay", { threadId: "t" });
    expect((await front.generate("More", { threadId: "t" })).text).toBe("Still billing.");
    expect(billingModel.calls).toHaveLength(2);
    const alone = createAgent({ name: "front", model: scriptedModel("Here again."), store });
    const events = await eventsOf(alone.stream("Hello?", { threadId: "t" }));
    expect(events.find(({ type }) => type === "handoff")).toMatchObject({ from: "billing", to: "front" });
  });

  it("goes to the first of several, and in circles", async () => {
    const aModel = scriptedModel([call("1", "transfer_to_b"), call("2", "transfer_to_c")], "a is back");
    const bModel = scriptedModel([call("3", "transfer_to_a")]);
    const c = createAgent({ name: "c", model: scriptedModel() });
    const a: Agent = createAgent({ name: "a", model: aModel, handoffs: () => [b, c] });
    const b: Agent = createAgent({ name: "b", model: bModel, handoffs: () => [a] });
    const result = await a.generate("Go");
    expect(result).toMatchObject({ text: "a is back", agent: "a" });
    expect(canBeSent(result.messages)).toBe(true);
    expect(resultTexts(result.messages)[1]).toContain("not executed");
  });

  it("needs names of their own", async () => {
    const other = createAgent({ name: "same", model: scriptedModel() });
    expect(() => createAgent({ name: "same", model: scriptedModel(), handoffs: [other] })).toThrow("same");
    const lazy = createAgent({ name: "same", model: scriptedModel("x"), handoffs: () => [other] });
    await expect(lazy.generate("Hi")).rejects.toThrow("same");
    expect(() => createAgent({ name: "no spaces", model: scriptedModel() })).toThrow("name");
  });
});

describe("a handoff that was acted upon", () => {
  /** A store of a process that dies at a write: nothing of it is written from then on. */
  function dyingStore(inner: CheckpointStore, writes: number) {
    let left = writes;
    let die = (): void => undefined;
    const death = new Promise<void>((resolve) => {
      die = resolve;
    });
    const write = <T>(work: () => Promise<T>): Promise<T> => {
      left -= 1;
      if (left >= 0) return work();
      die();
      return new Promise(() => undefined);
    };
    const store: CheckpointStore = {
      get: (id) => inner.get(id),
      put: (id, data, ifVersion) => write(() => inner.put(id, data, ifVersion)),
      append: (id, data, ifVersion) => write(async () => (await inner.append?.(id, data, ifVersion)) ?? Number.NaN),
      delete: (id, ifVersion) => write(() => inner.delete(id, ifVersion)),
      list: (prefix) => inner.list(prefix),
    };
    return { store, death };
  }

  it.each(["generate", "stream"] as const)("is not made again after a crash, at whatever write (%s)", async (way) => {
    let crashes = 0;
    for (let writes = 2; ; writes++) {
      const inner = memoryStore();
      const asked: string[] = [];
      // whoever asks for the transfer again gets another one
      const targets = ["b", "c"];
      const build = (store: CheckpointStore) => {
        const answering = (name: string) => {
          const answer = () => {
            asked.push(name);
            return `From ${name}.`;
          };
          return createAgent({ name, model: scriptedModel(answer, answer, answer) });
        };
        const model = scriptedModel(() => [call(targets[0] ?? "", `transfer_to_${targets.shift()}`)]);
        return createAgent({ name: "a", model, handoffs: [answering("b"), answering("c")], store });
      };
      const { store, death } = dyingStore(inner, writes);
      const agent = build(store);
      const options = { threadId: "t" };
      const running = way === "generate" ? agent.generate("Go", options) : agent.stream("Go", options).result;
      const first = await Promise.race([running, death]);
      if (first !== undefined) break;
      const before = [...asked];
      const other = build(inner);
      for await (const { status } of threads(inner).turns("t")) {
        if (status === "done") continue;
        const asks = [{ threadId: "t" }, undefined, { takeover: true }] as const;
        await (way === "generate" ? other.resume(...asks) : other.resumeStream(...asks).result);
      }
      const next = await other.generate("And you?", options);
      expect(next.text).toBe(`From ${next.agent}.`);
      for (const name of [...before, ...asked]) expect(name, `write ${writes + 1}`).toBe(next.agent);
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(4);
  });
});
