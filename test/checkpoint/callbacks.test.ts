import {
  type AgenticMessage,
  AgenticToolsNode,
  Chain,
  createTool,
  END,
  events,
  Graph,
  isInterrupt,
  memoryStore,
  type NodeContext,
  type RunEvent,
  START,
  traceRecorder,
} from "kumiko";
import { readTrace } from "kumiko/callbacks";
import { type RecordingHandler, recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { call, calls } from "../tools/node/calls.js";
import { idOf, infosOf, interruptOf, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

const line = () =>
  new Chain<string>()
    .append((text) => text, { key: "first" })
    .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`, { key: "asks" })
    .append((text) => text, { key: "last" })
    .compile({ name: "app", store: memoryStore() });

/** Every run that started has exactly one end. */
function expectOneEndEach(recorder: RecordingHandler): void {
  const ends = new Map<string, number>();
  for (const { timing, info } of recorder.events) {
    if (timing === "onStart" || timing === "onStartWithStreamInput") ends.set(info.runId, 0);
    else if (timing !== "onEvent") ends.set(info.runId, (ends.get(info.runId) ?? Number.NaN) + 1);
  }
  expect([...ends.values()].every((count) => count === 1)).toBe(true);
  expect(recorder.unfinished()).toEqual([]);
}

describe("Handlers of a run that stops for a question", () => {
  it("hear onInterrupt of the node and of the graph, and no error", async () => {
    const recorder = recordingHandler();
    await questionOf(line().invoke("x", { ...run, callbacks: [recorder] }));
    expect(recorder.names()).toEqual([
      "onStart app",
      "onStart first",
      "onEnd first",
      "onStart asks",
      "onInterrupt asks",
      "onInterrupt app",
    ]);
    const values = recorder.events.filter(({ timing }) => timing === "onInterrupt").map(({ value }) => value);
    expect(values.map(isInterrupt)).toEqual([true, true]);
  });

  it("hear on resume only of what runs then, each with a start and an end", async () => {
    const app = line();
    const { id } = await questionOf(app.invoke("x", run));
    const recorder = recordingHandler();
    await app.resume("run", { [id]: "!" }, { callbacks: [recorder] });
    expect(recorder.names()).toEqual([
      "onStart app",
      "onStart asks",
      "onEnd asks",
      "onStart last",
      "onEnd last",
      "onEnd app",
    ]);
    expect(recorder.events.at(-1)?.value).toBe("x!");
    const inputs = recorder.events.filter(({ timing, info }) => timing === "onStart" && info.name === "asks");
    expect(inputs[0]?.value).toBe("x");
  });

  it("hear nothing of a place that goes on waiting", async () => {
    const asking = (key: string) => async (_text: string, ctx: NodeContext) => `${await ctx.ask("q", key)}`;
    const app = new Graph<string, unknown>()
      .addNode("a", asking("a"), { outputKey: "a" })
      .addNode("b", asking("b"), { outputKey: "b" })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile({ name: "app", store: memoryStore() });
    const both = await interruptOf(app.invoke("", run));
    const recorder = recordingHandler();
    await interruptOf(app.resume("run", { [idOf(both, "a")]: 1 }, { callbacks: [recorder] }));
    expect(recorder.names()).toEqual(["onStart app", "onStart a", "onEnd a", "onInterrupt app"]);
  });

  it("hear nothing of a resume that is refused", async () => {
    const recorder = recordingHandler();
    const app = line();
    await errorOf(app.resume("nothing", {}, { callbacks: [recorder] }));
    expect(recorder.events).toEqual([]);
  });

  it("hear of a streaming node that asks in mid-stream one end, which is no error", async () => {
    const app = new Chain<string>()
      .append(
        async function* (text: string, ctx) {
          yield text;
          yield `${await ctx.ask("q", "?")}`;
        },
        { key: "writer" },
      )
      .compile({ name: "app", store: memoryStore() });
    const recorder = recordingHandler();
    const { id } = await questionOf(app.stream("x", { ...run, callbacks: [recorder] }).concat());
    await turns();
    expectOneEndEach(recorder);
    expect(recorder.names("onInterrupt").sort()).toEqual(["app", "writer"]);
    expect(recorder.names("onError")).toEqual([]);
    const again = recordingHandler();
    await app.resumeStream("run", { [id]: "!" }, { callbacks: [again] }).concat();
    await turns();
    expectOneEndEach(again);
    expect(again.names("onEnd").sort()).toEqual(["app", "writer"]);
  });

  it("with streams hear onInterrupt of a node that asks before its first chunk", async () => {
    const app = line();
    const recorder = recordingHandler({ streams: true });
    await questionOf(app.stream("x", { ...run, callbacks: [recorder] }).concat());
    await recorder.settled();
    expect(recorder.names("onInterrupt").sort()).toEqual(["app", "asks"]);
    expect(recorder.names("onError")).toEqual([]);
    expectOneEndEach(recorder);
  });

  it("hear of graphs inside and of child runs", async () => {
    const inner = new Chain<string>()
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`, { key: "y" })
      .compile({ name: "inner" });
    const app = new Chain<string>()
      .append((text, ctx) => inner.invoke(text, { parent: ctx }), { key: "x" })
      .compile({ name: "app", store: memoryStore() });
    const recorder = recordingHandler();
    const { id } = await questionOf(app.invoke("-", { ...run, callbacks: [recorder] }));
    expect(recorder.names().slice(-4)).toEqual([
      "onInterrupt y",
      "onInterrupt inner",
      "onInterrupt x",
      "onInterrupt app",
    ]);
    const again = recordingHandler();
    await app.resume("run", { [id]: "!" }, { callbacks: [again] });
    expect(again.names()).toEqual([
      "onStart app",
      "onStart x",
      "onStart inner",
      "onStart y",
      "onEnd y",
      "onEnd inner",
      "onEnd x",
      "onEnd app",
    ]);
    expectOneEndEach(again);
  });

  it("hear of tools: onInterrupt of the one that asks, onEnd of the others, and on resume only of the one", async () => {
    const tool = (id: string, execute: (ctx: NodeContext) => unknown) =>
      createTool({ id, description: id, execute: (_input, ctx) => execute(ctx) });
    const app = new Chain<AgenticMessage>()
      .appendToolsNode(new AgenticToolsNode([tool("asks", (ctx) => ctx.ask("q", "?")), tool("fine", () => "fine")]), {
        key: "tools",
      })
      .compile({ name: "app", store: memoryStore() });
    const recorder = recordingHandler();
    const message = calls(call("asks"), call("fine"));
    const { id } = await questionOf(app.invoke(message, { ...run, callbacks: [recorder] }));
    expect(recorder.names("onStart")).toEqual(["app", "tools", "asks", "fine"]);
    expect(recorder.names("onInterrupt")).toEqual(["asks", "tools", "app"]);
    expect(recorder.names("onEnd")).toEqual(["fine"]);
    expectOneEndEach(recorder);
    const again = recordingHandler();
    await app.resume("run", { [id]: "!" }, { callbacks: [again] });
    expect(again.names()).toEqual([
      "onStart app",
      "onStart tools",
      "onStart asks",
      "onEnd asks",
      "onEnd tools",
      "onEnd app",
    ]);
  });

  it("hear onInterrupt when user code has swallowed the question", async () => {
    const recorder = recordingHandler();
    const app = new Chain<string>()
      .append((_text, ctx) => ctx.ask("q", "?").catch(() => "swallowed"), { key: "asks" })
      .compile({ name: "app", store: memoryStore() });
    await questionOf(app.invoke("", { ...run, callbacks: [recorder] }));
    expect(recorder.names()).toEqual(["onStart app", "onStart asks", "onInterrupt asks", "onInterrupt app"]);
  });

  it("hear onInterrupt of the graph for a stop before a node, which does not start", async () => {
    const recorder = recordingHandler();
    const app = new Chain<string>()
      .append((text) => text, { key: "a" })
      .append((text) => text, { key: "b" })
      .compile({ name: "app", store: memoryStore(), interruptBefore: ["b"] });
    await questionOf(app.invoke("", { ...run, callbacks: [recorder] }));
    expect(recorder.names()).toEqual(["onStart app", "onStart a", "onEnd a", "onInterrupt app"]);
    const again = recordingHandler();
    await app.resume("run", undefined, { callbacks: [again] });
    expect(again.names()).toEqual(["onStart app", "onStart b", "onEnd b", "onEnd app"]);
  });

  it("hear an error of the graph when an ordinary error wins, and still onInterrupt of the node that asked", async () => {
    const app = new Graph<string, unknown>()
      .addNode("asks", async (_text: string, ctx) => `${await ctx.ask("q", "?")}`, { outputKey: "asks" })
      .addNode("fails", () => turns().then(() => Promise.reject(new Error("broken"))), { outputKey: "fails" })
      .addEdge(START, "asks")
      .addEdge(START, "fails")
      .addEdge("asks", END)
      .addEdge("fails", END)
      .compile({ name: "app", store: memoryStore() });
    const recorder = recordingHandler();
    await errorOf(app.invoke("", { ...run, callbacks: [recorder] }));
    expectOneEndEach(recorder);
    expect(recorder.names("onError")).toEqual(["fails", "app"]);
    expect(recorder.names("onInterrupt")).toEqual(["asks"]);
  });
});

