// What it costs that runs are saved, in files too: node bench/start.mjs bench/details/checkpoints.ts
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CheckpointStore, END, Graph, isInterrupt, memoryStore, type NodeContext, START } from "kumiko";
import { sqliteStore } from "kumiko/sqlite";
import { bytesInUse } from "../measure/garbage.js";
import { compare, type Measured } from "./compare.js";

const STEPS = 200;
const ids = { last: 0 };
const nextId = (): string => `run-${++ids.last}`;

type Asker = (text: string, ctx: NodeContext) => Promise<string>;

function line(ask: Asker, store: CheckpointStore, durability: "exit" | "step" = "exit") {
  const graph = new Graph<string, string>().untyped();
  let from = "n0";
  graph.addNode(from, async (text: string) => text);
  graph.addEdge(START, from);
  for (let n = 1; n < 10; n++) {
    const next = `n${n}`;
    graph.addNode(next, n === 5 ? ask : async (text: string) => text);
    graph.addEdge(from, next);
    from = next;
  }
  graph.addEdge(from, END);
  return graph.compile({ name: "line", store, durability });
}

function alone(ask: Asker, store: CheckpointStore) {
  const graph = new Graph<string, string>().untyped();
  graph.addNode("ask", ask);
  graph.addEdge(START, "ask");
  graph.addEdge("ask", END);
  return graph.compile({ name: "alone", store });
}

const asks = async (text: string, ctx: NodeContext): Promise<string> => `${text} ${await ctx.ask<string>("sure", "?")}`;
const knows = async (text: string): Promise<string> => `${text} yes`;

type Asking = ReturnType<typeof alone>;
type Stepping = ReturnType<typeof loop>;

/** A run stops at a question, and is resumed with the answer. */
async function roundTrip(graph: Asking): Promise<string> {
  const checkpointId = nextId();
  try {
    return await graph.invoke("hello", { checkpointId });
  } catch (error) {
    if (!isInterrupt(error)) throw error;
    return graph.resume(checkpointId, { [error.interrupts[0]?.id ?? ""]: "yes" });
  }
}

/** The rows that such a run writes, and nothing else: a claim, the stop, a claim with the answer, and away with it. */
async function roundTripByHand(store: CheckpointStore): Promise<string> {
  const id = nextId();
  const [runKey, questionId] = [crypto.randomUUID(), crypto.randomUUID()];
  const question = { id: questionId, key: "sure", address: "runnable:alone;node:ask", info: "?" };
  const task = { node: "ask", kind: "lambda", step: 1, done: false, questions: [question] };
  const root = { address: "runnable:alone", tasks: [{ node: "start", step: 0, done: true, output: "hello" }, task] };
  await store.get(id);
  const claimed = await store.put(id, bytesOf({ version: 3, runKey, status: "running" }), undefined);
  const stopped = await store.put(id, bytesOf({ version: 3, runKey, status: "stopped", root }), claimed);
  const row = await store.get(id);
  const read = JSON.parse(new TextDecoder().decode(row?.data));
  read.root.tasks[1].questions[0].answer = "yes";
  const resumed = await store.put(id, bytesOf({ ...read, status: "running" }), stopped);
  await store.delete(id, resumed);
  return knows("hello");
}

const encoder = new TextEncoder();
const bytesOf = (document: object): Uint8Array => encoder.encode(JSON.stringify(document));

async function measureInterrupts(): Promise<Measured[]> {
  const store = memoryStore();
  const [lone, loneAnswered] = [alone(asks, store), alone(knows, store)];
  const [ten, tenAnswered] = [line(asks, store), line(knows, store)];
  return [
    await compare({
      name: "a node that asks: interrupt and resume in memory (against the same run with nothing to ask)",
      iterations: 4_000,
      baseline: () => loneAnswered.invoke("hello"),
      variants: {
        "its rows by hand": () => roundTripByHand(store),
        "interrupt and resume": () => roundTrip(lone),
      },
      extraBudgets: { "interrupt and resume": 15_000 },
    }),
    await compare({
      name: "the same, in the middle of ten nodes",
      iterations: 4_000,
      baseline: () => tenAnswered.invoke("hello"),
      variants: {
        "with a checkpointId": () => tenAnswered.invoke("hello", { checkpointId: nextId() }),
        "interrupt and resume": () => roundTrip(ten),
      },
      extraBudgets: { "interrupt and resume": 15_000 },
    }),
  ];
}

