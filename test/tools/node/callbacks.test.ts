import {
  type AgenticMessage,
  AgenticToolsNode,
  componentHandlers,
  createTool,
  END,
  Graph,
  type Handler,
  START,
  type StreamReader,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { call, calls, deferred, rejection, settled, tool, toolError } from "./calls.js";

/** Writes down what it hears of tools. */
function listening(log: unknown[]): Handler {
  const write = (timing: string) => (info: { component: string; name: string }, value: unknown) => {
    if (info.component === "tool") log.push([timing, info.name, value instanceof Error ? value.message : value]);
  };
  return { onStart: write("start"), onEnd: write("end"), onError: write("error"), onEvent: write("event") };
}

const echo = tool("echo", ({ text }) => text);

describe("a call", () => {
  it("tells its arguments and its result", async () => {
    const log: unknown[] = [];
    const data = tool("data", () => ({ a: 1 }));
    await new AgenticToolsNode([echo, data]).invoke(calls(call("echo", { text: "x" }), call("data")), {
      callbacks: [listening(log)],
    });
    expect(log).toEqual([
      ["start", "echo", { arguments: '{"text":"x"}' }],
      ["end", "echo", { result: "x" }],
      ["start", "data", { arguments: "{}" }],
      ["end", "data", { result: '{"a":1}' }],
    ]);
  });

  it("is a run of its own inside the run of the node", async () => {
    const infos = new Map<string, { parentRunId: string | undefined; runId: string }>();
    const seen: object[] = [];
    const node = new AgenticToolsNode({ tools: [echo], toolAliases: { echo: { nameAliases: ["say"] } } });
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", node)
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile({ name: "app" });
    await graph.invoke(calls(call("say", { text: "x" }, "c1")), {
      callbacks: [
        {
          onStart: (info) => {
            infos.set(info.component, info);
            if (info.component === "tool") seen.push({ ...info, address: info.address });
          },
        },
      ],
    });
    expect(seen).toMatchObject([
      { name: "say", component: "tool", type: "", toolCallId: "c1", address: "runnable:app;node:tools;tool:say:c1" },
    ]);
    expect(infos.get("tool")?.parentRunId).toBe(infos.get("tools_node")?.runId);
  });

  it("gets the spans of the node and of its own start", async () => {
    const spans: unknown[] = [];
    await new AgenticToolsNode([echo]).invoke(calls(call("echo", { text: "x" })), {
      callbacks: [
        {
          onStart: (info, _value, span) => {
            spans.push(span);
            return info.component;
          },
          onEnd: (_info, _value, span) => spans.push(span),
        },
      ],
    });
    expect(spans).toEqual([undefined, "tools_node", "tool", "tools_node"]);
  });

  it("is heard by handlers for tools only, typed", async () => {
    const log: string[] = [];
    const handler = componentHandlers({
      tool: {
        onStart: (_info, { arguments: text }) => log.push(text),
        onEnd: (_info, { result }) => log.push(String(result)),
      },
    });
    await new AgenticToolsNode([echo]).invoke(calls(call("echo", { text: "x" })), { callbacks: [handler] });
    expect(log).toEqual(['{"text":"x"}', "x"]);
  });

  it("fails with the error that the node rejects with", async () => {
    const log: unknown[] = [];
    const errors: unknown[] = [];
    const broken = tool("broken", () => Promise.reject(new Error("no")));
    const failing = new AgenticToolsNode([broken]).invoke(calls(call("broken")), {
      callbacks: [listening(log), { onError: (info, error) => info.component === "tool" && errors.push(error) }],
    });
    const error = await toolError(failing);
    expect(errors).toEqual([error]);
    expect(log).toEqual([
      ["start", "broken", { arguments: "{}" }],
      ["error", "broken", error.message],
    ]);
  });

  it("starts and fails also when it fails before the tool runs", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode([echo]);
    await toolError(node.invoke(calls(call("echo", "{"), call("nope", "{}")), { callbacks: [listening(log)] }));
    expect(log).toEqual([
      ["start", "echo", { arguments: "{" }],
      ["error", "echo", expect.stringContaining("not valid JSON")],
      ["start", "nope", { arguments: "{}" }],
      ["error", "nope", expect.stringContaining("not found")],
    ]);
  });

  it("says nothing when it was not executed", async () => {
    const log: unknown[] = [];
    await toolError(
      new AgenticToolsNode([echo]).invoke(calls(call("echo"), call("nope")), { callbacks: [listening(log)] }),
    );
    expect(log.map((entry) => (entry as string[])[1])).toEqual(["nope", "nope"]);
  });

  it("starts and fails when a middleware fails in front of the tool", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [echo],
      toolCallMiddlewares: [{ invokable: () => () => Promise.reject(new Error("refused")) }],
    });
    await toolError(node.invoke(calls(call("echo")), { callbacks: [listening(log)] }));
    expect(log.map((entry) => (entry as string[])[0])).toEqual(["start", "error"]);
  });

  it("of an unknown tool that a handler answers is heard like any other", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode({ tools: [], unknownToolsHandler: () => "none" });
    await node.invoke(calls(call("nope")), { callbacks: [listening(log)] });
    expect(log).toEqual([
      ["start", "nope", { arguments: "{}" }],
      ["end", "nope", { result: "none" }],
    ]);
  });

  it("shows the arguments after aliases, handler and middlewares", async () => {
    const log: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [echo],
      toolAliases: { echo: { argumentsAliases: { text: ["message"] } } },
      toolArgumentsHandler: (_name, args) => args.replace("a", "b"),
      toolCallMiddlewares: [
        { invokable: (next) => (call, ctx) => next({ ...call, arguments: call.arguments.replace("b", "c") }, ctx) },
      ],
    });
    await node.invoke(calls(call("echo", { message: "a" })), { callbacks: [listening(log)] });
    expect(log).toEqual([
      ["start", "echo", { arguments: '{"text":"c"}' }],
      ["end", "echo", { result: "c" }],
    ]);
  });
});

