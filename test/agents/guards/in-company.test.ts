import { type AgenticMessage, assistantMessage, createTool, memoryStore, textOf } from "kumiko";
import { createAgent, type GuardOptions, guard, subAgents, threads } from "kumiko/agents";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { agUi, sse, uiMessageStream } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, eventsOf } from "../agents.js";

const noSecrets: GuardOptions = {
  name: "no-secrets",
  output: (text) => (text.includes("secret") ? { block: "Why not." } : undefined),
  reply: "Sorry.",
};
/** An answer whose secret comes late, in blocks that take turns. */
const pieces: readonly AgenticMessage[] = [
  [0, `${"All is well. ".repeat(40)}The sec`],
  [1, "And so on. ".repeat(40)],
  [0, "ret is out."],
].map(([index, text]) =>
  assistantMessage([{ type: "assistant_gen_text", text: text as string, streamingMeta: { index: index as number } }]),
);
const leaking = (...before: ScriptEntry[]) => scriptedModel(...before, pieces);
const book = createTool({
  id: "book",
  description: "Books.",
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => "booked",
});

describe("a guard of outputs", () => {
  it.each([
    ["uiMessageStream", uiMessageStream],
    ["agUi", (stream: never) => agUi(stream, { threadId: "t", runId: "r" })],
    ["sse", sse],
  ] as const)("lets no client of %s see what it blocks, nor why", async (_name, respond) => {
    const agent = createAgent({ model: leaking(), middleware: [guard(noSecrets)] });
    const text = await (await respond(agent.stream("Hi") as never)).text();
    expect(text).toContain("Sorry.");
    expect(text).not.toContain("ret is out");
    expect(text).not.toContain("Why not.");
  });

  it("applies to agents that were handed over to, streamed and whole", async () => {
    for (const method of ["generate", "stream"] as const) {
      const second = createAgent({ name: "second", description: "Second.", model: leaking() });
      const first = createAgent({
        name: "first",
        model: scriptedModel([call("1", "transfer_to_second")]),
        handoffs: [second],
        middleware: [guard(noSecrets)],
      });
      const stream = method === "stream" ? first.stream("Hi") : undefined;
      const events = stream && (await eventsOf(stream));
      expect(await (stream?.result ?? first.generate("Hi"))).toMatchObject({
        text: "Sorry.",
        blocked: { on: "output" },
      });
      expect(JSON.stringify(events ?? [])).not.toContain("ret is out");
    }
  });

  it("of a sub-agent blocks what it says to the agent that asked", async () => {
    const inner = createAgent({
      name: "inner",
      description: "Inner.",
      model: leaking(),
      middleware: [guard(noSecrets)],
    });
    const model = scriptedModel([call("1", "task", { agent: "inner", prompt: "Look" })], "done");
    const { blocked, text } = await createAgent({ model, middleware: [subAgents({ agents: [inner] })] }).generate("Hi");
    expect({ blocked, text }).toEqual({ blocked: undefined, text: "done" });
    expect(JSON.stringify(model.calls)).toContain("Sorry.");
    expect(JSON.stringify(model.calls)).not.toContain("ret is out");
  });

  it.each([false, true])("judges a turn that goes on in another process, once (history: %s)", async (history) => {
    const store = memoryStore();
    const judged: string[] = [];
    const counting: GuardOptions = { name: "counting", input: (message) => void judged.push(textOf(message)) };
    const make = (model: ReturnType<typeof scriptedModel>) =>
      createAgent({ model, store, history, tools: [book], middleware: [guard(counting), guard(noSecrets)] });
    const { interrupts } = await make(scriptedModel([call("1", "book")])).generate("Book", { threadId: "t" });
    const stream = make(leaking()).resumeStream({ threadId: "t" }, { [interrupts[0]?.id ?? ""]: { approved: true } });
    expect(JSON.stringify(await eventsOf(stream))).not.toContain("ret is out");
    expect((await stream.result).blocked).toMatchObject({ guard: "no-secrets", on: "output" });
    expect(judged).toEqual(["Book"]);
    expect(JSON.stringify(await threads(store).messages("t"))).not.toContain("ret is out");
  });
});
