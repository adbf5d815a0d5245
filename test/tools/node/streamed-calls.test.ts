import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  concatMessages,
  createTool,
  END,
  functionToolCall,
  Graph,
  type Handler,
  InterruptError,
  lambda,
  memoryStore,
  pipe,
  START,
  StreamReader,
  userMessage,
} from "kumiko";
import type { ToolHookCall } from "kumiko/components";
import { assistantGenText } from "kumiko/schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, calls, rejection, settled, textsOf } from "./calls.js";

/** A piece of a call, as a model streams it. */
function piece(index: number, fields: { callId?: string; name?: string; arguments?: string }): AgenticMessage {
  const { callId = "", name = "", arguments: text = "" } = fields;
  return assistantMessage(functionToolCall({ callId, name, arguments: text, streamingMeta: { index } }));
}

function listening(log: unknown[]) {
  const write = (what: string) => (hook: ToolHookCall) => log.push(`${what} ${hook.toolCallId}`);
  return createTool({
    id: "echo",
    description: "",
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }, { toolCallId }) => {
      log.push(`execute ${toolCallId}`);
      return text;
    },
    onInputStart: write("start"),
    onInputDelta: (hook) => log.push(`delta ${hook.toolCallId} ${hook.inputTextDelta}`),
    onInputAvailable: write("input"),
    onOutput: write("output"),
  });
}

const chunks = [
  assistantMessage(assistantGenText({ text: "Let me see", streamingMeta: { index: 0 } })),
  piece(1, { callId: "a", name: "echo" }),
  piece(1, { arguments: '{"text":' }),
  piece(2, { callId: "b", name: "echo", arguments: '{"text":"' }),
  piece(1, { arguments: '"x"}' }),
  piece(2, { arguments: 'y"}' }),
];

const heard = [
  "start a",
  'delta a {"text":',
  "start b",
  'delta b {"text":"',
  'delta a "x"}',
  'delta b y"}',
  "input a",
  "input b",
  "execute a",
  "output a",
  "execute b",
  "output b",
];

