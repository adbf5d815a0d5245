import type { CompiledGraph, StreamReader } from "kumiko";
import { Chain, END, Graph, lambda, mapChunks, START } from "kumiko";
import { compare, type Measured } from "./harness.js";

type Step = (value: number) => Promise<number>;
type AnyGraph = CompiledGraph<number, number, unknown>;

const handler = { onStart() {}, onEnd() {} };
const watched = { callbacks: [handler] };

/** Ten functions of different code: closures of one literal would be inlined as one. */
const asyncSteps: readonly Step[] = [
  async (x) => x + 0,
  async (x) => x + 1,
  async (x) => x + 2,
  async (x) => x + 3,
  async (x) => x + 4,
  async (x) => x + 5,
  async (x) => x + 6,
  async (x) => x + 7,
  async (x) => x + 8,
  async (x) => x + 9,
];
const syncSteps: readonly ((value: number) => number)[] = asyncSteps.map((_, n) =>
  n % 2 === 0 ? (x: number) => x + n : (x: number) => x - -n,
);

function chainOf(steps: readonly ((value: number) => number | Promise<number>)[]): AnyGraph {
  const chain = new Chain<number>();
  for (const step of steps) chain.append(step);
  return chain.compile() as unknown as AnyGraph;
}

async function byHand(input: number): Promise<number> {
  let x = input;
  for (const step of asyncSteps) x = await step(x);
  return x;
}

async function syncByHand(input: number): Promise<number> {
  let x = input;
  for (const step of syncSteps) x = await step(x);
  return x;
}

async function times(count: number, run: () => unknown): Promise<void> {
  for (let n = 0; n < count; n++) await run();
}

/** Runs graphs of many shapes first, as a real process does: call sites see more than one kind of function. */
export async function pollute(): Promise<void> {
  const shapes = [(x: unknown) => ({ x }), async (x: unknown) => [x], (x: unknown) => String(x), async () => null];
  for (let n = 0; n < 300; n++) {
    const graph = new Graph<unknown, unknown>()
      .addNode("a", shapes[n % 4] as (x: unknown) => unknown)
      .addNode("b", shapes[(n + 1) % 4] as (x: unknown) => unknown)
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", END)
      .compile();
    for (let run = 0; run < 5; run++) await graph.invoke(n, run % 2 === 0 ? undefined : watched);
  }
}

export async function measureChains(): Promise<Measured[]> {
  const chain = chainOf(asyncSteps);
  const sync = chainOf(syncSteps);
  return [
    await compare({
      name: "chain of 10 async functions, per node (against awaiting them by hand)",
      operations: 2_000,
      baseline: () => times(200, () => byHand(1)),
      variants: {
        kumiko: () => times(200, () => chain.invoke(1)),
        "with one handler": () => times(200, () => chain.invoke(1, watched)),
      },
      budgets: { kumiko: 2 },
    }),
    await compare({
      name: "the same chain with one no-op handler, per node (against the run without)",
      operations: 2_000,
      baseline: () => times(200, () => chain.invoke(1)),
      variants: { handler: () => times(200, () => chain.invoke(1, watched)) },
      budgets: { handler: 1.5 },
    }),
    await compare({
      name: "chain of 10 sync functions, per node (against awaiting each)",
      operations: 2_000,
      baseline: () => times(200, () => syncByHand(1)),
      variants: { kumiko: () => times(200, () => sync.invoke(1)) },
      budgets: { kumiko: 1 },
    }),
  ];
}

function fanOut(width: number, triggerMode: "anyPredecessor" | "allPredecessor"): AnyGraph {
  const graph = new Graph<number, number>();
  const join = graph.node("join", (parts: Record<string, number>) => sum(parts));
  for (let n = 0; n < width; n++) {
    const part = graph.node(`part${n}`, async (x: number) => x + n, { outputKey: `part${n}` });
    graph.connect(graph.start, part);
    graph.connect(part, join.part);
  }
  graph.connect(join, graph.end);
  return graph.compile({ triggerMode }) as unknown as AnyGraph;
}

function sum(parts: Record<string, number>): number {
  let total = 0;
  for (const key in parts) total += parts[key] ?? 0;
  return total;
}

async function fanOutByHand(width: number): Promise<number> {
  const values = await Promise.all(Array.from({ length: width }, async (_, n) => 1 + n));
  const parts: Record<string, number> = {};
  values.forEach((value, n) => {
    parts[`part${n}`] = value;
  });
  return sum(parts);
}

export async function measureFanOut(): Promise<Measured[]> {
  const [fifty, dag] = [fanOut(50, "anyPredecessor"), fanOut(50, "allPredecessor")];
  const many = fanOut(4_000, "anyPredecessor");
  const parts = Array.from(
    { length: 50 },
    (_, n): Step =>
      async (x) =>
        x + n,
  );
  const plain = async (): Promise<number> => {
    const values = await Promise.all(parts.map((part) => part(1)));
    let total = 0;
    for (const value of values) total += value;
    return total;
  };
  return [
    await compare({
      name: "fan-out 1 to 50 and join, per run (against Promise.all)",
      operations: 50,
      baseline: () => times(50, plain),
      variants: {
        kumiko: () => times(50, () => fifty.invoke(1)),
        allPredecessor: () => times(50, () => dag.invoke(1)),
      },
      budgets: { kumiko: 4 },
    }),
    await compare({
      name: "fan-out over 4,000 nodes, per node (against Promise.all into a record)",
      operations: 4_000,
      baseline: () => fanOutByHand(4_000),
      variants: { kumiko: () => many.invoke(1) },
      budgets: { kumiko: 2 },
    }),
  ];
}