describe("Traces of runs that stop", () => {
  it("have the interrupt, and no error; they are JSON", async () => {
    const trace = traceRecorder();
    await questionOf(line().invoke("x", { ...run, callbacks: [trace] }));
    const [root] = readTrace(JSON.parse(JSON.stringify(trace))).runs;
    expect(root).toMatchObject({ name: "app", children: [{ name: "first", output: "x" }, { name: "asks" }] });
    for (const node of [root, root?.children[1]]) {
      expect(node?.interrupt).toBeDefined();
      expect(node).not.toHaveProperty("error");
      expect(node).not.toHaveProperty("output");
      expect(node).not.toHaveProperty("running");
    }
  });

  it("of the resumed run are trees of their own", async () => {
    const app = line();
    const trace = traceRecorder();
    const { id } = await questionOf(app.invoke("x", { ...run, callbacks: [trace] }));
    await app.resume("run", { [id]: "!" }, { callbacks: [trace] });
    const [first, second] = trace.toJSON().runs;
    expect(first?.children.map(({ name }) => name)).toEqual(["first", "asks"]);
    expect(second).toMatchObject({ name: "app", output: "x!" });
    expect(second?.children.map(({ name }) => name)).toEqual(["asks", "last"]);
    expect(second).not.toHaveProperty("interrupt");
  });
});