describe("a streaming tool", () => {
  const count = tool("count", async function* () {
    yield "1";
    yield "2";
  });

  it("gives handlers their own copy of its chunks, in both modes of the node", async () => {
    const copies: unknown[][] = [];
    const handler: Handler = {
      onEndWithStreamOutput: (info, stream) => {
        if (info.component !== "tool") return;
        const copy: unknown[] = [];
        copies.push(copy);
        void (async () => {
          for await (const chunk of stream as StreamReader<unknown>) copy.push(chunk);
        })();
      },
    };
    const node = new AgenticToolsNode([count]);
    await node.invoke(calls(call("count")), { callbacks: [handler] });
    await node.stream(calls(call("count")), { callbacks: [handler] }).concat();
    await settled();
    expect(copies).toEqual([
      [{ result: "1" }, { result: "2" }],
      [{ result: "1" }, { result: "2" }],
    ]);
  });

  it("gives handlers without stream timings the joined result at its end", async () => {
    const log: unknown[] = [];
    const stream = new AgenticToolsNode([count]).stream(calls(call("count")), { callbacks: [listening(log)] });
    await stream.next();
    expect(log).toEqual([["start", "count", { arguments: "{}" }]]);
    await stream.next();
    await stream.next();
    expect(log.at(-1)).toEqual(["end", "count", { result: "12" }]);
  });

  it("fails once when it breaks in mid-stream", async () => {
    const log: unknown[] = [];
    const breaking = tool("breaking", async function* () {
      yield "x";
      throw new Error("no more");
    });
    await toolError(new AgenticToolsNode([breaking]).invoke(calls(call("breaking")), { callbacks: [listening(log)] }));
    expect(log.map((entry) => (entry as string[])[0])).toEqual(["start", "error"]);
  });

  it("fails with the abort reason when its stream is left", async () => {
    const log: unknown[] = [];
    const errors: unknown[] = [];
    const handler: Handler = {
      onError: (info, error) => info.component === "tool" && errors.push((error as Error).name),
    };
    for await (const _ of new AgenticToolsNode([count]).stream(calls(call("count")), {
      callbacks: [handler, listening(log)],
    }))
      break;
    await settled();
    expect(errors).toEqual(["AbortError"]);
  });
});

describe("events", () => {
  it("of a tool come through ctx.progress", async () => {
    const log: unknown[] = [];
    const working = createTool({
      id: "working",
      description: "",
      execute: (_input, { progress }) => {
        progress("half");
        return "done";
      },
    });
    await new AgenticToolsNode([working]).invoke(calls(call("working")), { callbacks: [listening(log)] });
    expect(log[1]).toEqual(["event", "working", { kind: "progress", event: "half" }]);
  });

  it("tell of a result that came after the abort", async () => {
    const log: unknown[] = [];
    const late = deferred<string>();
    const controller = new AbortController();
    const running = new AgenticToolsNode([tool("slow", () => late.promise)]).invoke(calls(call("slow")), {
      callbacks: [listening(log)],
      signal: controller.signal,
    });
    const rejected = rejection(running);
    await settled();
    controller.abort(new Error("enough"));
    expect(((await rejected) as Error).message).toBe("enough");
    late.resolve("too late");
    await settled();
    expect(log).toEqual([
      ["start", "slow", { arguments: "{}" }],
      ["error", "slow", "enough"],
      ["event", "slow", { kind: "late_result", result: "too late" }],
    ]);
  });
});

it("runs what a tool runs with parent: ctx as its child", async () => {
  const graph = new Graph<string, number>()
    .addNode("length", (text: string) => text.length)
    .addEdge(START, "length")
    .addEdge("length", END)
    .compile({ name: "inner" });
  const outer = createTool({
    id: "outer",
    description: "",
    execute: async ({ text }, ctx) => graph.invoke(String(text), { parent: ctx }),
  });
  const runs: string[] = [];
  await new AgenticToolsNode([outer]).invoke(calls(call("outer", { text: "abc" }, "c1")), {
    callbacks: [{ onStart: (info) => runs.push(info.address) }],
  });
  expect(runs.slice(1)).toEqual([
    expect.stringContaining("tool:outer:c1"),
    expect.stringMatching(/tool:outer:c1;runnable:inner$/),
    expect.stringMatching(/tool:outer:c1;runnable:inner;node:length$/),
  ]);
});
