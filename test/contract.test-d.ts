import {
  type AgenticMessage,
  type AgenticModel,
  AgenticToolsNode,
  assistantMessage,
  asTool,
  batch,
  Chain,
  type CheckpointStore,
  type CompiledGraph,
  type CompileOptions,
  ConcatRegistry,
  componentHandlers,
  concatMessages,
  consoleTracer,
  contextKey,
  createTool,
  END,
  events,
  findCause,
  functionToolCall,
  Graph,
  type Handler,
  type Interrupt,
  type InterruptError,
  isInterrupt,
  KumikoError,
  lambda,
  mapChunks,
  memoryStore,
  type NodeContext,
  passthrough,
  pipe,
  RequestContext,
  RunControl,
  RunEmitter,
  type RunEvent,
  type RunInfo,
  type Runnable,
  type RunOptions,
  type Runtime,
  START,
  StreamReader,
  type StreamSource,
  stateKey,
  type Tool,
  type ToolError,
  type ToolInfo,
  type ToolOutput,
  type TraceNode,
  toolCallsOr,
  toolOptions,
  traceRecorder,
  userMessage,
} from "kumiko";
import type { Trace } from "kumiko/callbacks";
import type { GraphInfo } from "kumiko/compose";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";

const reader = StreamReader.from(["a", "b"]);

describe("interrupts, resume and checkpoints", () => {
  const app = new Graph<string, string>()
    .addNode("a", async (text: string, ctx) => `${text} ${await ctx.ask("sure", "Sure?", z.boolean())}`)
    .addEdge(START, "a")
    .addEdge("a", END)
    .compile({ store: memoryStore(), durability: "step", keepCheckpoint: true, interruptBefore: ["a"] });

  it("have the members of the contract", () => {
    expectTypeOf(app.resume("id", { x: true }, { takeover: true })).toEqualTypeOf<Promise<string>>();
    expectTypeOf(app.resumeStream("id", { byAddress: { "runnable:;node:a": 0 } })).toEqualTypeOf<
      StreamReader<string>
    >();
    expectTypeOf(memoryStore()).toExtend<CheckpointStore>();
    expectTypeOf<Interrupt>().toHaveProperty("parent");
    expectTypeOf<InterruptError["interrupts"]>().toEqualTypeOf<readonly [Interrupt, ...Interrupt[]]>();
    expectTypeOf(new RunControl().interrupt({ timeoutMs: 5 })).toEqualTypeOf<void>();
    expectTypeOf<RunOptions>().toHaveProperty("writeToCheckpointId");
    expectTypeOf<RunOptions>().toHaveProperty("modifyState");
    expectTypeOf<RunOptions>().toHaveProperty("forceNewRun");
    expectTypeOf<RunOptions>().toHaveProperty("control");
    const caught: unknown = undefined;
    if (isInterrupt(caught)) expectTypeOf(caught).toEqualTypeOf<InterruptError>();
  });

  it("take what ctx offers", () => {
    const node = async (_input: string, ctx: NodeContext) => {
      expectTypeOf(ctx.ask("k", "?")).toEqualTypeOf<Promise<unknown>>();
      expectTypeOf(ctx.ask<number>("k", "?")).toEqualTypeOf<Promise<number>>();
      expectTypeOf(ctx.ask("k", "?", z.object({ ok: z.boolean() }))).toEqualTypeOf<Promise<{ ok: boolean }>>();
      expectTypeOf(ctx.once("k", () => 1)).toEqualTypeOf<Promise<number>>();
      expectTypeOf(ctx.once("k", async () => "a")).toEqualTypeOf<Promise<string>>();
      expectTypeOf(ctx.resume.wasInterrupted).toEqualTypeOf<boolean>();
      expectTypeOf(ctx.resume.data).toEqualTypeOf<unknown>();
      expectTypeOf(ctx.taskKey).toEqualTypeOf<string>();
      return ctx.interrupt("stop", { state: { n: 1 }, schema: z.string() });
    };
    expectTypeOf(node).returns.toEqualTypeOf<Promise<never>>();
  });

  it("name nodes that are there", () => {
    const graph = new Graph<string, string>()
      .addNode("a", (text: string) => text)
      .addEdge(START, "a")
      .addEdge("a", END);
    // @ts-expect-error there is no node "b"
    graph.compile({ interruptAfter: ["b"] });
    // @ts-expect-error a child is saved with its parent
    app.resume("id", undefined, { key: "child" });
  });
});

