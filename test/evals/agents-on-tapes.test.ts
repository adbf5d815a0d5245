// What the examples show, recorded once and replayed without any model: deep agents, approvals in threads, Mastra's API.
import { type AgenticModel, createTool, functionToolCall, memoryStore, textOf, traceRecorder } from "kumiko";
import { type Agent, createAgent, subAgents, summarize, todoList } from "kumiko/agents";
import { type Call, type CassetteOptions, calls, cassette, matchCalls, type Tape } from "kumiko/evals";
import { Agent as MastraAgent } from "kumiko/mastra";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { newFolder, untouchable } from "./temporary-folder.js";

type Script = readonly ScriptEntry[];

/** What a test does with a tape: first with models that follow a script, then with models that must not be asked. */
async function recordedAndReplayed<T>(
  work: (tape: Tape, modelOf: (...script: Script) => AgenticModel, isReplay: boolean) => Promise<T>,
): Promise<{ readonly live: T; readonly replayed: T; readonly stats: Tape["stats"][] }> {
  const folder = newFolder();
  const over = (mode: CassetteOptions["mode"]) => cassette(folder, { mode });
  const [recording, replaying] = [over("auto"), over("replay")];
  const live = await work(recording, (...script) => recording.model(scriptedModel(...script)), false);
  const replayed = await work(replaying, () => replaying.model(untouchable()), true);
  return { live, replayed, stats: [recording.stats, replaying.stats] };
}

let ids = 0;
/** Live models give other ids each time. */
const asks = (name: string, input: object) => [
  functionToolCall({ callId: `call-${++ids}`, name, arguments: JSON.stringify(input) }),
];

/** Counts how often its work is done. */
function countedTool(tape: Tape, id: string, more: { readonly requireApproval?: boolean } = {}) {
  let count = 0;
  const tool = createTool({
    id,
    description: `Does ${id}.`,
    inputSchema: z.object({ city: z.string() }),
    ...more,
    execute: ({ city }) => {
      count += 1;
      return { city, celsius: 21 };
    },
  });
  return { tools: tape.tools([tool]), done: () => count };
}

/** The calls without the ids of runs in them. */
async function callsOf(agent: Agent, question: string, threadId?: string): Promise<Call[]> {
  const trace = traceRecorder();
  await agent.generate(question, { callbacks: [trace], ...(threadId !== undefined && { threadId }) });
  return calls(trace.toJSON());
}

describe("an agent on a tape", () => {
  test("waits for the same approval, and its thread is the same", async () => {
    const { live, replayed, stats } = await recordedAndReplayed(async (tape, modelOf, isReplay) => {
      const weather = countedTool(tape, "get_weather");
      const book = countedTool(tape, "book", { requireApproval: true });
      const model = modelOf(
        [...asks("get_weather", { city: "Kyoto" }), ...asks("get_weather", { city: "Nara" })],
        "Both have 21 °C.",
        asks("book", { city: "Kyoto" }),
        "Booked.",
      );
      const store = memoryStore();
      const agent = createAgent({ model, tools: [...weather.tools, ...book.tools], store });
      const first = await agent.generate("Where is it warmer?", { threadId: "t" });
      const held = await agent.generate("Book the warmer one", { threadId: "t" });
      if (held.finishReason !== "waiting") throw new Error("It does not wait.");
      expect(book.done()).toBe(0);
      const done = await agent.resume({ threadId: "t" }, { [held.interrupts[0].id]: { approved: true } });
      expect([weather.done(), book.done()]).toEqual(isReplay ? [0, 0] : [2, 1]);
      return [first.text, calls(first), done.text, calls(done), held.interrupts[0].info];
    });
    const withoutIds = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replace(/call-\d+/g, "id"));
    expect(withoutIds(replayed)).toEqual(withoutIds(live));
    expect(stats).toEqual([
      { replayed: 0, recorded: 7, reused: 0 },
      { replayed: 7, recorded: 0, reused: 0 },
    ]);
  });

  test("plans, delegates and keeps its talk short again, with the calls of the agents behind it", async () => {
    const { live, replayed, stats } = await recordedAndReplayed(async (tape, modelOf) => {
      const weather = countedTool(tape, "get_weather");
      const researcher = createAgent({
        name: "researcher",
        description: "Finds out.",
        model: modelOf(asks("get_weather", { city: "Kyoto" }), "21 °C."),
        tools: weather.tools,
      });
      const todos = (status: "pending" | "completed") => asks("write_todos", { todos: [{ content: "ask", status }] });
      const writer = createAgent({
        name: "writer",
        model: modelOf(
          todos("pending"),
          asks("task", { agent: "researcher", prompt: "Kyoto?" }),
          todos("completed"),
          "It is 21 °C in Kyoto.",
          "As I said: 21 °C.",
        ),
        middleware: [
          todoList(),
          subAgents({ agents: [researcher] }),
          summarize({ model: modelOf("They spoke about Kyoto."), atTokens: 300, keepTurns: 1 }),
        ],
        store: memoryStore(),
      });
      return [await callsOf(writer, "How warm is Kyoto?", "t"), await callsOf(writer, "Again?", "t")];
    });
    expect(replayed).toEqual(live);
    expect(stats[1]).toEqual({ replayed: stats[0]?.recorded, recorded: 0, reused: 0 });
    const [first = []] = replayed;
    expect(
      matchCalls(first, ["write_todos", { tool: "task", calls: [{ tool: "get_weather", agent: "researcher" }] }]),
    ).toEqual({ score: 1 });
  });

  test("of Mastra's API answers again", async () => {
    const { live, replayed } = await recordedAndReplayed(async (_tape, modelOf) => {
      const clerk = new MastraAgent({ name: "clerk", instructions: "Be brief.", model: modelOf("Two boxes.") });
      const { text, response } = await clerk.generate("How many?");
      return [text, response.messages?.length];
    });
    expect(replayed).toEqual(live);
  });

  test("streams the same text again", async () => {
    const { live, replayed } = await recordedAndReplayed(async (_tape, modelOf) => {
      const pieces: string[] = [];
      for await (const event of createAgent({ model: modelOf("It is warm.") }).stream("Warm?")) {
        if (event.type === "text_delta") pieces.push(event.delta);
        if (event.type === "finish") pieces.push(event.finishReason);
        if (event.type === "message") pieces.push(textOf(event.message));
      }
      return pieces;
    });
    expect(replayed).toEqual(live);
  });
});
