import { type CheckpointStore, memoryStore, textOf } from "kumiko";
import { createAgent, guard, recall, threads } from "kumiko/agents";
import { memoryVectors } from "kumiko/rag";
import { sqliteStore } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";

const stores: Record<string, () => CheckpointStore> = { memory: memoryStore, sqlite: () => sqliteStore(":memory:") };

const words = ["lisbon", "train", "soup", "python"];
/** Counts a few words. */
const embedder = {
  modelId: "words",
  doEmbed: async ({ values }: { readonly values: readonly string[] }) => ({
    embeddings: values.map((text) => [0.1, ...words.map((word) => text.toLowerCase().split(word).length - 1)]),
  }),
};

function setUp(store: CheckpointStore, vectors = memoryVectors()) {
  const model = scriptedModel(...Array.from({ length: 12 }, (_, index) => `answer ${index + 1}`));
  const events: unknown[] = [];
  const agent = createAgent({
    model,
    store,
    middleware: [recall({ vectors, embedder, topK: 2 })],
    callbacks: [{ onEvent: (_info, event) => void events.push(event) }],
  });
  const recalled = (): string =>
    (model.calls.at(-1)?.messages ?? [])
      .filter(({ role }) => role === "system")
      .map(textOf)
      .join();
  return { agent, recalled, events, vectors, model };
}

describe.each(Object.entries(stores))("recall, in %s", (_name, makeStore) => {
  it("finds turns of other threads of the user, and nobody else's", async () => {
    const { agent, recalled } = setUp(makeStore());
    await agent.generate("I want to go to Lisbon.", { threadId: "1", userId: "ann" });
    await agent.generate("Lisbon is too hot for me.", { threadId: "2", userId: "bob" });
    await agent.generate("Where in Lisbon?", { threadId: "3", userId: "ann" });
    expect(recalled()).toContain('{"user":"I want to go to Lisbon.","answer":"answer 1"}');
    expect(recalled()).not.toContain("hot");
    await agent.generate("Where in Lisbon?", { threadId: "4" });
    expect(recalled()).toBe("");
  });

  it("leaves out what is deleted, replaced, truncated, or in view", async () => {
    const store = makeStore();
    const { agent, recalled } = setUp(store);
    const asks = async (threadId: string, prompt: string, options = {}) =>
      agent.generate(prompt, { threadId, userId: "ann", ...options });
    await asks("1", "Lisbon by train");
    await asks("1", "And in Lisbon?");
    expect(recalled()).toBe("");
    await asks("2", "Lisbon");
    expect(recalled()).toContain("by train");
    await threads(store).truncate("1", 1);
    await threads(store).delete("2");
    await asks("3", "Lisbon");
    expect(recalled()).toContain("by train");
    expect(recalled()).not.toContain("And in");
    await asks("1", "Soup", { replaces: "turn-1-prompt" });
    await asks("3", "Lisbon", { replaces: "turn-1-prompt" });
    expect(recalled()).not.toContain("train");
  });

  it("keeps nothing of a turn that a guard has blocked", async () => {
    const store = makeStore();
    const vectors = memoryVectors();
    const blocks = guard({
      name: "no-trains",
      input: (message) => (textOf(message).includes("train") ? { block: "No." } : undefined),
    });
    const agent = createAgent({
      model: scriptedModel("a", "b"),
      store,
      middleware: [blocks, recall({ vectors, embedder })],
    });
    await agent.generate("Lisbon by train", { threadId: "1", userId: "ann" });
    await agent.generate("Soup", { threadId: "2", userId: "ann" });
    const kept = await vectors.query({ indexName: "memory", filter: { user: "ann" } });
    expect(kept.map(({ id }) => id)).toEqual(["2/1"]);
  });

  it("is an event where it fails, and the turn goes on", async () => {
    const vectors = { ...memoryVectors(), query: async () => Promise.reject(new Error("away")) };
    const { agent, events } = setUp(makeStore(), Object.assign(Object.create(memoryVectors()), vectors));
    const { text } = await agent.generate("Lisbon", { threadId: "1", userId: "ann" });
    expect(text).toBe("answer 1");
    expect(events).toContainEqual({ kind: "progress", event: { kind: "recall_failed", message: "away" } });
  });
});
