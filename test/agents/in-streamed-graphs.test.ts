import {
  type AgenticMessage,
  assistantMessage,
  Chain,
  concatMessages,
  createTool,
  END,
  type FunctionToolCall,
  Graph,
  InterruptError,
  memoryStore,
  START,
  textOf,
  userMessage,
} from "kumiko";
import { createAgent, createMiddleware } from "kumiko/agents";
import { recordingHandler, type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, failureOf, weatherCall, weatherTool } from "./agents.js";

const piece = (text: string): AgenticMessage =>
  assistantMessage([{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }]);
const pieces = (text: string): AgenticMessage[] => text.split(/(?<= )/).map(piece);
const asking = (given: FunctionToolCall): AgenticMessage =>
  assistantMessage([{ ...given, streamingMeta: { index: 1 } }]);

function graphOf(script: readonly ScriptEntry[], options: Partial<Parameters<typeof createAgent>[0]> = {}) {
  const model = scriptedModel(...script);
  const { tool, ran } = weatherTool();
  const agent = createAgent({ name: "helper", model, tools: [tool], ...(options as object) });
  const app = new Chain<string>()
    .append((text: string) => [userMessage(text)])
    .append(agent.graph)
    .compile({ name: "outer", store: memoryStore() });
  return { model, agent, app, ran };
}