describe("events() of a run that stops", () => {
  it("tells of the interrupts, and then rejects with it", async () => {
    const app = line();
    const seen: RunEvent[] = [];
    const error = await interruptOf(
      (async () => {
        for await (const event of events(app, "x", run)) seen.push(event);
      })(),
    );
    expect(infosOf(error)).toEqual(["?"]);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_event, n) => n));
    expect(seen.filter(({ type }) => type === "interrupt").map(({ info }) => info.name)).toEqual(["asks", "app"]);
    expect(seen.some(({ type }) => type === "error")).toBe(false);
    expect(await app.resume("run", { [String(error.interrupts[0]?.id)]: "!" })).toBe("x!");
  });

  it("tells of chunks before the interrupt", async () => {
    const app = new Chain<string>()
      .append(
        async function* (text: string, ctx) {
          yield text;
          yield `${await ctx.ask("q", "?")}`;
        },
        { key: "writer" },
      )
      .compile({ name: "app", store: memoryStore() });
    const seen: string[] = [];
    await rejectedBy(
      (async () => {
        for await (const { type, info } of events(app, "x", run)) seen.push(`${type} ${info.name}`);
      })(),
    );
    expect(seen).toContain("chunk writer");
    expect(seen.filter((event) => event.startsWith("interrupt")).sort()).toEqual(["interrupt app", "interrupt writer"]);
  });
});
