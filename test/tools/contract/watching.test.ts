import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  componentHandlers,
  concatMessages,
  createTool,
  END,
  events,
  functionToolCall,
  Graph,
  type Handler,
  RunEmitter,
  type RunInfo,
  Runtime,
  START,
  StreamReader,
  toolCallsOf,
  toolCallsOr,
  traceRecorder,
} from "kumiko";
import type { SideEvent } from "kumiko/callbacks";
import { assistantGenText } from "kumiko/schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, gate, joined, noting, readAll, rejectionOf, textsOf, ticks } from "./asking.js";

const ok = createTool({ id: "ok", description: "", execute: () => "fine" });
const flow = createTool({
  id: "flow",
  description: "",
  execute: async function* () {
    yield "a";
    yield "b";
  },
});
const fail = createTool({
  id: "fail",
  description: "",
  execute: (): string => {
    throw new Error("broken");
  },
});
const ofTools = (info: RunInfo) => info.component === "tool";

describe("handlers", () => {
  it("see { arguments } and { result } of every tool, inside the run of the node", async () => {
    for (const mode of ["invoke", "stream"] as const) {
      const log: unknown[] = [];
      const infos: RunInfo[] = [];
      const handler: Handler = {
        onStart: (info, value) => {
          infos.push(info);
          if (ofTools(info)) log.push(["start", info.name, info.toolCallId, value]);
        },
        onEnd: (info, value) => void (ofTools(info) && log.push(["end", info.name, info.toolCallId, value])),
      };
      const node = new AgenticToolsNode({ tools: [ok, flow], executeSequentially: true });
      const message = asking(["ok", '{"x": 1}', "o"], ["flow", "", "f"]);
      if (mode === "invoke") await node.invoke(message, { callbacks: [handler] });
      else await joined(node.stream(message, { callbacks: [handler] }));
      expect(log).toEqual([
        ["start", "ok", "o", { arguments: '{"x": 1}' }],
        ["end", "ok", "o", { result: "fine" }],
        ["start", "flow", "f", { arguments: "" }],
        ["end", "flow", "f", { result: "ab" }],
      ]);
      const nodeRun = infos.find(({ component }) => component === "tools_node");
      expect(nodeRun).toBeDefined();
      for (const info of infos.filter(ofTools)) expect(info.parentRunId).toBe(nodeRun?.runId);
      expect(new Set(infos.map(({ runId }) => runId)).size).toBe(infos.length);
    }
  });

  it("with streams get copies of { result } chunks, and may leave early or never read", async () => {
    for (const use of ["read", "leave", "ignore", "cancel"] as const) {
      const seen: unknown[] = [];
      const handler: Handler = {
        onEndWithStreamOutput: async (info, stream) => {
          if (!ofTools(info)) return void (await stream.cancel());
          if (use === "ignore") return;
          if (use === "cancel") return void (await stream.cancel());
          for await (const chunk of stream) {
            seen.push(chunk);
            if (use === "leave") break;
          }
        },
      };
      const node = new AgenticToolsNode([flow]);
      expect(textsOf(await joined(node.stream(asking(["flow"]), { callbacks: [handler] })))).toEqual(["ab"]);
      await ticks(1);
      expect(seen).toEqual(
        use === "read" ? [{ result: "a" }, { result: "b" }] : use === "leave" ? [{ result: "a" }] : [],
      );
    }
  });

  it("hear of every failure, before execution too, exactly once for each start", async () => {
    const deaf = createTool({
      id: "deaf",
      description: "",
      timeoutMs: 5,
      execute: () => new Promise<string>(() => {}),
    });
    const typed = createTool({
      id: "typed",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      execute: () => "x",
    });
    for (const mode of ["invoke", "stream"] as const) {
      for (const onToolError of ["throw", "result"] as const) {
        const open = new Map<string, string[]>();
        const note = (what: string) => (info: RunInfo) =>
          void open.set(info.runId, [...(open.get(info.runId) ?? []), `${what} ${info.name}`]);
        const handler: Handler = {
          onStart: note("start"),
          onEnd: note("end"),
          onError: note("error"),
          onInterrupt: note("interrupt"),
        };
        const node = new AgenticToolsNode({ tools: [ok, fail, deaf, typed], onToolError });
        for (const message of [
          asking(["ok"], ["fail"], ["deaf"]),
          asking(["ok"], ["typed"], ["nope"], ["typed", "{"]),
        ]) {
          const options = { callbacks: [handler] };
          const run = mode === "invoke" ? node.invoke(message, options) : joined(node.stream(message, options));
          await run.catch(() => {});
        }
        await ticks(2);
        const logs = [...open.values()];
        for (const log of logs) {
          expect(log).toHaveLength(2);
          expect(log[0]).toMatch(/^start/);
        }
        for (const name of ["fail", "deaf", "nope"]) {
          expect(logs.filter(([start]) => start === `start ${name}`)).toEqual([[`start ${name}`, `error ${name}`]]);
        }
        expect(logs.filter(([start]) => start === "start typed")).toEqual([
          ["start typed", "error typed"],
          ["start typed", "error typed"],
        ]);
      }
    }
  });

  it("that throw break nothing", async () => {
    const errors: unknown[] = [];
    const boom = () => {
      throw new Error("handler");
    };
    const runtime = new Runtime({
      onHandlerError: (error, timing) => void errors.push([(error as Error).message, timing]),
    });
    const run = new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([ok, flow])).compile({ runtime });
    const callbacks: Handler[] = [
      {
        onStart: boom,
        onEnd: boom,
        onError: boom,
        onEvent: boom,
        onEndWithStreamOutput: boom,
        onStartWithStreamInput: boom,
      },
    ];
    const message = asking(["ok"], ["flow"]);
    expect(textsOf(await run.invoke(message, { callbacks }))).toEqual(["fine", "ab"]);
    expect(textsOf(await joined(run.stream(message, { callbacks })))).toEqual(["fine", "ab"]);
    expect(errors.length).toBeGreaterThan(3);
  });

  it("typed by component reach the tools of a chain, and know the call id", async () => {
    const seen: unknown[] = [];
    const handler = componentHandlers({
      tool: {
        onStart: (info, { arguments: text }) => {
          seen.push([info.toolCallId, text]);
        },
        onEnd: (info, { result }) => void seen.push([info.toolCallId, result]),
        onError: (info, error) => void seen.push([info.toolCallId, (error as Error).message.slice(-6)]),
      },
    });
    const run = new Chain<AgenticMessage>()
      .appendToolsNode(new AgenticToolsNode({ tools: [ok, fail], onToolError: "result" }))
      .compile();
    await run.invoke(asking(["ok", {}, "c1"], ["fail", {}, "c2"]), { callbacks: [handler] });
    expect(seen).toHaveLength(4);
    expect(seen).toEqual(
      expect.arrayContaining([
        ["c1", "{}"],
        ["c1", "fine"],
        ["c2", "{}"],
        ["c2", "broken"],
      ]),
    );
  });

  it("see tool calls as events, emitted events and traces", async () => {
    const node = new AgenticToolsNode([ok]);
    const emitter = new RunEmitter();
    const emitted: string[] = [];
    emitter.on("tool:start", (info) => void emitted.push(`start ${info.toolCallId}`));
    emitter.on("tool:end", (_info, value) => void emitted.push(`end ${JSON.stringify(value)}`));
    const trace = traceRecorder();
    await node.invoke(asking(["ok"]), { callbacks: [emitter, trace] });
    expect(emitted).toEqual(["start 1", 'end {"result":"fine"}']);
    expect(JSON.stringify(trace.toJSON())).toContain('"name":"ok"');
    const types: string[] = [];
    for await (const event of events(node, asking(["ok"]))) types.push(`${event.type} ${event.info.component}`);
    expect(types).toEqual(expect.arrayContaining(["start tools_node", "start tool", "end tool", "end tools_node"]));
  });

  it("given for the place of the node hear of its tools", async () => {
    const names: string[] = [];
    const run = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", new AgenticToolsNode([ok]))
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile();
    await run.invoke(asking(["ok"]), {
      nodes: { tools: { callbacks: [{ onStart: (info) => void names.push(info.name) }] } },
    });
    expect(names).toEqual(["tools", "ok"]);
  });

  it("hear of an aborted call at the abort, and of its late result as an event", async () => {
    const door = gate();
    const begun = gate();
    const late = createTool({
      id: "late",
      description: "",
      execute: async () => {
        begun.open();
        await door.opened;
        return "late";
      },
    });
    const log: string[] = [];
    const handler: Handler = {
      onError: (info, error) => void log.push(`error ${info.name} ${(error as Error).name}`),
      onEnd: (info) => void log.push(`end ${info.name}`),
      onEvent: (info, value) => void log.push(`event ${info.name} ${(value as SideEvent).kind}`),
    };
    const controller = new AbortController();
    const outcome = rejectionOf(
      new AgenticToolsNode([late]).invoke(asking(["late"]), { signal: controller.signal, callbacks: [handler] }),
    );
    await begun.opened;
    controller.abort();
    await outcome;
    expect(log.filter((line) => line.startsWith("error late"))).toHaveLength(1);
    door.open();
    await ticks(3);
    expect(log.at(-1)).toBe("event late late_result");
    expect(log.filter((line) => line.startsWith("end"))).toEqual([]);
  });
});