/** The same steps, and after each of them a row. */
async function saveByHand(store: CheckpointStore): Promise<number> {
  const id = nextId();
  const runKey = crypto.randomUUID();
  let version: number | undefined;
  let value = 0;
  for (let step = 1; step <= STEPS; step++) {
    value = await addOne(value);
    const tasks = [{ node: "step", kind: "lambda", step, done: true, targets: ["step"], output: value }];
    const root = { id: runKey, address: "runnable:", tasks };
    version = await store.put(id, bytesOf({ version: 3, runKey, status: "running", root }), version);
  }
  await store.delete(id, version);
  return value;
}

const addOne = async (x: number): Promise<number> => x + 1;

function loop(store: CheckpointStore) {
  return new Graph<number, number>()
    .addNode("step", addOne)
    .addEdge(START, "step")
    .addBranch("step", ["step", END], (x: number) => (x < STEPS ? "step" : END))
    .compile({ maxSteps: STEPS, store, durability: "step" });
}

async function measureSteps(): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-bench-"));
  const full = sqliteStore(join(folder, "full.db"));
  const normal = sqliteStore(join(folder, "normal.db"), { synchronous: "normal" });
  const memory = memoryStore();
  const [inMemory, inFullFile, inFile] = [loop(memory), loop(full), loop(normal)];
  const saved = (graph: Stepping) => graph.invoke(0, { checkpointId: nextId() });
  const measured = [
    await compare({
      name: `${STEPS} steps, each saved in memory, per step (against the same run that is not saved)`,
      operations: STEPS,
      baseline: () => inMemory.invoke(0),
      variants: { "rows by hand": () => saveByHand(memory), 'durability "step"': () => saved(inMemory) },
      extraBudgets: { 'durability "step"': 2_000 },
    }),
    await compare({
      name: `${STEPS} steps, each saved in a SQLite file, per step, without waiting for the disk`,
      operations: STEPS,
      iterations: 2,
      baseline: () => inFile.invoke(0),
      variants: { 'synchronous "normal"': () => saved(inFile), 'synchronous "full"': () => saved(inFullFile) },
    }),
  ];
  console.log(`\nthe same with waiting for the disk, per step`);
  for (const [name, graph] of [
    ['"normal"', inFile],
    ['"full"', inFullFile],
  ] as const) {
    const start = performance.now();
    await saved(graph);
    console.log(`  synchronous ${name}: ${(((performance.now() - start) * 1e3) / STEPS).toFixed(0)} µs`);
  }
  await Promise.all([full.close(), normal.close()]);
  rmSync(folder, { recursive: true, force: true });
  return measured;
}

/** Bytes of a run of ten nodes that waits for the outside: absolute figures. */
async function measureParkedRuns(): Promise<string[]> {
  const gates: (() => void)[] = [];
  const waits = (): Promise<string> => new Promise((resolve) => gates.push(() => resolve("")));
  const store = memoryStore();
  const [exit, step, asking] = [line(waits, store), line(waits, store, "step"), line(asks, store)];
  const start = (graph: Asking) => () => void graph.invoke("hello", { checkpointId: nextId() });
  const stop = () => asking.invoke("hello", { checkpointId: nextId() }).catch(() => {});
  const lines = [
    "a parked run of 10 nodes, which is to take 2 kB",
    `  waits for a promise: ${await bytesPerRun(() => void exit.invoke("hello"))} bytes`,
    `  the same with a checkpointId: ${await bytesPerRun(start(exit))} bytes`,
    `  the same, saved after each node: ${await bytesPerRun(start(step))} bytes`,
  ];
  for (const open of gates.splice(0)) open();
  lines.push(`  stopped at a question, in a memoryStore: ${await bytesPerRun(stop)} bytes`);
  const last = await store.get(`run-${ids.last}`);
  return [...lines, `  its checkpoint: ${last?.data.length} bytes`];
}

async function bytesPerRun(park: () => unknown): Promise<number> {
  const count = 5_000;
  for (let n = 0; n < 200; n++) await park();
  const before = await bytesInUse();
  for (let n = 0; n < count; n++) await park();
  return Math.round(((await bytesInUse()) - before) / count);
}

await measureInterrupts();
await measureSteps();
console.log("");
for (const text of await measureParkedRuns()) console.log(text);
