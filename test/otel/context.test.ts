import { createServer as createHttpServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Server as NetServer } from "node:net";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { PgInstrumentation } from "@opentelemetry/instrumentation-pg";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  functionToolCall,
  Graph,
  type Handler,
  START,
  StreamReader,
  userMessage,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import { toModel } from "kumiko/models";
import { otelTracer } from "kumiko/otel";
import { scriptedModel } from "kumiko/testing";
import type { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer("test");
const handler = otelTracer({ tracer });
const instrumentations = [new UndiciInstrumentation(), new PgInstrumentation()];
let http: Server;
let database: NetServer;
let url = "";

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  for (const one of instrumentations) {
    one.setTracerProvider(provider);
    one.enable();
  }
  http = createHttpServer((request, response) => {
    response.statusCode = request.url === "/busy" ? 429 : 200;
    response.end("[]");
  });
  database = createServer(answerQueries);
  await Promise.all([http, database].map((one) => new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve))));
  url = `http://127.0.0.1:${portOf(http)}`;
});

afterAll(() => {
  for (const one of instrumentations) one.disable();
  context.disable();
  http.close();
  http.closeAllConnections();
  database.close();
});

beforeEach(() => exporter.reset());

const portOf = (server: NetServer): number => (server.address() as AddressInfo).port;

/** As much of PostgreSQL as a client needs to connect and to send a query without rows. */
function answerQueries(socket: import("node:net").Socket): void {
  const packet = (type: string, ...parts: readonly (number[] | string)[]): Buffer => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const ready = packet("Z", "I");
  let isOpen = false;
  socket.on("error", () => undefined);
  socket.on("data", (data) => {
    if (!isOpen) socket.write(Buffer.concat([packet("R", [0, 0, 0, 0]), ready]));
    else if (data[0] === "Q".charCodeAt(0)) socket.write(Buffer.concat([packet("C", "SELECT 0", [0]), ready]));
    isOpen = true;
  });
}

async function query(): Promise<void> {
  const pg = createRequire(import.meta.url)("pg") as { Client: new (options: object) => Client };
  const client = new pg.Client({ host: "127.0.0.1", port: portOf(database), user: "u", database: "d", ssl: false });
  await client.connect();
  await client.query("SELECT 1");
  await client.end();
}

const get = async (path = "/"): Promise<void> => void (await (await fetch(url + path)).text());

/** The names of spans, from a span up to its root. */
function pathOf(span: ReadableSpan): string {
  const parent = exporter
    .getFinishedSpans()
    .find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId);
  return parent === undefined ? span.name : `${pathOf(parent)} > ${span.name}`;
}

const paths = (name: string | RegExp): string[] =>
  exporter
    .getFinishedSpans()
    .filter((span) => (typeof name === "string" ? span.name === name : name.test(span.name)))
    .map(pathOf)
    .sort();

const requests = (): string[] => paths("GET");
const callbacks: readonly Handler[] = [handler];
const prompt = [userMessage("Hi")];

/** The span of a stream ends a moment after its last chunk. */
const ended = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** The name of the span that is active. */
const active = (): string => (trace.getActiveSpan() as ReadableSpan | undefined)?.name ?? "none";

it("gives requests and queries of a node to the span of its graph, or to its own", async () => {
  const app = new Chain<string, string>()
    .append(async (text: string) => {
      await get();
      await query();
      return text;
    })
    .compile({ name: "app" });
  await app.invoke("x", { callbacks });
  expect(requests()).toEqual(["invoke_workflow app > GET"]);
  expect(paths(/^pg\.query/)).toEqual(["invoke_workflow app > pg.query:SELECT d"]);
  expect(paths("pg.connect")).toEqual(["invoke_workflow app > pg.connect"]);
  exporter.reset();
  await app.invoke("x", { callbacks: [otelTracer({ tracer, allNodes: true })] });
  expect(requests()).toEqual(["invoke_workflow app > lambda node_0 > GET"]);
});

it("gives those of a tool and of a model call to their spans, in an agent", async () => {
  const look = createTool({
    id: "look",
    description: "Looks.",
    inputSchema: z.object({}),
    execute: async () => {
      await get();
      await query();
      return "seen";
    },
  });
  const script = scriptedModel([functionToolCall({ callId: "1", name: "look", arguments: "{}" })], "Done.");
  const model = {
    component: "model",
    type: "Maple",
    async generate(messages: readonly AgenticMessage[], ctx: never) {
      await get();
      return script.generate(messages, ctx);
    },
  } as const;
  const agent = createAgent({ name: "a", model, tools: [look] });
  await agent.generate("Hi", { callbacks });
  const chat = "invoke_agent a > chat Maple > GET";
  expect(requests()).toEqual([chat, chat, "invoke_agent a > execute_tool look > GET"]);
  expect(paths(/^pg\.query/)).toEqual(["invoke_agent a > execute_tool look > pg.query:SELECT d"]);
});

it("gives those of each read of a stream to the span of the stream, also when it is read elsewhere", async () => {
  const model = {
    component: "model",
    type: "Maple",
    async *stream() {
      for (const text of ["a", "b"]) {
        await get();
        yield assistantMessage([{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }]);
      }
    },
  } as const;
  const app = new Chain<readonly AgenticMessage[]>().appendModel(model).compile({ name: "app" });
  const stream = app.stream(prompt, { callbacks });
  await tracer.startActiveSpan("elsewhere", async (span) => {
    for await (const _ of stream) expect(active()).toBe("elsewhere");
    span.end();
  });
  await ended();
  expect(requests()).toEqual(Array(2).fill("invoke_workflow app > chat Maple > GET"));
  exporter.reset();
  expect(await createAgent({ name: "a", model: toModel(model) }).stream("Hi", { callbacks }).text).toBe("ab");
  await ended();
  expect(requests()).toEqual(Array(2).fill("invoke_agent a > chat Maple > GET"));
});