describe("hooks", () => {
  /** A message in the pieces in which a model would write it. */
  const pieces = (...texts: readonly string[]): AgenticMessage[] =>
    texts.map((text, index) =>
      assistantMessage([
        {
          ...functionToolCall({ callId: index === 0 ? "c" : "", name: index === 0 ? "t" : "", arguments: text }),
          streamingMeta: { index: 0 },
        },
      ]),
    );
  function watched(more: object = {}) {
    const log: string[] = [];
    const params: Record<string, Record<string, unknown>> = {};
    const note = (name: string) => (value: object) => {
      params[name] = value as Record<string, unknown>;
      const { inputTextDelta } = value as { inputTextDelta?: string };
      log.push(inputTextDelta === undefined ? name : `${name} ${inputTextDelta}`);
    };
    const tool = createTool({
      id: "t",
      description: "",
      inputSchema: z.object({ city: z.string().default("here") }),
      execute: ({ city }) => {
        log.push("execute");
        return `in ${city}`;
      },
      onInputStart: note("start"),
      onInputDelta: note("delta"),
      onInputAvailable: note("available"),
      onOutput: note("output"),
      ...more,
    });
    return { log, params, tool };
  }

  it("run in order with their parameters, behind a model and a stream branch", async () => {
    const { log, params, tool } = watched();
    const chunks = pieces('{"ci', 'ty":', '"Kyoto"}');
    const model = {
      component: "model" as const,
      generate: async () => concatMessages(chunks),
      async *stream() {
        yield* chunks;
      },
    };
    const run = new Graph<AgenticMessage[], AgenticMessage[]>()
      .addModelNode("model", model)
      .addToolsNode("tools", new AgenticToolsNode([tool]))
      .addNode("none", () => [] as AgenticMessage[])
      .addEdge(START, "model")
      .addStreamBranch("model", ["tools", "none"], toolCallsOr("tools", "none"))
      .addEdge("tools", END)
      .addEdge("none", END)
      .compile();
    expect(textsOf(await joined(run.stream([])))).toEqual(["in Kyoto"]);
    expect(log).toEqual(["start", 'delta {"ci', 'delta ty":', 'delta "Kyoto"}', "available", "execute", "output"]);
    for (const name of ["start", "delta", "available", "output"]) {
      expect(params[name]).toMatchObject({
        toolCallId: "c",
        abortSignal: expect.any(AbortSignal),
        messages: expect.any(Array),
      });
    }
    expect(params.available).toMatchObject({ input: { city: "Kyoto" } });
    expect(params.output).toMatchObject({ output: "in Kyoto", toolName: "t" });
    const [told] = (params.available?.messages ?? []) as AgenticMessage[];
    expect(toolCallsOf(told ?? assistantMessage([]))).toHaveLength(1);
  });

  it("for a whole message are onInputAvailable and onOutput only, for valid input only", async () => {
    const { log, tool } = watched();
    const node = new AgenticToolsNode({ tools: [tool], onToolError: "result" });
    await node.invoke(asking(["t", { city: "a" }], ["t", { city: 7 }], ["t", "{"]));
    await ticks(1);
    expect(log).toEqual(["available", "execute", "output"]);
    log.length = 0;
    await rejectionOf(new AgenticToolsNode([tool]).invoke(asking(["t", { city: "a" }], ["nope"])));
    await ticks(1);
    expect(log).toEqual(["available"]);
  });

  it("onOutput hears of success only", async () => {
    const { log, tool } = watched({
      execute: () => {
        throw new Error("x");
      },
    });
    await new AgenticToolsNode({ tools: [tool], onToolError: "result" }).invoke(asking(["t"]));
    await ticks(1);
    expect(log).toEqual(["available"]);
  });

  it("that fail, at once or later, are events and fail no call", async () => {
    const kinds: unknown[] = [];
    for (const failing of [
      () => {
        throw new Error("hook");
      },
      () => Promise.reject(new Error("hook")),
    ]) {
      const { tool } = watched({
        onInputStart: failing,
        onInputDelta: failing,
        onInputAvailable: failing,
        onOutput: failing,
      });
      const stream = new AgenticToolsNode([tool]).transform(StreamReader.from(pieces("{", "}")), {
        callbacks: [{ onEvent: (_info, value) => void kinds.push((value as SideEvent).kind) }],
      });
      expect(textsOf(await joined(stream))).toEqual(["in here"]);
      await ticks(1);
    }
    expect(kinds.length).toBeGreaterThanOrEqual(8);
    expect(new Set(kinds)).toEqual(new Set(["hook_error"]));
  });

  it("are not awaited", async () => {
    const never = () => new Promise<void>(() => {});
    const { tool } = watched({ onInputStart: never, onInputDelta: never, onInputAvailable: never, onOutput: never });
    expect(textsOf(await joined(new AgenticToolsNode([tool]).transform(StreamReader.from(pieces("{", "}")))))).toEqual([
      "in here",
    ]);
  });

  it("of several calls whose pieces alternate go to their own calls, by alias and model-facing name too", async () => {
    const log: string[] = [];
    const make = (id: string) =>
      createTool({
        id,
        description: "",
        execute: () => id,
        onInputStart: ({ toolCallId }) => void log.push(`${id} start ${toolCallId}`),
        onInputDelta: ({ toolCallId, inputTextDelta }) => void log.push(`${id} ${toolCallId} ${inputTextDelta}`),
        onInputAvailable: ({ toolCallId }) => void log.push(`${id} available ${toolCallId}`),
      });
    const piece = (index: number, callId: string, name: string, text: string) =>
      assistantMessage([{ ...functionToolCall({ callId, name, arguments: text }), streamingMeta: { index } }]);
    const node = new AgenticToolsNode({
      tools: [make("a"), make("b.c")],
      toolAliases: { a: { nameAliases: ["alpha"] } },
    });
    const dotted = node.infos[1]?.name ?? "";
    const chunks = [
      piece(0, "1", "alpha", "{"),
      piece(1, "2", dotted, "{"),
      piece(0, "", "", '"x":1'),
      piece(1, "", "", "}"),
      piece(0, "", "", "}"),
    ];
    const results = await joined(node.transform(StreamReader.from(chunks)));
    expect(textsOf(results)).toEqual(["a", "b.c"]);
    expect(log.filter((line) => line.startsWith("a "))).toEqual([
      "a start 1",
      "a 1 {",
      'a 1 "x":1',
      "a 1 }",
      "a available 1",
    ]);
    expect(log.filter((line) => line.startsWith("b.c "))).toEqual([
      "b.c start 2",
      "b.c 2 {",
      "b.c 2 }",
      "b.c available 2",
    ]);
  });

  it("of a tool with nothing but a hook work: its call goes out to a client", async () => {
    const seen: unknown[] = [];
    const tool = createTool({ id: "t", description: "", onInputAvailable: ({ input }) => void seen.push(input) });
    const error = await rejectionOf(new AgenticToolsNode([tool]).invoke(asking(["t", { a: 1 }])));
    expect(error).toMatchObject({ interrupts: [{ info: { kind: "client_tool", input: { a: 1 } } }] });
    expect(seen).toEqual([{ a: 1 }]);
  });
});

