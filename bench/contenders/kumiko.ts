import {
  AgenticToolsNode,
  assistantMessage,
  batch,
  Chain,
  type CompileOptions,
  constant,
  createTool,
  END,
  each as eachItem,
  events,
  from,
  functionToolCall,
  Graph,
  isInterrupt,
  lambda,
  mapChunks,
  memoryStore,
  type NodeContext,
  type RetryPolicy,
  type Runnable,
  type RunOptions,
  START,
  type StreamReader,
  Workflow,
} from "kumiko";
import { type ChunkOptions, MDocument, memoryVectors } from "kumiko/rag";
import { ownAgents } from "../agents/own.js";
import { serveAgent } from "../agents/serving.js";
import {
  type Call,
  type Contender,
  later,
  numberSchema,
  type Pipe,
  type Run,
  type Step,
  type WiredStep,
  weather,
} from "../contender.js";
import { evaluated, replayed } from "./evals.js";
import { cached, guarded, historyLoop, sqliteItems } from "./kumiko-policies.js";

const noOperation = { onStart() {}, onEnd() {} };

export const kumiko: Contender = {
  agents: { ...ownAgents, ...serveAgent },
  name: "kumiko",
  guarded,
  cached,
  historyLoop: historyLoop(true),
  sqliteItems: sqliteItems("step"),
  splitters: {
    recursive: (text, size) => splitterOf(text, { strategy: "recursive", size }),
    character: (text, size) => splitterOf(text, { strategy: "character", size }),
    token: (text, size) => splitterOf(text, { strategy: "token", size }),
    sentence: (text, size) => splitterOf(text, { strategy: "sentence", size }),
    markdown: (text, size) => splitterOf(text, { strategy: "markdown", size }),
    "semantic-markdown": (text, size) => splitterOf(text, { strategy: "semantic-markdown", size }),
    html: (text, size) => splitterOf(text, { strategy: "html", size, headers: [["h2", "title"]] }),
    latex: (text, size) => splitterOf(text, { strategy: "latex", size }),
    json: (text, size) => splitterOf(text, { strategy: "json", size }),
  },
  nearest,
  replayed,
  evaluated,
  chain: (steps) => runOf(chainOf(steps)),
  watchedChain: (steps) => runOf(chainOf(steps), { callbacks: [noOperation] }),
  checkedChain: (steps) => runOf(chainOf(steps.map((step) => (value) => step(numberSchema.parse(value))))),
  guardedChain: (steps) => runOf(chainOf(steps, { retry: atOnce })),
  savedChain: (steps) => savedRunOf(chainOf(steps, {}, { store: memoryStore(), durability: "step" })),
  retried: (step) => runOf(chainOf([step], { retry: atOnce })),
  wired,
  fanOut: (parts) => fanOut(parts, "anyPredecessor"),
  each,
  items: (step, list) => {
    const app = new Chain<number[]>().append(eachItem(step)).compile();
    return () => app.invoke([...list]);
  },
  savedItems: (step, list) => {
    const app = new Chain<number[]>().append(eachItem(step)).compile({ store: memoryStore(), durability: "step" });
    let runs = 0;
    return () => app.invoke([...list], { checkpointId: `run-${++runs}` });
  },
  loop: (step, last) => runOf(loopOf(step, last).compile({ maxSteps: last + 1 })),
  branches,
  tools,
  mcpCall: () => later(async () => (await import("./mcp.js")).mcpCall()),
  mcpConnect: (url) => later(async () => (await import("./mcp.js")).mcpConnect(await url)),
  generators: (count) => pipeOf(line(count, () => lambda({ transform: addOne }))),
  maps: (count) => pipeOf(line(count, () => mapChunks((chunk: number) => chunk + 1))),
  split,
  told: (count) => {
    const chain = counting(count);
    return async (input) => {
      let sum = 0;
      for await (const { type, info, value } of events(chain, input)) {
        if (type === "chunk" && info.component === "chain") sum += value as number;
      }
      return sum;
    };
  },
  build: (step, count) => runOf(buildLine(step, count)),
  askAndResume,
  savedLoop: (step, last) => {
    const loop = loopOf(step, last).compile({ maxSteps: last + 1, store: memoryStore(), durability: "step" });
    return savedRunOf(loop);
  },
};