it("keeps parallel nodes, their streams and inner agents apart", async () => {
  const inner = (name: string) =>
    createAgent({
      name,
      description: name,
      model: {
        component: "model",
        type: name,
        async generate() {
          await new Promise((resolve) => setTimeout(resolve, 5));
          await get();
          return assistantMessage(name);
        },
      },
    });
  const calls = ["x", "y"].map((name) => functionToolCall({ callId: name, name, arguments: '{"prompt":"Go"}' }));
  const outer = createAgent({
    name: "outer",
    model: scriptedModel(calls, "Done."),
    tools: [inner("x").asTool(), inner("y").asTool()],
  });
  await outer.generate("Hi", { callbacks });
  const path = (name: string) =>
    `invoke_agent outer > execute_tool ${name} > invoke_agent ${name} > chat ${name} > GET`;
  expect(requests()).toEqual([path("x"), path("y")]);

  exporter.reset();
  const seen: string[] = [];
  const node = (key: string) =>
    async function* (text: string) {
      for (const piece of [1, 2]) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        seen.push(`${key}${piece} ${active()}`);
        yield `${text}${key}${piece}`;
      }
    };
  const graph = new Graph<string, { a: string; b: string }>()
    .addNode("a", node("a"), { outputKey: "a" })
    .addNode("b", node("b"), { outputKey: "b" })
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge("a", END)
    .addEdge("b", END)
    .compile({ name: "both" });
  await graph.stream("x", { callbacks: [otelTracer({ tracer, allNodes: true })] }).concat();
  expect(seen.sort()).toEqual(["a1 lambda a", "a2 lambda a", "b1 lambda b", "b2 lambda b"]);
});

it("covers tools that stream, queries that start late, and whatever else a function may return", async () => {
  const seen: string[] = [];
  const late = {
    then(resolve: (value: string) => void) {
      seen.push(`then ${active()}`);
      resolve("late");
    },
  };
  const tool = createTool({
    id: "counts",
    description: "Counts.",
    inputSchema: z.object({}),
    async *execute() {
      seen.push(`tool ${active()}`);
      yield "1";
      await Promise.resolve();
      seen.push(`tool ${active()}`);
      yield "2";
    },
  });
  const call = assistantMessage([functionToolCall({ callId: "1", name: "counts", arguments: "{}" })]);
  const app = new Chain<string>()
    .append(() => late as unknown as Promise<string>)
    .append(
      () =>
        new ReadableStream<string>({
          pull(controller) {
            seen.push(`pull ${active()}`);
            controller.enqueue("whole");
            controller.close();
          },
        }),
    )
    .append(() => StreamReader.from(["there"]))
    .append(() => call)
    .appendToolsNode(new AgenticToolsNode({ tools: [tool] }))
    .compile({ name: "app" });
  for (const mode of ["invoke", "stream"] as const) {
    seen.length = 0;
    if (mode === "invoke") await app.invoke("x", { callbacks });
    else await app.stream("x", { callbacks }).concat();
    expect(seen, mode).toContain("then invoke_workflow app");
    expect(seen.filter((one) => one.startsWith("tool"))).toEqual(Array(2).fill("tool execute_tool counts"));
  }
  expect(active()).toBe("none");
});

it("leaves the surroundings of the caller as they are, and errors too", async () => {
  const app = new Chain<string>()
    .append((): string => {
      throw new TypeError(active());
    })
    .compile({ name: "app" });
  await tracer.startActiveSpan("outside", async (span) => {
    const run = app.invoke("x", { callbacks });
    expect(active()).toBe("outside");
    await expect(run).rejects.toMatchObject({ cause: { name: "TypeError", message: "invoke_workflow app" } });
    expect(active()).toBe("outside");
    span.end();
  });
});

it("names the status of a failed model call", async () => {
  const failing = (status: object) =>
    scriptedModel(Object.assign(new Error("Slow down."), { isRetryable: false }, status));
  for (const [status, expected] of [
    [{ statusCode: 429 }, 429],
    [{ status: 503 }, 503],
    [{ cause: { statusCode: 400 } }, 400],
    [{ status: "refused" }, undefined],
  ] as const) {
    exporter.reset();
    await createAgent({ name: "a", model: failing(status), retry: false })
      .generate("Hi", { callbacks })
      .catch(() => undefined);
    const [chat] = exporter.getFinishedSpans().filter(({ name }) => name.startsWith("chat"));
    expect(chat?.attributes["http.response.status_code"]).toBe(expected);
    const [agent] = exporter.getFinishedSpans().filter(({ name }) => name.startsWith("invoke_agent"));
    expect(agent?.attributes).not.toHaveProperty("http.response.status_code");
  }
});

it("changes nothing without a context manager", async () => {
  context.disable();
  try {
    const seen: string[] = [];
    const app = new Chain<string>().append(() => String(seen.push(active()))).compile({ name: "app" });
    await app.invoke("x", { callbacks });
    expect(seen).toEqual(["none"]);
  } finally {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  }
});