describe("streams", () => {
  it("have the members of the contract", () => {
    expectTypeOf(StreamReader.from<number>([1])).toEqualTypeOf<StreamReader<number>>();
    expectTypeOf(StreamReader.from(new ReadableStream<string>())).toEqualTypeOf<StreamReader<string>>();
    expectTypeOf(StreamReader.merge([reader, reader])).toEqualTypeOf<StreamReader<string>>();
    expectTypeOf(StreamReader.mergeNamed({ left: reader })).toExtend<
      StreamReader<{ source: string; value: string } | { source: string; end: true }>
    >();
    expectTypeOf(reader.map((text) => text.length)).toEqualTypeOf<StreamReader<number>>();
    expectTypeOf(reader.filter((text) => text !== "")).toEqualTypeOf<StreamReader<string>>();
    expectTypeOf(reader.copy(2, { limit: 10 })[0]).toExtend<StreamReader<string> | undefined>();
    expectTypeOf(reader.concat()).toEqualTypeOf<Promise<string>>();
    expectTypeOf(reader.cancel("enough")).toEqualTypeOf<Promise<void>>();
    expectTypeOf(reader.toReadableStream()).toEqualTypeOf<ReadableStream<string>>();
    expectTypeOf(reader).toExtend<AsyncIterable<string>>();
  });

  it("are written through a pipe", () => {
    const { reader: output, writer } = pipe<number>({ capacity: 4 });
    expectTypeOf(output).toEqualTypeOf<StreamReader<number>>();
    expectTypeOf(writer.write(1)).toEqualTypeOf<Promise<boolean>>();
    expectTypeOf(writer.close()).toEqualTypeOf<void>();
    expectTypeOf(writer.fail(new Error("no"))).toEqualTypeOf<void>();
  });

  it("may be given as async iterables and web streams", () => {
    expectTypeOf<AsyncIterable<string>>().toExtend<StreamSource<string>>();
    expectTypeOf<ReadableStream<string>>().toExtend<StreamSource<string>>();
    expectTypeOf(new ConcatRegistry().add(Date, (dates) => dates[0] ?? new Date())).toEqualTypeOf<ConcatRegistry>();
  });
});

describe("runnables", () => {
  const upper = lambda({ invoke: (text: string) => text.toUpperCase() });

  it("have four modes", () => {
    expectTypeOf(upper).toExtend<Runnable<string, string>>();
    expectTypeOf(upper.invoke("a")).toEqualTypeOf<Promise<string>>();
    expectTypeOf(upper.stream("a")).toEqualTypeOf<StreamReader<string>>();
    expectTypeOf(upper.collect(reader)).toEqualTypeOf<Promise<string>>();
    expectTypeOf(upper.transform(reader)).toEqualTypeOf<StreamReader<string>>();
    expectTypeOf(mapChunks((text: string) => text.length)).toExtend<Runnable<string, number>>();
    expectTypeOf(passthrough<string>()).toExtend<Runnable<string, string>>();
  });

  it("take run options", () => {
    expectTypeOf<RunOptions>().toHaveProperty("parent");
    expectTypeOf<RunOptions>().toHaveProperty("key");
    expectTypeOf<{ signal: AbortSignal; timeoutMs: number; callbacks: Handler[] }>().toExtend<RunOptions>();
    expectTypeOf<{ requestContext: RequestContext<{ user: string }>; maxSteps: number }>().toExtend<RunOptions>();
    expectTypeOf<{ requestContext: { user: string } }>().toExtend<RunOptions>();
    expectTypeOf<{ options: { model: { temperature: 0 }; tool: [] } }>().toExtend<RunOptions>();
    expectTypeOf<{ nodes: { "a/b": { options: object; callbacks: Handler[] } } }>().toExtend<RunOptions>();
  });

  it("are the argument of batch, asTool and events", () => {
    expectTypeOf(batch(upper, ["a"], { concurrency: 2 })).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(events(upper, "a")).toEqualTypeOf<StreamReader<RunEvent>>();
    expectTypeOf<RunEvent["type"]>().toEqualTypeOf<"start" | "chunk" | "end" | "error" | "interrupt" | "event">();
    const shout = lambda({ invoke: ({ text }: { text: string }) => text });
    expectTypeOf(
      asTool(shout, { id: "shout", description: "Shouts.", inputSchema: z.object({ text: z.string() }) }),
    ).toExtend<Tool>();
  });
});

