import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  each,
  functionToolCall,
  Graph,
  isInterrupt,
  lambda,
  memoryStore,
  START,
  StreamReader,
  traceRecorder,
  userMessage,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import { readTrace, type TraceNode } from "kumiko/callbacks";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { open, openAgent, watchersOf } from "./listener.js";

function all(nodes: readonly TraceNode[]): TraceNode[] {
  return nodes.flatMap((node) => [node, ...all(node.children)]);
}

const call = (callId: string, name: string, input: object) =>
  functionToolCall({ callId, name, arguments: JSON.stringify(input) });
const usage = { promptTokens: 7, completionTokens: 3, totalTokens: 10 };

async function* streamed(...texts: string[]): AsyncGenerator<AgenticMessage> {
  for (const text of texts) {
    yield { role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }] };
  }
  yield { role: "assistant", contentBlocks: [], responseMeta: { tokenUsage: usage, model: "acme/gpt" } };
}

describe("a trace", () => {
  it("identifies its spans, and joins the segments of a run by the run key", async () => {
    const trace = traceRecorder();
    const app = new Chain<string>()
      .append((text, ctx) => ctx.ask<string>("name", text), { key: "ask" })
      .compile({ name: "asking", store: memoryStore(), callbacks: [trace] });
    const stop = await app.invoke("Who?", { checkpointId: "c-1" }).catch((error: unknown) => error);
    if (!isInterrupt(stop)) throw stop;
    await app.resume("c-1", { [stop.interrupts[0].id]: "me" });
    await app.invoke("Who?", { checkpointId: "c-2" }).catch(() => undefined);
    const { runs, graphs } = trace.toJSON();
    const ids = all(runs).map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    expect(runs.map(({ checkpointId }) => checkpointId)).toEqual(["c-1", "c-1", "c-2"]);
    const [first, second, third] = runs.map(({ runKey }) => runKey);
    expect(first).toEqual(expect.any(String));
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(all(runs).flatMap(({ graph = [] }) => graph)).toEqual(["asking", "asking", "asking"]);
    expect(graphs).toEqual({ asking: app.graphInfo() });
    expect(runs[0]?.children[0]).not.toHaveProperty("runKey");
  });

  it("keeps graphs of one name apart where they differ", async () => {
    const trace = traceRecorder();
    const graphOf = (key: string, name: string) => new Chain<number>().append((n) => n, { key }).compile({ name });
    const apps = [graphOf("a", "one"), graphOf("a", "one"), graphOf("b", "one"), graphOf("c", "__proto__")];
    for (const app of apps) for (const n of [1, 2]) await app.invoke(n, { callbacks: [trace] });
    const { runs, graphs } = readTrace(JSON.parse(JSON.stringify(trace)));
    const keys = ["one", "one", "one", "one", "one#2", "one#2", "__proto__", "__proto__"];
    expect(runs.map(({ graph }) => graph)).toEqual(keys);
    expect(Object.entries(graphs).map(([key, { nodes }]) => [key, nodes[0]?.key])).toEqual([
      ["one", "a"],
      ["one#2", "b"],
      ["__proto__", "c"],
    ]);
  });

  it("has the tokens, the model and the growth of a streamed answer", async () => {
    const trace = traceRecorder();
    const agent = createAgent({ model: scriptedModel(() => streamed("Hel", "lo!")), callbacks: [trace] });
    await agent.stream("Hi").result;
    const model = all(trace.toJSON().runs).find(({ component }) => component === "model");
    expect(model).toMatchObject({ usage, model: "acme/gpt", attempt: 1, chunks: { count: 3 } });
    expect(model?.chunks?.at.map(([, length]) => length)).toEqual([3, 6, 6]);
    expect(model?.chunks?.at.every(([ms]) => ms >= 0 && ms < 10_000)).toBe(true);
    expect(model?.output).toMatchObject({ message: { contentBlocks: [{ text: "Hello!" }] } });
  });

  it("has the usage of an answer in one piece, and no chunks", async () => {
    const trace = traceRecorder();
    const answer = assistantMessage("Hello!", { responseMeta: { tokenUsage: usage } });
    await createAgent({ model: scriptedModel(answer), callbacks: [trace] }).generate("Hi");
    const model = all(trace.toJSON().runs).find(({ component }) => component === "model");
    expect(model).toMatchObject({ usage, model: "ScriptedModel" });
    expect(model).not.toHaveProperty("chunks");
  });

  it("has at most 200 marks of a long stream, with the first and the last", async () => {
    const trace = traceRecorder();
    const write = lambda({
      async *stream(count: number) {
        for (let n = 0; n < count; n++) yield "ab";
      },
    });
    const app = new Chain<number>().append(write).compile({ callbacks: [trace] });
    for (const count of [1, 199, 200, 201, 1_000, 4_321]) {
      trace.clear();
      await app.stream(count).concat();
      const { chunks } = trace.toJSON().runs[0]?.children[0] ?? {};
      expect(chunks?.count).toBe(count);
      expect(chunks?.at.length).toBeLessThanOrEqual(200);
      expect(chunks?.at.length).toBeGreaterThanOrEqual(Math.min(count, 100));
      expect([chunks?.at[0]?.[1], chunks?.at.at(-1)?.[1]]).toEqual([2, 2 * count]);
    }
  });

  it("has events with their times, and the attempt of what was tried again", async () => {
    const trace = traceRecorder();
    let tries = 0;
    const app = new Chain<string>()
      .append(
        (text, ctx) => {
          ctx.progress({ half: true });
          if (++tries === 1) throw new Error("not yet");
          return text;
        },
        { key: "shaky", retry: { attempts: 3, delayMs: 0, retryOn: () => true } },
      )
      .compile({ callbacks: [trace] });
    await app.invoke("go");
    const [node] = trace.toJSON().runs[0]?.children ?? [];
    expect(node).toMatchObject({
      attempt: 2,
      events: [
        { kind: "progress", event: { half: true } },
        { kind: "retry", error: { message: "not yet" } },
        { kind: "progress", event: { half: true } },
      ],
    });
    const starts = node?.events?.map(({ at }) => at - (node?.startedAt ?? 0)) ?? [];
    expect(starts.every((ms) => ms >= 0 && ms < 10_000)).toBe(true);
  });

  it("numbers the attempts of a model", async () => {
    const trace = traceRecorder();
    const busy = Object.assign(new Error("busy"), { isRetryable: true });
    const model = scriptedModel(busy, "Hello!");
    await createAgent({ model, retry: { attempts: 2, delayMs: 0 }, callbacks: [trace] }).generate("Hi");
    const models = all(trace.toJSON().runs).filter(({ component }) => component === "model");
    expect(models.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});

describe("streams in a trace", () => {
  it("records the input of an agent in a streamed graph", async () => {
    const trace = traceRecorder();
    const agent = createAgent({ name: "helper", model: scriptedModel(() => streamed("Hel", "lo!")) });
    const app = new Graph<string, AgenticMessage>()
      .addNode("ask", (text: string) => [userMessage(text)])
      .addNode("helper", agent.graph)
      .addEdge(START, "ask")
      .addEdge("ask", "helper")
      .addEdge("helper", END)
      .compile({ name: "outer", callbacks: [trace] });
    await app.stream("Hi").concat();
    const spans = all(trace.toJSON().runs);
    const agentSpan = spans.find(({ component }) => component === "agent");
    expect(agentSpan).toMatchObject({ input: [userMessage("Hi")], output: { contentBlocks: [{ text: "Hello!" }] } });
    expect(spans.filter(({ input }) => input === undefined)).toEqual([]);
    expect(agentSpan?.chunks?.count).toBeGreaterThan(1);
  });

  it("records a streamed input joined, for the graph and for its nodes", async () => {
    const trace = traceRecorder();
    const upper = lambda({
      async *transform(chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) yield chunk.toUpperCase();
      },
    });
    const app = new Chain<string>().append(upper).compile({ callbacks: [trace] });
    const text = await app.transform(StreamReader.from(["to ", "be"])).concat();
    expect(text).toBe("TO BE");
    const [root] = trace.toJSON().runs;
    expect(root).toMatchObject({ input: "to be", output: "TO BE", children: [{ input: "to be", output: "TO BE" }] });
  });

  it("records what was read of an input that was left or has failed", async () => {
    const trace = traceRecorder();
    const first = lambda({
      async *transform(chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) {
          yield chunk;
          return;
        }
      },
    });
    const app = new Chain<string>().append(first).compile({ callbacks: [trace] });
    await app.transform(StreamReader.from(["a", "b", "c"])).concat();
    expect(trace.toJSON().runs).toMatchObject([{ output: "a", children: [{ input: "a" }] }]);
    trace.clear();
    async function* broken() {
      yield "a";
      throw new Error("cut");
    }
    await expect(app.transform(broken()).concat()).resolves.toBe("a");
    expect(trace.toJSON().runs[0]?.children[0]?.input).toBe("a");
  });

  it("lists the chunks that do not join", async () => {
    const trace = traceRecorder();
    const odd = lambda({
      async *stream() {
        yield "a";
        yield 1;
      },
    });
    const app = new Chain<string>().append(odd).compile({ callbacks: [trace] });
    for await (const _ of app.stream("go")) void _;
    expect(trace.toJSON().runs[0]?.children[0]).toMatchObject({ output: ["a", 1], chunks: { count: 2 } });
  });

  it("says of a stream that fails only what the error was", async () => {
    const trace = traceRecorder();
    const cut = lambda({
      async *stream() {
        yield "a";
        throw new Error("cut");
      },
    });
    const app = new Chain<string>().append(cut).compile({ callbacks: [trace] });
    await expect(app.stream("go").concat()).rejects.toThrow("cut");
    const [node] = trace.toJSON().runs[0]?.children ?? [];
    expect(node).toMatchObject({ error: { message: "cut" }, chunks: { count: 1, at: [[expect.any(Number), 1]] } });
    expect(node).not.toHaveProperty("output");
    expect(node).not.toHaveProperty("running");
  });
});

describe("the graphs and ids of a trace", () => {
  const expert = () => createAgent({ name: "expert", description: "Knows.", model: scriptedModel("42") });

  it("has the graph of an agent that a tool runs, and the ids of tool calls", async () => {
    const trace = traceRecorder();
    const model = scriptedModel([call("c-7", "expert", { prompt: "What?" })], "It is 42.");
    const boss = createAgent({ name: "boss", model, tools: [expert().asTool()], store: memoryStore() });
    await boss.generate("Tell me", { threadId: "t-1", callbacks: [trace] });
    const { runs, graphs } = trace.toJSON();
    const spans = all(runs);
    expect(runs).toMatchObject([{ name: "boss", threadId: "t-1", graph: "boss" }]);
    expect(spans.find(({ component }) => component === "tool")).toMatchObject({ toolCallId: "c-7" });
    const inner = spans.find(({ name }) => name === "expert" && true);
    expect(spans.filter(({ component }) => component === "agent").map(({ graph }) => graph)).toEqual([
      "boss",
      "expert",
    ]);
    expect(inner).not.toHaveProperty("runKey");
    expect(Object.keys(graphs)).toEqual(["boss", "expert"]);
  });

  it("gives a root the thread of the first agent in it", () => {
    const trace = traceRecorder();
    const watchers = watchersOf([trace]);
    const root = open("outer", watchers, undefined, "graph");
    root.start("in");
    for (const threadId of ["t-1", "t-2"]) {
      const agent = openAgent(threadId, watchers, root);
      agent.start("Hi");
      agent.end("Hi.");
    }
    root.end("out");
    expect(trace.toJSON().runs).toMatchObject([{ name: "outer", threadId: "t-1" }]);
    expect(trace.toJSON().runs[0]?.children[0]).not.toHaveProperty("threadId");
  });

  it("describes what runs for each item inside the node", async () => {
    const trace = traceRecorder();
    const inner = new Chain<number>().append((n) => n + 1, { key: "add" }).compile({ name: "inner" });
    const app = new Chain<number[]>().append(each(inner), { key: "all" }).compile({ name: "outer" });
    await app.invoke([1, 2], { callbacks: [trace] });
    const { graphs, runs } = readTrace(JSON.parse(JSON.stringify(trace)));
    expect(Object.keys(graphs)).toEqual(["outer"]);
    expect(graphs.outer?.nodes[0]).toMatchObject({ type: "each", graph: { nodes: [{ key: "add" }] } });
    expect(all(runs).filter(({ name }) => name === "add")).toHaveLength(2);
  });
});

describe("meta of the outermost run", () => {
  it("has its key, its checkpoint and its graph", async () => {
    const metas: unknown[] = [];
    const watch = { onStart: ({ meta }: { meta?: unknown }) => void metas.push(meta) };
    const app = new Chain<string>()
      .append(
        new Chain<string>().append((text) => text, { key: "deep" }),
        { key: "inner" },
      )
      .compile({ name: "outer", store: memoryStore(), callbacks: [watch] });
    await app.invoke("a");
    expect(metas).toEqual([
      { runKey: expect.any(String), graph: "outer", info: expect.any(Function) },
      undefined,
      undefined,
    ]);
    const [{ info }] = metas as [{ info: () => unknown }];
    expect(info()).toEqual(app.graphInfo());
    await app.invoke("a", { checkpointId: "c-1" });
    expect(metas[3]).toMatchObject({ checkpointId: "c-1", runKey: expect.any(String) });
    expect((metas[3] as { runKey: string }).runKey).not.toBe((metas[0] as { runKey: string }).runKey);
  });

  it("is that of no lone node", async () => {
    const metas: unknown[] = [];
    const tools = new AgenticToolsNode({ tools: [createTool({ id: "a", description: "", execute: () => "done" })] });
    await tools.invoke(assistantMessage([call("1", "a", {})]), {
      callbacks: [{ onStart: ({ meta }) => void metas.push(meta) }],
    });
    expect(metas[0]).toBeUndefined();
  });
});
