import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWhenStale } from "../scripts/package/build.js";
import { type Consumer, createConsumer } from "../scripts/package/consumer.js";
import { readEntries } from "../scripts/public-api/entries.js";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-declarations-"));
const timeout = 120_000;

let consumer: Consumer;

beforeAll(() => {
  buildWhenStale(root);
  consumer = createConsumer(root, folder);
  consumer.install("zod");
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Exports what it makes with names of one entry, without writing a type. */
const programs = {
  graphs: `import { z } from "zod";
    import { Chain, from, Graph, memoryStore, START, Workflow } from "kumiko";
    export const chain = new Chain<string>().append((text) => text.trim(), { key: "trim" }).append((text) => text.length);
    export const app = chain.compile({ store: memoryStore() });
    export const graph = new Graph<string, number>()
      .addNode("trim", (text: string) => text.trim())
      .addNode("count", (text: string) => text.length, { outputKey: "n", inputKey: "text" })
      .addEdge("start", "trim");
    export const parallel = new Chain<string>().appendParallel({ a: (text) => text.length, b: (text) => text });
    export const checked = new Graph({ input: z.object({ a: z.string() }), output: z.object({ a: z.string() }) });
    export const workflow = new Workflow<{ a: string }, { b: string }>()
      .addNode("x", (text: string) => text, { input: from(START, "a") })
      .end({ b: from("x") });
    export const compiled = workflow.compile();
    export const mapping = from(START, "a");
    export const untyped = [new Workflow<string, string>().untyped(), new Graph<string, string>().untyped()] as const;
    export const branching = new Workflow<{ a: string }, { b: string }>()
      .addNode("x", (text: string) => text, { input: from(START, "a") })
      .addErrorBranch("x", ["sorry"], () => "sorry")
      .addBranch("x", ["y", "z"], () => "y")
      .addNode("y", (text: string) => text, { input: from("x") });
    export const nodes = new Graph<string, string>().addNodes({ a: (text: string) => text, b: { node: (text: string) => text, options: { name: "B" } } });
    export const switched = new Chain<string>().appendBranch((text) => (text === "" ? "a" : "b"), { a: (text) => text, b: (text) => text.length });
    export const stateful = new Graph<string, string>().withState(() => ({ n: 0 }));
    export const history = app.history("run");
    export const state = app.stateAt("run");
    export const info = app.graphInfo();
    export const fork = () => app.fork("run", { entry: "1" });`,
  nodes: `import { each, lambda, mapChunks, passthrough, runnable, sleep, asTool, batch, events, toolCallsOr } from "kumiko";
    import { Chain, firstOf, failureOf, from, type Embedder } from "kumiko";
    export const pass = passthrough<string>();
    export const wait = sleep(5);
    export const waitFor = sleep((time: number) => time);
    export const chunks = mapChunks((text: string) => text.length);
    export const modes = lambda({ invoke: (text: string) => text.length });
    export const streaming = lambda({ stream: async function* (text: string) { yield text; } }, { concat: "list" });
    export const items = each((text: string) => text.length, { concurrency: 3 });
    export const embed = (embedder: Embedder) => runnable(embedder);
    const app = new Chain<string>().append((text) => text.length).compile();
    export const all = batch(app, ["a"], { settled: true });
    export const told = events(app, "a");
    export const first = firstOf(from("a"), from("b", "c"));
    export const failure = failureOf("a", "error.message");
    export const choose = toolCallsOr("tools", "end");`,
  tools: `import { z } from "zod";
    import { AgenticToolsNode, createTool, mcpTools, resultsOf, toolOptions, type McpClient, type NodeContext } from "kumiko";
    export const tool = createTool({
      id: "t", description: "d", inputSchema: z.object({ a: z.string() }), outputSchema: z.object({ b: z.number() }),
      execute: async ({ a }) => ({ b: a.length }),
    });
    export const asked = createTool({ id: "t", description: "d", inputSchema: z.object({ a: z.string() }) });
    export const node = new AgenticToolsNode({ tools: [tool] });
    export const remote = (client: McpClient) => mcpTools(client);
    export { resultsOf, toolOptions };
    export const ask = (ctx: NodeContext) => ctx.ask;
    export const resumed = (ctx: NodeContext) => ctx.resume;
    export const interrupt = (ctx: NodeContext) => ctx.interrupt;`,
  messages: `import { functionToolCall, functionToolResult, pipe, StreamReader, userInputImage, userMessage } from "kumiko";
    import { componentHandlers, consoleTracer, contextKey, memoryCache, RunControl, stateKey, traceRecorder } from "kumiko";
    import { ConcatRegistry, findCause, InterruptError, RequestContext, RunEmitter, Runtime, ToolError } from "kumiko";
    import type { CheckpointStore, ToolInfo } from "kumiko";
    export const message = userMessage("hello", userInputImage({ url: "https://a.example/a.png" }));
    export const meta = message.responseMeta;
    export const types = message.contentBlocks.map(({ type }) => type);
    export const call = functionToolCall({ callId: "1", name: "x", arguments: "{}" });
    export const result = functionToolResult({ callId: "1", name: "x", result: "" });
    export const parts = result.content;
    export const piped = pipe<string>();
    export const copies = StreamReader.from(["a"]).copy(2);
    export const handlers = componentHandlers({ model: { onStart: (_info, payload) => console.log(payload) } });
    export const tracer = consoleTracer();
    export const recorder = traceRecorder();
    export const emitter = new RunEmitter();
    export const listen = emitter.on;
    export const parameters = (info: ToolInfo) => info.parameters;
    export const stored = (store: CheckpointStore) => store.get("x");
    export const issues = (error: unknown) => findCause(error, ToolError)?.issues;
    export const interrupts = (error: InterruptError) => error.interrupts;
    export const runtime = new Runtime({ cache: memoryCache(), concat: new ConcatRegistry() });
    export const keys = [contextKey<string>("a"), stateKey<{ n: number }>("b", () => ({ n: 0 })), new RequestContext(), new RunControl()] as const;`,
  agents: `import { z } from "zod";
    import { createAgent, createMiddleware, threads, type AgentOptions } from "kumiko/agents";
    export const make = (model: AgentOptions["model"]) => createAgent({ model, output: z.object({ a: z.string() }) });
    export const result = (agent: ReturnType<typeof make>) => agent.generate("x");
    export const messages = async (agent: ReturnType<typeof make>) => (await agent.generate("x")).messages;
    export const interrupts = async (agent: ReturnType<typeof make>) => (await agent.generate("x")).interrupts;
    export const graph = (agent: ReturnType<typeof make>) => agent.graph;
    export const tool = (agent: ReturnType<typeof make>) => agent.asTool();
    export const stream = (agent: ReturnType<typeof make>) => agent.stream("x").textStream;
    export const middleware = createMiddleware({ name: "x", beforeStep: async () => undefined });
    export const kept = (store: Parameters<typeof threads>[0]) => threads(store).messages("u");`,
  models: `import { z } from "zod";
    import { retryModel, structured } from "kumiko/models";
    export const steady = (model: Parameters<typeof retryModel>[0]) => retryModel(model);
    export const typed = (model: Parameters<typeof retryModel>[0]) => structured(model, z.object({ a: z.string() }));`,
  retrieval: `import { memoryVectors, vectorIndexer, vectorRetriever, MDocument } from "kumiko/rag";
    export const store = memoryVectors();
    export const indexer = vectorIndexer(store, { index: "x" });
    export const found = vectorRetriever(store, { index: "x" }).retrieve("tea");
    export const documents = MDocument.fromText("x").toDocuments();`,
};

const compilers = { "5.9": "typescript/bin/tsc", "7": "typescript-7/bin/tsc" };

describe.each(Object.entries(compilers))("TypeScript %s", (version, compiler) => {
  it("names entries in the declarations of programs that export what they infer", { timeout }, () => {
    const files = Object.entries(programs).map(([name, program]) => {
      consumer.write(`${name}.mts`, program);
      return `${name}.mts`;
    });
    const compilerOptions = {
      ...{ module: "nodenext", target: "es2022", lib: ["es2022", "dom", "dom.iterable"], types: [] },
      ...{ strict: true, skipLibCheck: false, declaration: true, emitDeclarationOnly: true, outDir: `out-${version}` },
    };
    consumer.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
    expect(consumer.node(join(root, "node_modules", compiler), "--project", "tsconfig.json")).toBe("");
    const specifiers = files.flatMap((file) => {
      const text = readFileSync(join(folder, `out-${version}`, file.replace(/\.mts$/, ".d.mts")), "utf8");
      return [...text.matchAll(/(?:from|import\() ?"(kumiko[^"]*)"/g)].map(([, specifier]) => specifier ?? "");
    });
    const entries = readEntries(root).map(({ specifier }) => specifier);
    expect([...new Set(specifiers)].filter((specifier) => !entries.includes(specifier))).toEqual([]);
  });
});