describe("streamed messages", () => {
  it("are one message: pieces, empty pieces and text around the calls", async () => {
    const chunks = [
      assistantMessage([{ ...assistantGenText({ text: "I will" }), streamingMeta: { index: 0 } }]),
      assistantMessage([]),
      assistantMessage([
        { ...functionToolCall({ callId: "1", name: "ok", arguments: "" }), streamingMeta: { index: 1 } },
      ]),
      assistantMessage([
        { ...functionToolCall({ callId: "", name: "", arguments: "{}" }), streamingMeta: { index: 1 } },
      ]),
      assistantMessage([
        { ...functionToolCall({ callId: "2", name: "flow", arguments: "{}" }), streamingMeta: { index: 2 } },
      ]),
    ];
    const node = new AgenticToolsNode([ok, flow]);
    const copy = structuredClone(chunks);
    expect(textsOf(await node.collect(StreamReader.from(chunks)))).toEqual(["fine", "ab"]);
    expect(textsOf(await joined(node.transform(StreamReader.from(chunks))))).toEqual(["fine", "ab"]);
    expect(chunks).toEqual(copy);
  });

  it("that are empty, or fail, fail the node with that", async () => {
    const node = new AgenticToolsNode([ok]);
    expect(await rejectionOf(node.collect(StreamReader.from<AgenticMessage>([])))).toMatchObject({
      name: "KumikoError",
    });
    async function* torn() {
      yield asking(["ok"]);
      throw new Error("model is gone");
    }
    for (const run of [() => node.collect(torn()), () => readAll(node.transform(torn()))]) {
      expect(((await rejectionOf(run())) as Error).message).toContain("model is gone");
    }
  });

  it("give ctx.messages: the assistant message, or the per-call option", async () => {
    const seen: unknown[] = [];
    const tool = createTool({
      id: "t",
      description: "",
      execute: (_input, { messages }) => noting(seen, messages, "x"),
    });
    const node = new AgenticToolsNode([tool]);
    const message = asking(["t"]);
    await node.invoke(message);
    const history = [assistantMessage("hello"), message];
    await node.invoke(message, { options: { toolsNode: { messages: history } } });
    await joined(node.stream(message));
    expect(seen).toEqual([[message], history, [message]]);
    expect(blocksOf(await node.invoke(message))).toHaveLength(1);
  });
});