export async function measureLoops(): Promise<Measured[]> {
  const step = async (x: number): Promise<number> => x + 1;
  const choose = (x: number): "step" | typeof END => (x < 1_000 ? "step" : END);
  const loop = new Graph<number, number>()
    .addNode("step", step)
    .addEdge(START, "step")
    .addBranch("step", ["step", END], choose)
    .compile({ maxSteps: 2_000 });
  const loopByHand = async (): Promise<number> => {
    let x = 0;
    do x = await step(x);
    while (choose(x) !== END);
    return x;
  };
  const branches = branchesOf(10);
  return [
    await compare({
      name: "loop of 1,000 supersteps, per step (against a loop by hand)",
      operations: 1_000,
      baseline: loopByHand,
      variants: { kumiko: () => loop.invoke(0) },
      budgets: { kumiko: 2.5 },
    }),
    await compare({
      name: "10 branches one after another, per branch (against ifs by hand)",
      operations: 1_000,
      baseline: () => times(100, () => branchesByHand(1)),
      variants: { kumiko: () => times(100, () => branches.invoke(1)) },
      budgets: { kumiko: 2.5 },
    }),
  ];
}

function branchesOf(count: number): AnyGraph {
  const graph = new Graph<number, number>();
  let from = graph.node("in", async (x: number) => x);
  graph.connect(graph.start, from);
  for (let n = 0; n < count; n++) {
    const odd = graph.node(`odd${n}`, async (x: number) => x + 1);
    const even = graph.node(`even${n}`, async (x: number) => x + 2);
    const next = graph.node(`next${n}`, (x: number) => x);
    graph.addBranch(from, [odd, even], (x: number) => (x % 2 === 1 ? odd : even));
    graph.connect(odd, next);
    graph.connect(even, next);
    from = next;
  }
  graph.connect(from, graph.end);
  return graph.compile({ maxSteps: 100 }) as unknown as AnyGraph;
}

async function branchesByHand(input: number): Promise<number> {
  let x = (await asyncSteps[0]?.(input)) ?? 0;
  const odd = async (value: number): Promise<number> => value + 1;
  const even = async (value: number): Promise<number> => value + 2;
  for (let n = 0; n < 10; n++) x = x % 2 === 1 ? await odd(x) : await even(x);
  return x;
}

const CHUNKS = 10_000;

async function* numbers(): AsyncGenerator<number, void> {
  for (let n = 0; n < CHUNKS; n++) yield n;
}

async function* addOne(chunks: AsyncIterable<number>): AsyncGenerator<number, void> {
  for await (const chunk of chunks) yield chunk + 1;
}

async function drain(chunks: AsyncIterable<number>): Promise<number> {
  let total = 0;
  for await (const chunk of chunks) total += chunk;
  return total;
}

export async function measureStreams(): Promise<Measured[]> {
  const generators = new Chain<number>();
  const maps = new Chain<number>();
  for (let n = 0; n < 5; n++) {
    generators.append(lambda({ transform: (chunks: StreamReader<number>) => addOne(chunks) }));
    maps.append(mapChunks((chunk: number) => chunk + 1));
  }
  const streaming = generators.compile() as unknown as AnyGraph;
  const mapping = maps.compile() as unknown as AnyGraph;
  const add = (x: number): number => x + 1;
  return [
    await compare({
      name: "10,000 chunks through 5 async-generator nodes, per chunk and node (against the bare generators)",
      operations: CHUNKS * 5,
      baseline: () => drain(addOne(addOne(addOne(addOne(addOne(numbers())))))),
      variants: { kumiko: () => drain(streaming.transform(numbers())) },
      budgets: { kumiko: 1.5 },
    }),
    await compare({
      name: "10,000 chunks through 5 mapChunks nodes, per chunk and node (against calls in one loop)",
      operations: CHUNKS * 5,
      baseline: async () => {
        let total = 0;
        for await (const chunk of numbers()) total += add(add(add(add(add(chunk)))));
        return total;
      },
      variants: { kumiko: () => drain(mapping.transform(numbers())) },
      budgets: { kumiko: 2 },
    }),
  ];
}

/** Absolute figures: there is nothing to compare building with. */
export async function measureBuilding(): Promise<string[]> {
  const lines: string[] = [];
  for (let n = 0; n < 200; n++) buildLine(1_000);
  for (const count of [1_000, 10_000]) {
    const samples = Array.from({ length: 9 }, () => {
      const start = process.cpuUsage();
      buildLine(count);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    }).toSorted((a, b) => a - b);
    lines.push(`build + compile of ${count} nodes: ${(samples[4] ?? 0).toFixed(2)} ms`);
  }
  return lines;
}

function buildLine(count: number): unknown {
  const graph = new Graph<number, number>();
  const node = (x: number): number => x;
  let from = graph.node("n0", node);
  graph.connect(graph.start, from);
  for (let n = 1; n < count; n++) {
    const next = graph.node(`n${n}`, node);
    graph.connect(from, next);
    from = next;
  }
  graph.connect(from, graph.end);
  return graph.compile();
}
