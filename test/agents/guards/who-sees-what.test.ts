import { type AgenticMessage, createTool, memoryStore, textOf } from "kumiko";
import { createAgent, createMiddleware, type GuardOptions, guard, summarize, threads } from "kumiko/agents";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failureOf } from "../agents.js";

const noPins: GuardOptions = {
  name: "pins",
  input: (message) => {
    const text = textOf(message);
    if (text.includes("rude")) return { block: "Rude." };
    return text.includes("4711") ? { replace: text.replaceAll("4711", "####") } : undefined;
  },
};

/** Fails while something is said to the turn. */
const failing = (store: ReturnType<typeof memoryStore>) =>
  (async () => {
    await threads(store).push("t", "pin 4711");
    return new Error("gone");
  }) as unknown as ScriptEntry;

async function rowsOf(store: ReturnType<typeof memoryStore>): Promise<string> {
  const rows: string[] = [];
  for await (const key of store.list("~")) rows.push(new TextDecoder().decode((await store.get(key))?.data));
  return rows.join("\n");
}

describe("messages that guards have blocked or not judged", () => {
  it("are shown to no model, also not that of an agent without guards", async () => {
    const store = memoryStore();
    const model = scriptedModel(failing(store));
    await failureOf(createAgent({ model, store, middleware: [guard(noPins)], retry: false }).generate("a", inThread));
    await createAgent({ model: scriptedModel(), store, middleware: [guard(noPins)] }).generate("rude", inThread);
    const next = scriptedModel("fine");
    await createAgent({ model: next, store }).generate("b", inThread);
    expect(next.calls[0]?.messages.map(textOf)).toEqual(["a", "b"]);
  });

  it("are those of turns with guards only: what is said to others is shown", async () => {
    const store = memoryStore();
    await failureOf(createAgent({ model: scriptedModel(failing(store)), store, retry: false }).generate("a", inThread));
    for (const middleware of [[], [guard(noPins)]]) {
      const model = scriptedModel("fine");
      await createAgent({ model, store, middleware }).generate("b", inThread);
      expect(model.calls[0]?.messages.map(textOf).slice(0, 2)).toEqual(["a", "pin 4711"]);
    }
  });

  it("are not in the view of middlewares, nor summarised", async () => {
    const store = memoryStore();
    const middleware = [guard(noPins)];
    await createAgent({ model: scriptedModel(), store, middleware }).generate(`rude ${"x".repeat(4_000)}`, inThread);
    const fine = "word ".repeat(2_000);
    await createAgent({ model: scriptedModel("fine"), store, middleware }).generate(fine, inThread);
    const writer = scriptedModel("in short");
    const seen: AgenticMessage[] = [];
    const watching = createMiddleware({ name: "watching", beforeStep: ({ view }) => void seen.push(...view) });
    const model = scriptedModel("done");
    const short = summarize({ model: writer, atTokens: 1_000, keepTurns: 1 });
    await createAgent({ model, store, middleware: [...middleware, watching, short] }).generate("c", inThread);
    expect(writer.calls).toHaveLength(1);
    expect(JSON.stringify([writer.calls, model.calls, seen])).not.toContain("rude");
    expect(seen.map(textOf)).toEqual([fine, "fine", "c"]);
  });
});

const inThread = { threadId: "t" };

describe("what answers a suspended tool", () => {
  const pick = createTool({
    id: "pick",
    description: "Picks.",
    inputSchema: z.object({}),
    suspendSchema: z.object({ options: z.array(z.string()) }),
    resumeSchema: z.object({ choice: z.string() }),
    execute: async (_input, { resumeData, suspend }) =>
      resumeData === undefined ? suspend({ options: ["a", "b"] }) : `picked ${resumeData.choice}`,
  });
  const make = (store: ReturnType<typeof memoryStore>, ...script: ScriptEntry[]) => {
    const model = scriptedModel([call("1", "pick")], ...script);
    const middleware = [guard(noPins)];
    const agent = createAgent({ model, store, tools: [pick], middleware, autoResumeSuspendedTools: true });
    return { agent, model };
  };

  it("is judged before a model reads it, and stored nowhere as it was", async () => {
    const store = memoryStore();
    const { agent, model } = make(store, '{"question_1":{"choice":"b"}}', "You have b.");
    await agent.generate("Pick", inThread);
    const given = { ...inThread, requestId: "r-2" };
    expect((await agent.generate("b, with pin 4711", given)).text).toBe("You have b.");
    expect(JSON.stringify(model.calls)).toContain("####");
    expect(`${JSON.stringify(model.calls)} ${await rowsOf(store)}`).not.toContain("4711");
    // the same request is known, another one is not the same
    expect((await agent.generate("b, with pin 4711", given)).text).toBe("You have b.");
    expect((await failureOf(agent.generate("b, with pin 4712", given))).message).toContain("r-2");
  });

  it.each([
    ["b", ['{"question_1":{"choice":"b"}}', "You have b."]],
    ["b, with pin 4711", ['{"question_1":{"choice":"b"}}', "You have b."]],
    ["Something else, with pin 4711", ["{}", "Fine."]],
    ["b, rude", []],
  ] as [string, string[]][])("is judged once, whatever it is: %s", async (said, script) => {
    const judged: string[] = [];
    const counting: GuardOptions = { name: "counting", input: (message) => void judged.push(textOf(message)) };
    const model = scriptedModel([call("1", "pick")], ...script);
    const middleware = [counting, noPins].map(guard);
    const store = memoryStore();
    const agent = createAgent({ model, store, tools: [pick], middleware, autoResumeSuspendedTools: true });
    await agent.generate("Pick", inThread);
    const result = await agent.generate(said, { ...inThread, onWaiting: "close" });
    expect(result.text).toBe(script.at(-1) ?? "I cannot help with that.");
    expect(judged).toEqual(["Pick", said]);
    expect(await rowsOf(store)).not.toContain("4711");
  });

  it("is no answer if a guard blocks it", async () => {
    const { agent, model } = make(memoryStore());
    await agent.generate("Pick", inThread);
    expect(await failureOf(agent.generate("b, rude", inThread))).toMatchObject({ code: "THREAD_WAITING" });
    const { blocked } = await agent.generate("b, rude", { ...inThread, onWaiting: "close" });
    expect(blocked).toEqual({ guard: "pins", reason: "Rude.", on: "input" });
    expect(model.calls).toHaveLength(1);
  });
});
