import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  asTool,
  Chain,
  END,
  Graph,
  lambda,
  memoryStore,
  type Runnable,
  START,
  type StreamReader,
  type ToolCallMiddleware,
  type ToolContext,
} from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { effects, idOf, interruptOf } from "../checkpoint/interrupt-of.js";
import { forever, gate, turns } from "../run/gate.js";
import { blocksOf, call, calls, rejection, textsOf, toolError } from "../tools/node/calls.js";

const inputSchema = z.object({ text: z.string() });
type Input = z.output<typeof inputSchema>;

const say = (runnable: Runnable<Input, unknown>) => asTool(runnable, { id: "say", description: "Says.", inputSchema });
const said = (text: string, callId = "1") => call("say", { text }, callId);

/** Each letter of the text is a chunk. */
const letters = new Graph<Input, string>()
  .addNode("spell", async function* ({ text }: Input) {
    yield* text;
  })
  .addEdge(START, "spell")
  .addEdge("spell", END)
  .compile({ name: "letters" });

/** The texts of the chunks that are there by now. */
function reading(stream: StreamReader<AgenticMessage[]>) {
  const heard: string[] = [];
  const end = (async () => {
    for await (const chunk of stream) heard.push(...textsOf(chunk.filter(Boolean)));
  })();
  return { heard, end };
}

describe("A Runnable as a tool, in a tools node that streams", () => {
  it("gives its chunks as it produces them", async () => {
    const more = gate();
    const slow = lambda({
      stream: async function* ({ text }: Input) {
        yield `${text} `;
        await more.promise;
        yield text;
      },
    });
    const { heard, end } = reading(new AgenticToolsNode([say(slow)]).stream(calls(said("a"))));
    await turns();
    expect(heard).toEqual(["a "]);
    more.open();
    await end;
    expect(heard).toEqual(["a ", "a"]);
  });

  it("streams beside others", async () => {
    const { heard, end } = reading(new AgenticToolsNode([say(letters)]).stream(calls(said("ab"), said("cd", "2"))));
    await end;
    expect(heard).toEqual(["a", "c", "b", "d"]);
  });

  it("does nothing before the first read, and is stopped when the stream is left", async () => {
    const did: string[] = [];
    const endless = lambda({
      stream: async function* ({ text }: Input) {
        did.push("begun");
        try {
          for (;;) yield text;
        } finally {
          did.push("stopped");
        }
      },
    });
    const stream = new AgenticToolsNode([say(endless)]).stream(calls(said("a")));
    await turns();
    expect(did).toEqual([]);
    for await (const _ of stream) break;
    await turns();
    expect(did).toEqual(["begun", "stopped"]);
  });

  it("fails as a tool does, with what it had said", async () => {
    const breaks = lambda({
      stream: async function* ({ text }: Input) {
        yield text;
        throw new Error("out of breath");
      },
    });
    const error = await toolError(new AgenticToolsNode([say(breaks)]).stream(calls(said("a"))).concat());
    expect(error).toMatchObject({ kind: "execution", toolName: "say", callId: "1" });
    const node = new AgenticToolsNode({ tools: [say(breaks)], onToolError: "result" });
    const [result] = blocksOf(await node.stream(calls(said("a"))).concat());
    expect(result).toMatchObject({ isError: true, result: expect.stringMatching(/^a\n.*out of breath/) });
  });

  it("has a time limit for the whole stream", async () => {
    const stuck = lambda({
      stream: async function* ({ text }: Input) {
        yield text;
        await forever();
      },
    });
    const node = new AgenticToolsNode({ tools: [say(stuck)], timeoutMs: 5 });
    expect(await toolError(node.stream(calls(said("a"))).concat())).toMatchObject({ kind: "timeout" });
  });
});

describe("A Runnable as a tool gives the same whole result, invoked and streamed:", () => {
  const kinds: readonly [string, Runnable<Input, unknown>][] = [
    ["texts in pieces", letters],
    ["a text at once", lambda({ invoke: ({ text }: Input) => text })],
    ["a record at once", lambda({ invoke: ({ text }: Input) => ({ text, length: text.length }) })],
    ["nothing", lambda({ invoke: () => undefined })],
    ["null", lambda({ invoke: () => null })],
    ["numbers in pieces", pieces([1, 2, 3])],
    ["the last of some texts", pieces(["draft", "final"], "last")],
    ["a list of texts", pieces(["a", "b"], "list")],
    ["records in pieces", pieces([{ a: "x" }, { a: "y", b: 1 }], "record")],
    ["parts of content", pieces([[{ type: "text", text: "a" }], [{ type: "text", text: "b" }]], "list")],
    ["what a function makes of the chunks", pieces(["b", "a"], (chunks: string[]) => chunks.sort().join())],
    ["a message in pieces", pieces([assistantMessage("to "), assistantMessage("be")])],
    ["records of a graph with output keys", keyed()],
    ["a graph in a graph", new Chain<Input>().append(new Chain<Input>().append(letters)).compile()],
  ];

  it.each(kinds)("%s", async (_kind, runnable) => {
    const node = new AgenticToolsNode([say(runnable)]);
    const invoked = await node.invoke(calls(said("abc")));
    expect(await node.stream(calls(said("abc"))).concat()).toEqual(invoked);
    expect(blocksOf(invoked)).toHaveLength(1);
  });

  function pieces<T>(chunks: readonly T[], concat?: "last" | "list" | "record" | ((chunks: T[]) => unknown)) {
    return lambda(
      {
        stream: async function* (_: Input) {
          yield* chunks;
        },
      },
      { concat },
    );
  }

  function keyed() {
    return new Graph<Input, { first: string; second: string }>()
      .addNode("first", letters, { outputKey: "first" })
      .addNode("second", letters, { outputKey: "second" })
      .addEdge(START, "first")
      .addEdge(START, "second")
      .addEdge("first", END)
      .addEdge("second", END)
      .compile();
  }
});