/** What `events` is compared with: the stream itself, and one handler. */
export const handled: Contender = {
  name: "kumiko, stream with a handler",
  told: (count) => {
    const chain = counting(count);
    return async (input) => {
      let sum = 0;
      for await (const chunk of chain.stream(input, { callbacks: [noOperation] })) sum += chunk;
      return sum;
    };
  },
};

/** The other trigger mode: nodes wait for all that lead to them. */
export const allPredecessor: Contender = {
  name: "kumiko, allPredecessor",
  fanOut: (parts) => fanOut(parts, "allPredecessor"),
};

function runOf(runnable: Runnable<number, number>, options?: RunOptions): Run {
  return options === undefined ? (input) => runnable.invoke(input) : (input) => runnable.invoke(input, options);
}

function savedRunOf(runnable: Runnable<number, number>): Run {
  let runs = 0;
  return (input) => runnable.invoke(input, { checkpointId: `run-${++runs}` });
}

const atOnce = { attempts: 3, delayMs: 0 };

function chainOf(
  steps: readonly Step[],
  node: { readonly retry?: RetryPolicy } = {},
  options: CompileOptions = {},
): Runnable<number, number> {
  let chain = new Chain<number, number>();
  for (const step of steps) chain = chain.append(step, node);
  return chain.compile(options);
}

function wired(steps: readonly WiredStep[]): Run {
  const flow = new Workflow<{ input: number }, number>().untyped();
  let last = from(START, "input");
  for (const [n, step] of steps.entries()) {
    const input = { last, first: from(START, "input"), one: constant(1) };
    flow.addNode(`n${n}`, step, { input });
    last = from(`n${n}`, "sum") as never;
  }
  const app = flow.end(last).compile();
  return (input) => app.invoke({ input });
}

function fanOut(parts: readonly Step[], triggerMode: "anyPredecessor" | "allPredecessor"): Run {
  const graph = new Graph<number, number>().untyped();
  graph.addNode("join", sumOfRecord);
  parts.forEach((part, n) => {
    const node = `part${n}`;
    graph.addNode(node, part, { outputKey: `part${n}` });
    graph.addEdge(START, node);
    graph.addEdge(node, "join");
  });
  graph.addEdge("join", END);
  return runOf(graph.compile({ triggerMode }));
}

function sumOfRecord(parts: Record<string, number>): number {
  let sum = 0;
  for (const key in parts) sum += parts[key] ?? 0;
  return sum;
}

function each(step: Step, count: number, limit: number): () => Promise<number> {
  const node = lambda({ invoke: step });
  const inputs = Array.from({ length: count }, (_, n) => n);
  return async () => {
    const results = await batch(node, inputs, { concurrency: limit });
    return results.reduce((sum, result) => sum + result, 0);
  };
}

function loopOf(step: Step, last: number) {
  return new Graph<number, number>()
    .addNode("step", step)
    .addEdge(START, "step")
    .addBranch("step", ["step", END], (value: number) => (value < last ? "step" : END));
}

function branches(odd: Step, even: Step, count: number): Run {
  const graph = new Graph<number, number>().untyped();
  let last: readonly string[] = [START];
  for (let n = 0; n < count; n++) {
    const next = [`odd${n}`, `even${n}`] as const;
    graph.addNode(next[0], odd).addNode(next[1], even);
    for (const from of last) graph.addBranch(from, next, (value: number) => next[value % 2 === 1 ? 0 : 1]);
    last = next;
  }
  for (const from of last) graph.addEdge(from, END);
  return runOf(graph.compile());
}

