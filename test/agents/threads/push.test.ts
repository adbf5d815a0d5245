import { type CheckpointStore, createTool, memoryStore, textOf, userMessage } from "kumiko";
import { type AgentEvent, createAgent, createMiddleware, guard, threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { uiMessages } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failureOf } from "../agents.js";

const stores: Record<string, () => CheckpointStore> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

describe.each(Object.entries(stores))("push, in %s", (_name, makeStore) => {
  function setUp(...script: ScriptEntry[]) {
    const store = makeStore();
    const said =
      (...words: string[]): ScriptEntry =>
      async (messages) => {
        for (const word of words) expect(await threads(store).push("t", word)).toBe(true);
        return `after ${messages.map(textOf).filter(Boolean).at(-1)}`;
      };
    const ended: string[] = [];
    const noted = createMiddleware({ name: "noted", afterAgent: (result) => void ended.push(result.text) });
    return { store, said, ended, noted, script };
  }

  it("is read before the next answer; a turn that is about to end takes one more step", async () => {
    const { store, said, ended, noted } = setUp();
    const model = scriptedModel(said("b", "c"), said("d"), "done");
    const agent = createAgent({ model, store, middleware: [noted] });
    const result = await agent.generate("a", { threadId: "t" });
    expect(result.messages.map(textOf)).toEqual(["a", "after a", "b", "c", "after c", "d", "done"]);
    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 4, 6]);
    expect(ended).toEqual(["done"]);
    expect(await threads(store).push("t", "late")).toBe(false);
    expect((await threads(store).messages("t")).map(textOf)).toEqual(result.messages.map(textOf));
    expect(await threads(store).push("none", "x")).toBe(false);
  });

  it("goes beyond maxSteps only for what was pushed", async () => {
    const { store, said } = setUp();
    const agent = createAgent({ model: scriptedModel(said("b"), "two"), store, maxSteps: 1, onMaxSteps: "throw" });
    expect((await agent.generate("a", { threadId: "t" })).text).toBe("two");
  });

  it("takes a message with an id once, and tells readers of it", async () => {
    const store = makeStore();
    const push = () => threads(store).push("t", userMessage("more", { id: "m-2" }));
    const model = scriptedModel(async () => {
      expect(await push()).toBe(true);
      expect(await push()).toBe(true);
      return "one";
    }, "two");
    const stream = createAgent({ model, store }).stream(userMessage("a", { id: "m-1" }), { threadId: "t" });
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    const told = events.flatMap((event) => (event.type === "pushed" ? [event.messages.map(textOf)] : []));
    expect(told).toEqual([["more"]]);
    expect((await uiMessages(threads(store), "t")).map(({ id, role }) => `${role} ${id}`)).toEqual([
      "user m-1",
      "assistant turn-1",
      "user m-2",
      "assistant turn-1-2",
    ]);
    expect(await push()).toBe(false);
  });

  it("is said once to a thread, as its id tells, also where an earlier turn has heard it", async () => {
    const store = makeStore();
    const push = (id: string) => threads(store).push("t", userMessage(id, { id }));
    const says =
      (...ids: string[]): ScriptEntry =>
      async () => {
        for (const id of ids) expect(await push(id)).toBe(true);
        return "fine";
      };
    const agent = createAgent({ model: scriptedModel(says("m-1", "m-1"), "a", says("m-1", "m-2"), "b"), store });
    await agent.generate("one", { threadId: "t" });
    await agent.generate("two", { threadId: "t" });
    const ids = (await threads(store).messages("t")).flatMap(({ id }) => id ?? []);
    expect(ids).toEqual(["m-1", "m-2"]);
  });

  it("is logged by a turn that fails, and taken by one that goes on", async () => {
    const store = makeStore();
    const tool = createTool({ id: "look", description: "Looks.", inputSchema: z.object({}), execute: () => "seen" });
    const make = (model: ReturnType<typeof scriptedModel>) =>
      createAgent({ model, store, tools: [tool], retry: false });
    const failing = scriptedModel([call("1", "look")], async () => {
      await threads(store).push("t", "b");
      return new Error("gone");
    });
    await failureOf(make(failing).generate("a", { threadId: "t" }));
    expect((await threads(store).messages("t")).map(textOf).filter(Boolean)).toEqual(["a", "b"]);
    const model = scriptedModel("fine");
    const result = await make(model).resume({ threadId: "t" });
    expect(result.messages.map(textOf).filter(Boolean)).toEqual(["a", "b", "fine"]);
    expect((await threads(store).messages("t")).map(textOf).filter(Boolean)).toEqual(["a", "b", "fine"]);
  });

  it("waits with a turn that waits, and is kept when that is closed", async () => {
    const store = makeStore();
    const book = createTool({
      id: "book",
      description: "Books.",
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => "ok",
    });
    const asks = (): ScriptEntry => async () => {
      await threads(store).push("t", "b");
      return [call("1", "book")];
    };
    const agent = createAgent({ model: scriptedModel(asks(), "done", asks(), "other"), store, tools: [book] });
    const waiting = await agent.generate("a", { threadId: "t" });
    expect(waiting.finishReason).toBe("waiting");
    expect(await threads(store).push("t", "no")).toBe(false);
    const answers = { [waiting.interrupts[0]?.id ?? ""]: { approved: true } };
    const result = await agent.resume({ threadId: "t" }, answers);
    expect(result.messages.map(textOf).filter(Boolean)).toEqual(["a", "b", "done"]);
    await agent.generate("c", { threadId: "t" });
    await agent.generate("d", { threadId: "t", onWaiting: "close" });
    expect((await threads(store).messages("t")).map(textOf).filter(Boolean)).toEqual([
      "a",
      "b",
      "done",
      "c",
      "b",
      "d",
      "other",
    ]);
  });

  it("is judged by guards", async () => {
    const { store, said } = setUp();
    const polite = guard({
      name: "polite",
      input: (message) => (textOf(message) === "b" ? { block: "No." } : undefined),
    });
    const model = scriptedModel(said("b"), "never");
    const result = await createAgent({ model, store, middleware: [polite] }).generate("a", { threadId: "t" });
    expect(result).toMatchObject({ finishReason: "content_filter", blocked: { guard: "polite", on: "input" } });
    expect(model.calls).toHaveLength(1);
  });

  it("loses and doubles nothing, whenever it comes", async () => {
    const store = makeStore();
    const agent = createAgent({
      model: scriptedModel(
        ...Array.from(
          { length: 200 },
          (_, index): ScriptEntry =>
            async () => {
              await new Promise((resolve) => setTimeout(resolve, index % 3));
              return `answer ${index}`;
            },
        ),
      ),
      store,
      maxSteps: 100,
    });
    let id = 0;
    const taken: string[] = [];
    for (let turn = 0; turn < 8; turn++) {
      let isOver = false;
      const running = agent.generate(`turn ${turn}`, { threadId: "t" }).finally(() => {
        isOver = true;
      });
      const pushing = async (): Promise<void> => {
        for (let count = 0; count < 12 && !isOver; count++) {
          const text = `push ${id++}`;
          if (await threads(store).push("t", text)) taken.push(text);
          await new Promise((resolve) => setTimeout(resolve, count % 2));
        }
      };
      await Promise.all([running, pushing(), pushing()]);
    }
    const logged = (await threads(store).messages("t")).map(textOf).filter((text) => text.startsWith("push"));
    expect(logged.toSorted()).toEqual(taken.toSorted());
  });

  it("takes what users say, and nothing else", async () => {
    const all = threads(makeStore());
    for (const prompt of ["", [], { role: "assistant", content: "x" }, { role: "system", content: "x" }] as const)
      expect((await failureOf(all.push("t", prompt))).code).toBe("INVALID_MESSAGE");
  });
});
