import { type CheckpointStore, createTool, memoryStore, textOf } from "kumiko";
import { createAgent, createMiddleware, threads, userProfile } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failureOf } from "../agents.js";

const stores: Record<string, () => CheckpointStore> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

/** Counts what it has seen, for the user; and keeps other keys beside. */
function counter() {
  return createMiddleware<Record<string, number>>({
    name: "counter",
    scope: "user",
    state: () => ({}),
    beforeAgent(run) {
      const [word = ""] = run.messages.map(textOf).slice(-1);
      run.state = { ...run.state, [word]: (run.state[word] ?? 0) + 1 };
    },
  });
}

async function kept(store: CheckpointStore, user: string): Promise<unknown> {
  const row = await store.get(`~user/${user}`);
  return row && (JSON.parse(new TextDecoder().decode(row.data)) as { states: unknown }).states;
}

describe.each(Object.entries(stores))("the state of a user, in %s", (_name, makeStore) => {
  it("lives across threads, and is no other user's", async () => {
    const store = makeStore();
    const agent = createAgent({ model: scriptedModel("a", "b", "c", "d"), store, middleware: [counter()] });
    await agent.generate("x", { threadId: "1", userId: "ann" });
    await agent.generate("x", { threadId: "2", userId: "ann" });
    await agent.generate("y", { userId: "ann" });
    await agent.generate("x", { threadId: "3", userId: "bob" });
    expect(await kept(store, "ann")).toEqual({ counter: { x: 2, y: 1 } });
    expect(await kept(store, "bob")).toEqual({ counter: { x: 1 } });
  });

  it("needs a user and a store", async () => {
    const agent = createAgent({ model: scriptedModel("a"), store: makeStore(), middleware: [counter()] });
    const failure = await failureOf(agent.generate("x"));
    expect(failure.code).toBe("NO_USER");
    expect(failure.message).toContain('"counter"');
    const without = createAgent({ model: scriptedModel("a"), middleware: [counter()] });
    expect((await failureOf(without.generate("x", { userId: "ann" }))).code).toBe("NO_STORE");
  });

  it("of two turns at once is that of both, where they do not change the same key", async () => {
    const store = makeStore();
    const gates = new Map<string, () => void>();
    const model = scriptedModel(
      ...["a", "b"].map(
        (text): ScriptEntry =>
          async (messages) => {
            const [word = ""] = messages.map(textOf).slice(-1);
            await new Promise<void>((resolve) => gates.set(word, resolve));
            return text;
          },
      ),
    );
    const agent = createAgent({ model, store, middleware: [counter()] });
    const both = ["x", "y"].map((word) => agent.generate(word, { threadId: word, userId: "ann" }));
    await expect.poll(() => gates.size).toBe(2);
    for (const open of gates.values()) open();
    await Promise.all(both);
    expect(await kept(store, "ann")).toEqual({ counter: { x: 1, y: 1 } });
  });

  it("is written when a turn waits, and read again where it goes on", async () => {
    const store = makeStore();
    const book = createTool({
      id: "book",
      description: "Books.",
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => "booked",
    });
    const states: unknown[] = [];
    const peek = createMiddleware<Record<string, number>>({
      ...counter(),
      afterAgent: (_result, run) => void states.push({ ...run.state }),
    });
    const make = () =>
      createAgent({
        model: scriptedModel([call("1", "book")], "b", "c"),
        store,
        tools: [book],
        middleware: [peek],
      });
    const agent = make();
    const waiting = await agent.generate("x", { threadId: "1", userId: "ann" });
    expect(waiting.finishReason).toBe("waiting");
    expect(await kept(store, "ann")).toEqual({ counter: { x: 1 } });
    const other = createAgent({ model: scriptedModel("z"), store, middleware: [counter()] });
    await other.generate("y", { threadId: "2", userId: "ann" });
    const [interrupt] = waiting.interrupts;
    await agent.resume({ threadId: "1" }, { [interrupt?.id ?? ""]: { approved: true } }, { userId: "ann" });
    expect(states).toEqual([{ x: 1, y: 1 }]);
    expect(await kept(store, "ann")).toEqual({ counter: { x: 1, y: 1 } });
  });

  it("that is too large stays as it was, and an event says so", async () => {
    const store = makeStore();
    const big = createMiddleware<{ text: string }>({
      name: "big",
      scope: "user",
      state: () => ({ text: "" }),
      beforeAgent(run) {
        run.state = { text: "x".repeat(run.messages.length === 1 ? 10 : 70_000) };
      },
    });
    const told: unknown[] = [];
    const agent = createAgent({
      model: scriptedModel("a", "b"),
      store,
      middleware: [big],
      callbacks: [{ onEvent: (_info, event) => void told.push(event) }],
    });
    await agent.generate("x", { threadId: "1", userId: "ann" });
    await agent.generate("x", { threadId: "1", userId: "ann" });
    expect(await kept(store, "ann")).toEqual({ big: { text: "xxxxxxxxxx" } });
    expect(told).toMatchObject([{ kind: "progress", event: { kind: "user_state_failed", userId: "ann" } }]);
  });

  it("is deleted with the user, and damaged rows are absent", async () => {
    const store = makeStore();
    const agent = createAgent({ model: scriptedModel("a", "b"), store, middleware: [counter()] });
    await agent.generate("x", { threadId: "1", userId: "ann" });
    await threads(store).deleteUser("ann");
    expect(await kept(store, "ann")).toBeUndefined();
    await store.put("~user/ann", new TextEncoder().encode("{"), undefined);
    await agent.generate("x", { threadId: "1", userId: "ann" });
    expect(await kept(store, "ann")).toEqual({ counter: { x: 1 } });
  });
});

describe("userProfile", () => {
  it("tells what was known when the turn began, at the end of the instructions", async () => {
    const store = memoryStore();
    const model = scriptedModel(
      [call("1", "update_profile", { set: { food: "vegetarian", city: "Kyoto" } })],
      "Noted.",
      [call("1", "update_profile", { remove: ["city"] })],
      "Forgotten.",
      "Hi.",
    );
    const agent = createAgent({ model, store, instructions: "Be brief.", middleware: [userProfile()] });
    await agent.generate("I am a vegetarian in Kyoto.", { threadId: "1", userId: "ann" });
    await agent.generate("Forget where.", { threadId: "2", userId: "ann" });
    await agent.generate("Hi", { threadId: "3", userId: "ann" });
    const systems = model.calls.map(({ messages }) =>
      messages
        .filter(({ role }) => role === "system")
        .map(textOf)
        .join("|"),
    );
    const known = 'Be brief.|What is known about the user:\n{"food":"vegetarian"}';
    expect(systems).toEqual([
      "Be brief.",
      "Be brief.",
      `${known}\n{"city":"Kyoto"}`,
      `${known}\n{"city":"Kyoto"}`,
      known,
    ]);
  });

  it("refuses what does not fit", async () => {
    const store = memoryStore();
    const model = scriptedModel([call("1", "update_profile", { set: { food: "x".repeat(100) } })], "Sorry.");
    const agent = createAgent({ model, store, middleware: [userProfile({ maxCharacters: 50 })] });
    const { messages } = await agent.generate("Hi", { userId: "ann" });
    expect(JSON.stringify(messages)).toContain("at most 50 are kept");
    expect(await store.get("~user/ann")).toBeUndefined();
    expect(() => userProfile({ maxCharacters: 0 })).toThrow("maxCharacters");
    expect(() => userProfile({ max: 1 } as never)).toThrow("max");
  });
});
