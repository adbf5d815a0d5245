import { createTool, memoryStore, type ToolContext, toolResultsOf } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, eventsOf } from "./agents.js";

class Row {
  id = 7;
  save(): void {}
}

const loop: Record<string, unknown> = {};
loop.self = loop;

/** What tools in TypeScript give, and what JSON makes of it. */
const values: [string, unknown, unknown][] = [
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a bigint", { n: 1n }, { n: "1" }],
  ["a class instance", new Row(), { id: 7 }],
  ["a field that is absent", { a: undefined, b: 1 }, { b: 1 }],
  ["a cycle", loop, { self: "[Circular]" }],
  ["a function", () => 1, undefined],
];

const agentWith = (execute: (input: unknown, ctx: ToolContext) => unknown, outputSchema?: z.ZodType) =>
  createAgent({
    model: scriptedModel([call("1", "tell")], "Done."),
    tools: [
      createTool({ id: "tell", description: "Tells.", inputSchema: z.object({}), execute, outputSchema } as never),
    ],
    store: memoryStore(),
  });

describe("events are JSON, whatever tools tell:", () => {
  it.each(values)("%s as progress", async (_name, given, json) => {
    const events = await eventsOf(agentWith((_input, ctx) => ctx.progress(given)).stream("Go"));
    const told = events.find(({ type }) => type === "tool_progress");
    expect(told).toMatchObject({ callId: "1" });
    expect((told as { value?: unknown }).value).toStrictEqual(json);
    expect(JSON.parse(JSON.stringify(events))).toStrictEqual(events);
  });

  it("progress as it was when it was told", async () => {
    const progress = { done: 0 };
    const agent = agentWith((_input, ctx) => {
      for (progress.done = 1; progress.done <= 2; progress.done++) ctx.progress(progress);
      return "ok";
    });
    const events = await eventsOf(agent.stream("Go"));
    expect(events.flatMap((event) => (event.type === "tool_progress" ? [event.value] : []))).toEqual([
      { done: 1 },
      { done: 2 },
    ]);
  });

  it.each(values.slice(0, 2).concat(values.slice(3, 5)))("%s in a question", async (_name, given, json) => {
    const stream = agentWith((_input, ctx) => ctx.ask("sure", { given })).stream("Go");
    const events = await eventsOf(stream);
    expect(JSON.parse(JSON.stringify(events))).toStrictEqual(events);
    const asked = events.find(({ type }) => type === "interrupt");
    expect(asked).toMatchObject({ interrupt: { info: { given: json } } });
    expect((await stream.result).interrupts[0]?.info).toEqual({ given });
  });

  it.each(values)("%s as an output that does not fit, which a thread keeps", async (_name, given, json) => {
    const agent = agentWith(() => given, z.object({ never: z.string() }));
    const stream = agent.stream("Go", { threadId: "t" });
    const events = await eventsOf(stream);
    expect(JSON.parse(JSON.stringify(events))).toStrictEqual(events);
    const { messages, text } = await stream.result;
    expect(text).toBe("Done.");
    const [result] = messages.flatMap(toolResultsOf);
    expect(result).toMatchObject({ errorKind: "output_validation" });
    expect(result?.extra?.output).toStrictEqual(json);
  });
});

it("a thread keeps the result of an output that does not fit", async () => {
  const store = memoryStore();
  const agent = createAgent({
    model: scriptedModel([call("1", "load")], "Done.", "Bye."),
    store,
    tools: [
      createTool({
        ...{ id: "load", description: "Loads.", inputSchema: z.object({}), outputSchema: z.object({ n: z.number() }) },
        execute: () => new Row() as never,
      }),
    ],
  });
  await agent.generate("1", { threadId: "t" });
  await agent.generate("2", { threadId: "t" });
  expect((await threads(store).messages("t")).flatMap(toolResultsOf)[0]?.extra).toEqual({ output: { id: 7 } });
});