describe("A Runnable as a tool", () => {
  it("is a child of its call in both modes", async () => {
    for (const mode of ["invoke", "stream"] as const) {
      const handler = recordingHandler();
      const node = new AgenticToolsNode([say(letters)]);
      const options = { callbacks: [handler] };
      if (mode === "invoke") await node.invoke(calls(said("ab")), options);
      else await node.stream(calls(said("ab")), options).concat();
      const of = (name: string) => handler.events.filter(({ info }) => info.name === name);
      expect(of("letters").map(({ timing }) => timing)).toEqual(["onStart", "onEnd"]);
      expect(of("letters")[0]?.info.parentRunId).toBe(of("say")[0]?.info.runId);
      expect(of("letters")[0]?.value).toEqual({ text: "ab" });
      expect(of("letters")[1]?.value).toBe("ab");
      expect(of("say")[1]).toMatchObject({ timing: "onEnd", value: { result: "ab" } });
      expect(handler.unfinished()).toEqual([]);
    }
  });

  it("has the middlewares of the form in which it runs", async () => {
    const did: string[] = [];
    const middleware: ToolCallMiddleware = {
      invokable: (next) => (input, ctx) => {
        did.push("invokable");
        return next(input, ctx);
      },
      streamable: (next) => (input, ctx) => {
        did.push("streamable");
        return next(input, ctx).map((output) => (typeof output === "string" ? output.toUpperCase() : output));
      },
    };
    const node = new AgenticToolsNode({ tools: [say(letters)], toolCallMiddlewares: [middleware] });
    expect(textsOf(await node.invoke(calls(said("ab"))))).toEqual(["ab"]);
    const { heard, end } = reading(node.stream(calls(said("ab"))));
    await end;
    expect(heard).toEqual(["A", "B"]);
    expect(did).toEqual(["invokable", "streamable"]);
  });

  it("waits where it asks and goes on with the answer, streaming", async () => {
    const ran = effects();
    const asks = new Chain<Input>()
      .append(({ text }) => `${text}${ran.did(text)}`)
      .append(async (text, ctx) => `${text} ${await ctx.ask<string>("q", `${text}?`)}`, { key: "ask" })
      .append(async function* (text) {
        yield* text.split(" ");
      })
      .compile({ name: "asks" });
    const app = new Chain<AgenticMessage>()
      .appendToolsNode(new AgenticToolsNode([say(asks)]), { key: "tools" })
      .compile({ name: "app", store: memoryStore() });
    const message = calls(said("a"), said("b", "2"));
    const stopped = await interruptOf(app.stream(message, { checkpointId: "run" }).concat());
    const rest = await interruptOf(app.resumeStream("run", { [idOf(stopped, "a1?")]: "yes" }).concat());
    expect(rest.interrupts.map(({ address }) => address)).toEqual([
      "runnable:app;node:tools;tool:say:2;runnable:asks;node:ask",
    ]);
    const { heard, end } = reading(app.resumeStream("run", { [idOf(rest, "b1?")]: "no" }));
    await end;
    expect(heard).toEqual(["a1", "yes", "b1", "no"]);
    expect(ran.counts()).toEqual({ a: 1, b: 1 });
  });

  it("asks for approval before it streams", async () => {
    const tool = asTool(letters, { id: "say", description: "", inputSchema, requireApproval: true });
    const app = new Chain<AgenticMessage>()
      .appendToolsNode(new AgenticToolsNode([tool]), { key: "tools" })
      .compile({ name: "app", store: memoryStore() });
    const { interrupts } = await interruptOf(app.stream(calls(said("ab")), { checkpointId: "run" }).concat());
    const { heard, end } = reading(app.resumeStream("run", { [interrupts[0]?.id ?? ""]: { approved: true } }));
    await end;
    expect(heard).toEqual(["a", "b"]);
  });

  it("streams by itself, in a node of its own", async () => {
    const tool = say(letters);
    const app = new Chain<string>()
      .append((text, ctx) => tool.stream?.(JSON.stringify({ text }), ctx as ToolContext) ?? text)
      .compile();
    const chunks: unknown[] = [];
    for await (const chunk of app.stream("abc")) chunks.push(chunk);
    expect(chunks).toEqual(["a", "b", "c"]);
  });

  it("refuses arguments before anything runs", async () => {
    const never = lambda({ stream: () => Promise.reject(new Error("It has run.")) });
    const error = await rejection(new AgenticToolsNode([say(never)]).stream(calls(call("say", { text: 1 }))).concat());
    expect(error).toMatchObject({ kind: "validation" });
  });
});