describe("builders", () => {
  const graph = new Graph<string, number>()
    .addNode("length", (text: string) => text.length)
    .addEdge(START, "length")
    .addEdge("length", END);

  it("compile to a graph that can be run and looked at", () => {
    const app = graph.compile({ name: "length", maxSteps: 3 });
    expectTypeOf(app).toExtend<Runnable<string, number>>();
    expectTypeOf(app).toExtend<CompiledGraph<string, number, unknown>>();
    expectTypeOf(app.graphInfo()).toEqualTypeOf<GraphInfo>();
    expectTypeOf(app.toMermaid()).toEqualTypeOf<string>();
    expectTypeOf<GraphInfo["edges"][number]["kind"]>().toEqualTypeOf<
      "edge" | "branch" | "error" | "data" | "control"
    >();
    expectTypeOf<CompileOptions["triggerMode"]>().toEqualTypeOf<"anyPredecessor" | "allPredecessor" | undefined>();
  });

  it("know the methods of the contract", () => {
    type Methods =
      | "withState"
      | "addNode"
      | "addNodes"
      | "addModelNode"
      | "addToolsNode"
      | "addAgenticToolsNode"
      | "addEdge"
      | "addBranch"
      | "addStreamBranch"
      | "compile"
      | "untyped";
    expectTypeOf<Methods>().toExtend<keyof Graph<string, string>>();
    type Steps =
      | "append"
      | "appendModel"
      | "appendToolsNode"
      | "appendAgenticToolsNode"
      | "appendParallel"
      | "appendBranch"
      | "appendStreamBranch"
      | "compile";
    expectTypeOf<Steps>().toExtend<keyof Chain<string>>();
  });

  it("type the whole example of the agent loop", () => {
    const model: AgenticModel = {
      component: "model",
      generate: async () => assistantMessage("hello"),
      async *stream() {
        yield assistantMessage("hello");
      },
    };
    const tools = new AgenticToolsNode({
      tools: [createTool({ id: "now", description: "The time.", execute: () => Date.now() })],
    });
    const agent = new Graph<AgenticMessage[], AgenticMessage>()
      .withState(() => ({ history: [] as AgenticMessage[] }))
      .addModelNode("model", model, {
        options: { tools: tools.infos },
        before: (input, state) => {
          state.history.push(...input);
          return [...state.history];
        },
      })
      .addToolsNode("tools", tools, {
        before: (message, state) => {
          state.history.push(message);
          return message;
        },
      })
      .addEdge(START, "model")
      .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END))
      .addEdge("tools", "model")
      .compile({ name: "react", maxSteps: 20 });
    expectTypeOf(agent).toExtend<Runnable<AgenticMessage[], AgenticMessage>>();
    expectTypeOf(agent.stream([userMessage("hello")], { callbacks: [consoleTracer()] })).toEqualTypeOf<
      StreamReader<AgenticMessage>
    >();
    expectTypeOf(tools.infos).toExtend<readonly ToolInfo[]>();
    const chain = new Chain<AgenticMessage>().appendToolsNode(tools).compile();
    expectTypeOf(chain).toExtend<Runnable<AgenticMessage, AgenticMessage[]>>();
    expectTypeOf(tools).toExtend<Runnable<AgenticMessage, AgenticMessage[]>>();
  });
});