function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const { name, description, schema: inputSchema, execute } = weather;
  const node = new AgenticToolsNode([createTool({ id: name, description, inputSchema, execute })]);
  const message = assistantMessage(
    calls.map(({ id, arguments: text }) => functionToolCall({ callId: id, name, arguments: text })),
  );
  return async () => {
    const results = await node.invoke(message);
    return results.map(({ contentBlocks: [block] }) => block?.type === "function_tool_result" && block.result);
  };
}

async function* addOne(chunks: AsyncIterable<number>): AsyncGenerator<number, void> {
  for await (const chunk of chunks) yield chunk + 1;
}

function line(count: number, node: () => Runnable<number, number>): Runnable<number, number> {
  let chain = new Chain<number, number>();
  for (let n = 0; n < count; n++) chain = chain.append(node());
  return chain.compile();
}

function pipeOf(runnable: Runnable<number, number>): Pipe {
  return async (source) => {
    let sum = 0;
    for await (const chunk of runnable.transform(source)) sum += chunk;
    return sum;
  };
}

function counting(count: number): Runnable<number, number> {
  const chain = new Chain<number>().append(async function* () {
    for (let n = 0; n < count; n++) yield n;
  });
  return chain.compile();
}

function split(first: Step, second: Step): Pipe {
  const generator = (step: Step) =>
    lambda({
      transform: async function* (chunks: StreamReader<number>) {
        for await (const chunk of chunks) yield await step(chunk);
      },
    });
  const graph = new Graph<number, { first: number; second: number }>()
    .addNode("first", generator(first), { outputKey: "first" })
    .addNode("second", generator(second), { outputKey: "second" })
    .addEdge(START, "first")
    .addEdge(START, "second")
    .addEdge("first", END)
    .addEdge("second", END)
    .compile();
  return async (source) => {
    let sum = 0;
    for await (const chunk of graph.transform(source)) sum += (chunk.first ?? 0) + (chunk.second ?? 0);
    return sum;
  };
}

function buildLine(step: Step, count: number): Runnable<number, number> {
  const graph = new Graph<number, number>().untyped();
  let from = "n0";
  graph.addNode(from, step);
  graph.addEdge(START, from);
  for (let n = 1; n < count; n++) {
    const next = `n${n}`;
    graph.addNode(next, step);
    graph.addEdge(from, next);
    from = next;
  }
  graph.addEdge(from, END);
  return graph.compile();
}

function askAndResume(): Run {
  const ask = async (value: number, ctx: NodeContext): Promise<number> => value + (await ctx.ask<number>("sure", "?"));
  const graph = new Graph<number, number>()
    .addNode("ask", ask)
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ store: memoryStore() });
  let runs = 0;
  return async (input) => {
    const checkpointId = `run-${++runs}`;
    try {
      return await graph.invoke(input, { checkpointId });
    } catch (error) {
      if (!isInterrupt(error)) throw error;
      return graph.resume(checkpointId, { [error.interrupts[0]?.id ?? ""]: 1 });
    }
  };
}

/** With an id, as others hash no text for theirs. */
function splitterOf(text: string, options: ChunkOptions): () => Promise<readonly string[]> {
  return async () => (await MDocument.fromText(text, { id: "document" }).chunk(options)).map((chunk) => chunk.text);
}

/** The store is filled when it is first asked. */
function nearest(vectors: readonly Float32Array[], query: Float32Array): () => Promise<readonly number[]> {
  const store = memoryVectors();
  const queryVector = Array.from(query);
  let filled: Promise<unknown> | undefined;
  const fill = async () => {
    await store.createIndex({ indexName: "vectors", dimension: query.length, text: false });
    const ids = vectors.map((_, index) => String(index));
    await store.upsert({ indexName: "vectors", ids, vectors: vectors.map((vector) => Array.from(vector)) });
  };
  return async () => {
    filled ??= fill();
    await filled;
    return (await store.query({ indexName: "vectors", queryVector })).map(({ id }) => Number(id));
  };
}