describe("hooks of a call whose message streams in", () => {
  it("hear of its start and of each piece, before its input, its run and its output", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode([listening(log)]);
    expect(textsOf(await node.collect(StreamReader.from(chunks)))).toEqual(["x", "y"]);
    expect(log).toEqual(heard);
    log.length = 0;
    expect(textsOf(await node.transform(StreamReader.from(chunks)).concat())).toEqual(["x", "y"]);
    expect(new Set(log)).toEqual(new Set(heard));
    expect(log.slice(0, 8)).toEqual(heard.slice(0, 8));
  });

  it("hear of it while the message is still on its way", async () => {
    const log: unknown[] = [];
    const { reader, writer } = pipe<AgenticMessage>();
    const results = new AgenticToolsNode([listening(log)]).collect(reader);
    await writer.write(piece(0, { callId: "a", name: "echo" }));
    await settled();
    expect(log).toEqual(["start a"]);
    await writer.write(piece(0, { arguments: '{"text":"x"}' }));
    await settled();
    expect(log).toEqual(["start a", 'delta a {"text":"x"}']);
    await writer.close();
    expect(textsOf(await results)).toEqual(["x"]);
  });

  it("hear of no start and no piece when the message is there at once", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode([listening(log)]);
    const wanted = ["input a", "execute a", "output a"];
    await node.invoke(calls(call("echo", { text: "x" }, "a")));
    expect(log.splice(0)).toEqual(wanted);
    await node.stream(calls(call("echo", { text: "x" }, "a"))).concat();
    expect(log).toEqual(wanted);
  });

  it("hear of pieces that have the call at once", async () => {
    const log: unknown[] = [];
    await new AgenticToolsNode([listening(log)]).collect(
      StreamReader.from([calls(call("echo", { text: "x" }, "a"), call("echo", { text: "y" }, "b"))]),
    );
    expect(log.slice(0, 4)).toEqual(["start a", 'delta a {"text":"x"}', "start b", 'delta b {"text":"y"}']);
  });

  it("get the messages so far, or those of the call option, and the signal", async () => {
    const seen: { messages: readonly AgenticMessage[]; abortSignal: AbortSignal; toolName: string }[] = [];
    const tool = createTool({
      id: "echo",
      description: "",
      execute: () => "",
      onInputStart: ({ messages, abortSignal, toolName }) => seen.push({ messages, abortSignal, toolName }),
      onInputDelta: ({ messages, abortSignal, toolName }) => seen.push({ messages, abortSignal, toolName }),
    });
    const node = new AgenticToolsNode([tool]);
    const stream = [piece(0, { callId: "a", name: "echo", arguments: "{" }), piece(0, { arguments: "}" })];
    await node.collect(StreamReader.from(stream));
    expect(seen.map(({ messages }) => messages)).toEqual([
      [concatMessages(stream.slice(0, 1))],
      [concatMessages(stream.slice(0, 1))],
      [concatMessages(stream)],
    ]);
    expect(seen.every(({ abortSignal }) => abortSignal instanceof AbortSignal)).toBe(true);
    expect(seen.map(({ toolName }) => toolName)).toEqual(["echo", "echo", "echo"]);
    seen.length = 0;
    const messages = [userMessage("hello")];
    await node.collect(StreamReader.from(stream), { options: { toolsNode: { messages } } });
    expect(seen.map(({ messages }) => messages)).toEqual([messages, messages, messages]);
  });

  it("get the ids of the results, also where the model gave none or one twice", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode([listening(log)]);
    const stream = [
      piece(0, { callId: "a", name: "echo", arguments: '{"text":"x"}' }),
      piece(1, { callId: "a", name: "echo", arguments: '{"text":' }),
      piece(1, { arguments: '"y"}' }),
      piece(2, { name: "echo", arguments: '{"text":"z"}' }),
    ];
    const ids = node
      .normalize(concatMessages(stream))
      .contentBlocks.flatMap((block) => (block.type === "function_tool_call" ? [block.callId] : []));
    await node.collect(StreamReader.from(stream));
    expect(new Set(ids).size).toBe(3);
    expect(log.slice(0, 7)).toEqual([
      "start a",
      'delta a {"text":"x"}',
      `start ${ids[1]}`,
      `delta ${ids[1]} {"text":`,
      `delta ${ids[1]} "y"}`,
      `start ${ids[2]}`,
      `delta ${ids[2]} {"text":"z"}`,
    ]);
  });

  it("never fail a call", async () => {
    const events: unknown[] = [];
    const error = new Error("mine");
    const tool = createTool({
      id: "echo",
      description: "",
      execute: () => "ok",
      onInputStart: () => Promise.reject(error),
      onInputDelta: () => {
        throw error;
      },
    });
    const handler: Handler = { onEvent: (info, event) => events.push([info.component, event]) };
    const results = await new AgenticToolsNode([tool]).collect(
      StreamReader.from([piece(0, { callId: "a", name: "echo", arguments: "{}" })]),
      { callbacks: [handler] },
    );
    expect(textsOf(results)).toEqual(["ok"]);
    await settled();
    const common = { kind: "hook_error", toolName: "echo", callId: "a", error };
    expect(events).toEqual(
      expect.arrayContaining([
        ["tools_node", { ...common, hook: "onInputDelta" }],
        ["tools_node", { ...common, hook: "onInputStart" }],
      ]),
    );
    expect(events).toHaveLength(2);
  });

  it("leave errors of the message what they are", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode([listening(log)]);
    expect(await rejection(node.collect(StreamReader.from([assistantMessage("hello")])))).toMatchObject({
      code: "NO_TOOL_CALL",
      results: [],
    });
    expect(await rejection(node.collect(StreamReader.from([userMessage("hello")])))).toMatchObject({
      code: "INVALID_MESSAGE",
    });
    const broken = new Error("the model is gone");
    const stream = async function* () {
      yield piece(0, { callId: "a", name: "echo" });
      throw broken;
    };
    const withoutHooks = await rejection(new AgenticToolsNode([]).transform(stream()).concat());
    const error = await rejection(node.transform(stream()).concat());
    expect(error).toMatchObject({ cause: broken });
    expect(String(error)).toBe(String(withoutHooks));
    expect(log).toEqual(["start a"]);
  });

  it("hear of what a model streams in a graph, and once only when the run stops and goes on", async () => {
    const log: unknown[] = [];
    const asks = createTool({
      id: "asks",
      description: "",
      execute: async (_input, ctx) => `answer: ${await ctx.ask<string>("name", "Who?")}`,
      onInputStart: ({ toolCallId }) => log.push(`start ${toolCallId}`),
      onInputDelta: ({ inputTextDelta }) => log.push(inputTextDelta),
    });
    const model = lambda<string, AgenticMessage>({
      stream: async function* () {
        yield piece(0, { callId: "a", name: "asks", arguments: "{" });
        yield piece(0, { arguments: "}" });
      },
    });
    const graph = new Graph<string, AgenticMessage[]>()
      .addNode("model", model)
      .addToolsNode("tools", new AgenticToolsNode([asks]))
      .addEdge(START, "model")
      .addEdge("model", "tools")
      .addEdge("tools", END)
      .compile({ store: memoryStore() });
    const error = await rejection(graph.stream("go", { checkpointId: "run" }).concat());
    expect(log).toEqual(["start a", "{", "}"]);
    if (!InterruptError.is(error)) throw error;
    const answers = { [error.interrupts[0]?.id ?? ""]: "Ann" };
    expect(textsOf((await graph.resume("run", answers)) as AgenticMessage[])).toEqual(["answer: Ann"]);
    expect(log).toEqual(["start a", "{", "}"]);
  });
});