describe("context", () => {
  it("has the members of the contract", () => {
    type Members =
      | "signal"
      | "requestContext"
      | "state"
      | "address"
      | "runInfo"
      | "options"
      | "progress"
      | "processState";
    expectTypeOf<Members>().toExtend<keyof NodeContext>();
    expectTypeOf<NodeContext<{ turns: number }>["state"]>().toEqualTypeOf<{ turns: number }>();
    expectTypeOf<NodeContext["runInfo"]>().toEqualTypeOf<RunInfo>();
    expectTypeOf<keyof RunInfo>().toEqualTypeOf<
      "runId" | "parentRunId" | "name" | "type" | "component" | "address" | "toolCallId" | "meta"
    >();
    const chat = stateKey("chat", () => ({ turns: 0 }));
    const use = (ctx: NodeContext) => ctx.processState(chat, (state) => state.turns);
    expectTypeOf(use).returns.toEqualTypeOf<Promise<number>>();
    const user = contextKey<string>("user");
    expectTypeOf(new RequestContext().get(user)).toEqualTypeOf<string | undefined>();
    expectTypeOf(new RequestContext<{ age: number }>().get("age")).toEqualTypeOf<number | undefined>();
  });
});

describe("tools", () => {
  it("are made with createTool and satisfy Tool", () => {
    const options = toolOptions<{ timeout: number }>("weather", { timeout: 1_000 });
    const weather = createTool({
      id: "get_weather",
      description: "Weather.",
      inputSchema: z.object({ city: z.string().default("Kyoto") }),
      outputSchema: z.object({ celsius: z.number() }),
      options,
      execute: async ({ city }, ctx) => {
        expectTypeOf(city).toEqualTypeOf<string>();
        expectTypeOf(ctx.options.timeout).toEqualTypeOf<number>();
        expectTypeOf(ctx.toolCallId).toEqualTypeOf<string>();
        expectTypeOf(ctx.abortSignal).toEqualTypeOf<AbortSignal>();
        return { celsius: 21 };
      },
    });
    expectTypeOf(weather).toExtend<{ readonly component: "tool"; readonly info: ToolInfo }>();
    expectTypeOf<ToolOutput>().toExtend<string | readonly object[]>();
    expectTypeOf(options.with({ timeout: 5 })).toExtend<
      NonNullable<NonNullable<RunOptions["options"]>["tool"]>[number]
    >();
    expectTypeOf(
      functionToolCall({ callId: "1", name: "get_weather", arguments: "{}" }).type,
    ).toEqualTypeOf<"function_tool_call">();
    expectTypeOf<ToolError>().toExtend<KumikoError & { readonly toolName: string; readonly callId: string }>();
  });
});

describe("callbacks and errors", () => {
  it("have the seven timings", () => {
    expectTypeOf<keyof Handler>().toEqualTypeOf<
      "onStart" | "onEnd" | "onError" | "onInterrupt" | "onStartWithStreamInput" | "onEndWithStreamOutput" | "onEvent"
    >();
    expectTypeOf(
      componentHandlers({ tool: { onStart: (_info, { arguments: text }) => text.length } }),
    ).toExtend<Handler>();
    expectTypeOf(consoleTracer()).toExtend<Handler>();
    expectTypeOf(new RunEmitter()).toExtend<Handler>();
    expectTypeOf(traceRecorder().toJSON()).toEqualTypeOf<Trace>();
    expectTypeOf<TraceNode>().toExtend<{
      readonly name: string;
      readonly address: string;
      readonly durationMs: number;
    }>();
    expectTypeOf<ConstructorParameters<typeof Runtime>[0]>().toExtend<object | undefined>();
  });

  it("have a code, a path and a cause", () => {
    const error = new KumikoError("NODE_FAILED", "no", { nodePath: ["a"], cause: new Error("why") });
    expectTypeOf(error.code).toExtend<string>();
    expectTypeOf(error.nodePath).toEqualTypeOf<readonly string[]>();
    expectTypeOf(findCause(error, RangeError)).toEqualTypeOf<RangeError | undefined>();
    expectTypeOf(concatMessages([userMessage("a")])).toEqualTypeOf<AgenticMessage>();
  });
});