async function chunksOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("an agent inside a streamed graph", () => {
  it("streams: its model is asked with stream, and a piece is there before the next one is made", async () => {
    let made = 0;
    async function* answer() {
      for (const text of ["It ", "is ", "warm."]) {
        made += 1;
        yield piece(text);
      }
    }
    const { app, model } = graphOf([[call("1", "get_weather", { city: "Kyoto" })], answer()]);
    const reader = app.stream("Weather?")[Symbol.asyncIterator]();
    expect(made).toBe(0);
    const first = await reader.next();
    expect(textOf(first.value as AgenticMessage)).toBe("It ");
    expect(made).toBeLessThan(3);
    expect(textOf((await reader.next()).value as AgenticMessage)).toBe("is ");
    expect(textOf((await reader.next()).value as AgenticMessage)).toBe("warm.");
    expect((await reader.next()).done).toBe(true);
    expect(model.calls.map(({ method }) => method)).toEqual(["stream", "stream"]);
  });

  it("shows recorders its input", async () => {
    const { app } = graphOf([pieces("It is warm.")]);
    const recorder = recordingHandler();
    await chunksOf(app.stream("Weather?", { callbacks: [recorder] }));
    const [start] = recorder.events.filter(({ timing, info }) => timing === "onStart" && info.component === "agent");
    expect(start?.value).toEqual([userMessage("Weather?")]);
    expect(recorder.unfinished()).toEqual([]);
  });

  it("takes back what it wrote before a tool call, which the next piece says", async () => {
    const { app } = graphOf([[...pieces("Let me look."), asking(weatherCall("1", "Kyoto"))], pieces("It is warm.")]);
    const chunks = await chunksOf(app.stream("Weather?"));
    expect(chunks.map(textOf)).toEqual(["Let ", "me ", "look.", "It ", "is ", "warm."]);
    expect(chunks.map(({ restart }) => restart === true)).toEqual([false, false, false, true, false, false]);
    expect(textOf(concatMessages(chunks))).toBe("It is warm.");
  });

  const scripts: Record<string, { script: readonly ScriptEntry[]; options?: object }> = {
    "an answer": { script: [pieces("It is warm.")] },
    "an answer after a tool": { script: [[weatherCall("1", "Kyoto")], pieces("It is warm.")] },
    "an answer after text and a tool": {
      script: [[...pieces("Let me look."), asking(weatherCall("1", "Kyoto"))], pieces("It is warm.")],
    },
    "an answer that a middleware changes": {
      script: [pieces("It is warm.")],
      options: {
        middleware: [
          createMiddleware({ name: "loud", afterModel: () => ({ message: assistantMessage("IT IS WARM.") }) }),
        ],
      },
    },
    "an answer that a middleware makes": {
      script: [],
      options: {
        middleware: [createMiddleware({ name: "mock", wrapModelCall: () => assistantMessage("It is warm.") })],
      },
    },
    "a result that is returned directly": {
      script: [[...pieces("Look."), asking(weatherCall("1", "Kyoto"))]],
      options: { returnDirectly: ["get_weather"] },
    },
    "an answer to too many steps": {
      script: [[weatherCall("1", "Kyoto")], pieces("It is warm.")],
      options: { maxSteps: 1, onMaxSteps: "answer" },
    },
    "an end by maxSteps": {
      script: [[...pieces("Look."), asking(weatherCall("1", "Kyoto"))]],
      options: { maxSteps: 1, onMaxSteps: "stop" },
    },
    "an output with a schema, repaired": {
      script: [pieces("no JSON"), pieces('{"warm": true}')],
      options: { output: z.object({ warm: z.boolean() }), outputMode: "native" },
    },
    "an answer after a retry": {
      script: [new Error("fetch failed"), pieces("It is warm.")],
      options: { retry: { attempts: 2, delayMs: 0, retryOn: () => true } },
    },
  };

  it.each(Object.entries(scripts))(
    "has the value of invoke in every way to run: %s",
    async (_name, { script, options }) => {
      const make = () => graphOf(script, options).app;
      const whole = await make().invoke("Weather?");
      const chunks = await chunksOf(make().stream("Weather?"));
      expect(concatMessages(chunks)).toEqual(whole);
      expect(await make().stream("Weather?").concat()).toEqual(whole);
      expect(await make().collect(streamOf("Weather?"))).toEqual(whole);
      expect(await make().transform(streamOf("Weather?")).concat()).toEqual(whole);
      const watched = recordingHandler({ streams: true });
      expect(
        await make()
          .stream("Weather?", { callbacks: [watched] })
          .concat(),
      ).toEqual(whole);
      expect(await make().stream("Weather?", { checkpointId: "c" }).concat()).toEqual(whole);
      await watched.settled();
      expect(watched.unfinished()).toEqual([]);
    },
  );

  it.each([
    ["before it has written", [weatherCall("1", "Kyoto")] as const],
    ["after it has written", [...pieces("Let me look."), asking(weatherCall("1", "Kyoto"))]],
  ])("waits for an answer, asked %s, and goes on", async (_when, first) => {
    const { tool, ran } = weatherTool({ requireApproval: true });
    const { app, model } = graphOf([first as ScriptEntry, pieces("It is warm.")], { tools: [tool] });
    const seen: AgenticMessage[] = [];
    let error: unknown;
    try {
      for await (const chunk of app.stream("Weather?", { checkpointId: "c" })) seen.push(chunk);
    } catch (thrown) {
      error = thrown;
    }
    if (!InterruptError.is(error)) return expect.unreachable();
    expect(ran).toEqual([]);
    const resumed = await chunksOf(app.resumeStream("c", { [error.interrupts[0].id]: { approved: true } }));
    expect(textOf(concatMessages(resumed))).toBe("It is warm.");
    expect(resumed.length).toBe(3);
    expect(ran).toEqual(["Kyoto"]);
    expect(model.calls).toHaveLength(2);
  });

  it("fails as it does whole, before and after its first piece", async () => {
    async function* breaking() {
      yield piece("It ");
      throw new Error("The line broke.");
    }
    for (const answer of [new Error("The line broke."), breaking()]) {
      const { app } = graphOf([answer]);
      const failure = await failureOf(chunksOf(app.stream("Weather?")));
      expect(failure.message).toContain("The line broke.");
      expect(failure).toMatchObject({ nodePath: ["node_1", "model"] });
    }
  });

  it("hands its failure to an error branch, and is tried again by its node", async () => {
    const agentOf = (...script: ScriptEntry[]) => createAgent({ name: "helper", model: scriptedModel(...script) });
    const messages = [userMessage("Hi")];
    const saved = new Graph<AgenticMessage[], unknown>()
      .addNode("helper", agentOf(new Error("broken")).graph)
      .addNode("sorry", () => "Sorry.")
      .addEdge(START, "helper")
      .addEdge("helper", END)
      .addErrorBranch("helper", ["sorry"], () => "sorry")
      .addEdge("sorry", END)
      .compile();
    expect(await saved.stream(messages).concat()).toBe("Sorry.");
    const tried = new Graph<AgenticMessage[], AgenticMessage>()
      .addNode("helper", agentOf(new Error("broken"), pieces("It is warm.")).graph, {
        retry: { attempts: 2, delayMs: 0, retryOn: () => true },
      })
      .addEdge(START, "helper")
      .addEdge("helper", END)
      .compile();
    expect((await chunksOf(tried.stream(messages))).map(textOf)).toEqual(["It ", "is ", "warm."]);
  });

  it("is stopped when its reader leaves", async () => {
    let isStopped = false;
    async function* endless() {
      try {
        for (;;) yield piece("on ");
      } finally {
        isStopped = true;
      }
    }
    const { app } = graphOf([endless()]);
    for await (const chunk of app.stream("Go")) {
      expect(textOf(chunk)).toBe("on ");
      break;
    }
    await expect.poll(() => isStopped).toBe(true);
  });

  it("streams beside other nodes, into nodes that read pieces, and two at once", async () => {
    const one = createAgent({ name: "one", model: scriptedModel(pieces("a b ")) });
    const two = createAgent({ name: "two", model: scriptedModel(pieces("c d ")) });
    const app = new Graph<AgenticMessage[], Record<string, string>>()
      .addNode("one", one.graph)
      .addNode("two", two.graph)
      .addNode("text", textOf, { outputKey: "one" })
      .addNode("other", textOf, { outputKey: "two" })
      .addEdge(START, "one")
      .addEdge(START, "two")
      .addEdge("one", "text")
      .addEdge("two", "other")
      .addEdge("text", END)
      .addEdge("other", END)
      .compile({ triggerMode: "allPredecessor" });
    expect(await app.stream([userMessage("Hi")]).concat()).toEqual({ one: "a b ", two: "c d " });
  });

  it("is heard by the events of an agent around it", async () => {
    const users: (string | undefined)[] = [];
    const inner = createAgent({
      name: "inner",
      description: "Helps.",
      model: scriptedModel(pieces("inner text")),
      instructions: ({ userId }) => {
        users.push(userId);
        return "x";
      },
    });
    const wrap = createTool({
      id: "wrap",
      description: "Runs a graph.",
      inputSchema: z.object({}),
      execute: async (_input, ctx) => textOf(await inner.graph.invoke([userMessage("Hi")], { parent: ctx })),
    });
    const outer = createAgent({
      model: scriptedModel([call("1", "wrap")], "Done."),
      tools: [wrap],
      store: memoryStore(),
    });
    const texts: string[] = [];
    for await (const event of outer.stream("Go", { threadId: "t", userId: "ann" })) {
      if (event.type === "text_delta") texts.push(event.delta);
    }
    expect(texts.join("")).toBe("inner textDone.");
    expect(users).toEqual(["ann"]);
  });
});

async function* streamOf<T>(value: T): AsyncGenerator<T, void> {
  yield value;
}
