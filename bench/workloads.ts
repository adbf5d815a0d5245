import { agentWorkloads } from "./agents/workloads.js";
import type { Contender, Run, SplitStrategy, Step, Work } from "./contender.js";
import { allPredecessor, handled, kumiko } from "./contenders/kumiko.js";
import { historyLoop, sqliteItems } from "./contenders/kumiko-policies.js";
import { limited } from "./contenders/p-limit.js";
import { plain, plainRecord } from "./contenders/plain.js";
import { webStreams } from "./contenders/web-streams.js";
import { htmlText, jsonText, latexText, markdownText, plainText, queryOf, vectorsOf } from "./documents.js";
import type { Group } from "./groups.js";
import { asyncSteps, CHUNKS, callsOf, numbers, partsOf, sumBelow, syncSteps, wiredSteps } from "./steps.js";

/** Something that is run again and again, and timed. */
export interface Workload {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  /** How many nodes, chunks or calls one run has; figures are given for one of them. */
  readonly operations: number;
  /** What `work` does with a contender, if that can do it. */
  readonly work: (contender: Contender) => Work | undefined;
  /** What must come out of it. */
  readonly expected: unknown;
  /** Makes what is compared with `expected` of what came out. @default the result itself */
  readonly read?: ((result: unknown) => unknown) | undefined;
  /** What the others are compared with. @default by hand */
  readonly base?: Contender | undefined;
  /** Who else is measured by `npm run bench`. */
  readonly others?: readonly Contender[] | undefined;
  readonly target?: Target | undefined;
  /** Whether only this library is measured. @default false */
  readonly own?: boolean | undefined;
  /** Calls per sample, where more calls would make the process another one: rows that pile up, for instance. */
  readonly calls?: number | undefined;
}

/** How much it may cost: as many times as the base, or so many microseconds per operation. */
export type Target = { readonly ratio: number } | { readonly microseconds: number };

const addOne = async (x: number): Promise<number> => x + 1;
const addTwo = async (x: number): Promise<number> => x + 2;
const addThree = async (x: number): Promise<number> => x + 3;
const STEPS = 1_000;
const SAVED_STEPS = 200;

/** A function that calls what a contender has built with one input. */
function runOf(run: Run | undefined, input: number): Work | undefined {
  return run === undefined ? undefined : () => run(input);
}

/** So many graphs of 1,000 nodes instead of a larger one. */
const manySmall: Contender = {
  name: "kumiko, as graphs of 1,000 nodes",
  build: (step, count) => {
    const runs = Array.from({ length: count / 1_000 }, () => kumiko.build?.(step, 1_000));
    return (input) => runs.reduce(async (value, run) => (await run?.(await value)) ?? 0, Promise.resolve(input));
  },
};

function items(count: number): Workload {
  return {
    id: `items-${count}`,
    group: "graphs",
    title: `each, over a list of ${count.toLocaleString("en")}, per item`,
    operations: count,
    work: (contender) =>
      contender.items?.(
        addOne,
        Array.from({ length: count }, (_, n) => n),
      ),
    read: (results) => (Array.isArray(results) ? results.reduce((sum, result) => sum + result, 0) : results),
    expected: count + sumBelow(count),
    target: count < 1_000 ? undefined : { ratio: 1.5 },
  };
}

function tools(count: number, target?: Target): Workload {
  return {
    id: `tools-${count}`,
    group: "tools",
    title: `tools node, ${count} ${count === 1 ? "call" : "calls side by side, per call"}`,
    operations: count,
    work: (contender) => contender.tools?.(callsOf(count)),
    read: (outputs) => (Array.isArray(outputs) ? outputs : []).map(celsiusOf),
    expected: Array.from({ length: count }, () => 8),
    target,
  };
}

/** Outputs come as text or as values, alone or in a record. */
function celsiusOf(output: unknown): unknown {
  const value: unknown = typeof output === "string" ? JSON.parse(output) : output;
  return typeof value === "object" && value !== null && "celsius" in value ? value.celsius : value;
}

function build(count: number, more: Pick<Workload, "base" | "target" | "own">): Workload {
  return {
    id: `build-${count}`,
    group: "building",
    title: `build and compile a line of ${count.toLocaleString("en")} nodes`,
    operations: 1,
    work: ({ build: make }) => make && (() => make(addOne, count)),
    read: (run) => (typeof run === "function" ? run(0) : undefined),
    expected: count,
    ...more,
  };
}

const graphs: readonly Workload[] = [
  {
    id: "chain-async",
    group: "chains",
    title: "chain of 10 async functions, per node",
    operations: 10,
    work: ({ chain }) => runOf(chain?.(asyncSteps), 1),
    expected: 46,
    target: { ratio: 1.75 },
  },
  {
    id: "chain-sync",
    group: "chains",
    title: "chain of 10 sync functions, per node",
    operations: 10,
    work: ({ chain, syncChain = chain }) => runOf(syncChain?.(syncSteps), 1),
    expected: 46,
    target: { ratio: 1 },
  },
  {
    id: "checked",
    group: "chains",
    title: "chain of 10 async functions that check what they get, per node",
    operations: 10,
    work: ({ checkedChain }) => runOf(checkedChain?.(asyncSteps), 1),
    expected: 46,
  },
  {
    id: "watched",
    group: "chains",
    title: "chain of 10 async functions with one no-op handler, per node",
    operations: 10,
    work: ({ watchedChain }) => runOf(watchedChain?.(asyncSteps), 1),
    expected: 46,
    base: { name: "kumiko without", watchedChain: kumiko.chain },
    target: { ratio: 1.6 },
  },
  {
    id: "loop",
    group: "graphs",
    title: "loop of 1,000 supersteps, per step",
    operations: STEPS,
    work: ({ loop }) => runOf(loop?.(addOne, STEPS), 0),
    expected: STEPS,
    target: { ratio: 3 },
  },
  {
    id: "branches",
    group: "graphs",
    title: "10 branches one after another, per branch",
    operations: 10,
    work: (contender) => runOf(contender.branches?.(addOne, addThree, 10), 1),
    // odd and even by turns: 2, 5, 6, 9 …
    expected: 21,
    target: { ratio: 3 },
  },
  {
    id: "workflow",
    group: "graphs",
    title: "workflow of 10 nodes with three mappings each, per node",
    operations: 10,
    work: ({ wired }) => runOf(wired?.(wiredSteps), 1),
    expected: 21,
    target: { ratio: 2.5 },
  },
  {
    id: "fan-out-50",
    group: "graphs",
    title: "fan-out from 1 to 50 nodes and join, per node",
    operations: 50,
    work: ({ fanOut }) => runOf(fanOut?.(partsOf(50)), 1),
    expected: 50 + sumBelow(50),
    others: [plainRecord, allPredecessor],
    target: { ratio: 5 },
  },
  {
    id: "fan-out-4000",
    group: "graphs",
    title: "fan-out from 1 to 4,000 nodes and join, per node",
    operations: 4_000,
    work: ({ fanOut }) => runOf(fanOut?.(partsOf(4_000)), 1),
    expected: 4_000 + sumBelow(4_000),
    base: plainRecord,
    // what one of 50 takes against the same record (5x against a loop): it is linear, whatever a record of 4,000 keys costs the engine
    target: { ratio: 3 },
  },
  {
    id: "each",
    group: "graphs",
    title: "one function over 4,000 inputs, 16 at a time, per input",
    operations: 4_000,
    work: ({ each }) => each?.(addOne, 4_000, 16),
    expected: 4_000 + sumBelow(4_000),
    others: [limited],
  },
  ...[100, 10_000].map(items),
];

/** Fails twice, then once more goes well; and so on. */
function failingTwice(): Step {
  let calls = 0;
  return async (value) => {
    calls++;
    if (calls % 3 !== 0) throw new Error("busy");
    return value + 1;
  };
}

const policies: readonly Workload[] = [
  {
    id: "guarded",
    group: "policies",
    title: "chain of 10 async functions with 3 attempts each, none needed, per node",
    operations: 10,
    work: ({ guardedChain }) => runOf(guardedChain?.(asyncSteps), 1),
    expected: 46,
  },
  {
    id: "retried",
    group: "policies",
    title: "a function that fails twice and is tried again at once, per run",
    operations: 1,
    work: ({ retried }) => runOf(retried?.(failingTwice()), 41),
    expected: 42,
  },
  {
    id: "policies-unused",
    group: "policies",
    title: "a node with retry, time limits and a fallback that nothing needs, per call",
    operations: 1,
    work: ({ guarded }) => runOf(guarded?.(addOne), 1),
    expected: 2,
    target: { ratio: 2 },
  },
  {
    id: "cache-hit",
    group: "policies",
    title: "a node whose output is in the cache, per call",
    operations: 1,
    work: ({ cached }) => runOf(cached?.(addOne), 1),
    expected: 2,
    target: { ratio: 1.5 },
  },
];

const streams: readonly Workload[] = [
  {
    id: "generators",
    group: "streams",
    title: "10,000 chunks through 5 async-generator nodes, per chunk and node",
    operations: CHUNKS * 5,
    work: ({ generators }) => pipeOf(generators?.(5)),
    expected: CHUNKS * 5 + sumBelow(CHUNKS),
    others: [webStreams],
    target: { ratio: 1.2 },
  },
  {
    id: "maps",
    group: "streams",
    title: "10,000 chunks through 5 map-style nodes, per chunk and node",
    operations: CHUNKS * 5,
    work: ({ maps }) => pipeOf(maps?.(5)),
    expected: CHUNKS * 5 + sumBelow(CHUNKS),
    target: { ratio: 2 },
  },
  {
    id: "split",
    group: "streams",
    title: "10,000 chunks into two branches and merged, per chunk and branch",
    operations: CHUNKS * 2,
    work: (contender) => pipeOf(contender.split?.(addOne, addTwo)),
    expected: CHUNKS * 3 + 2 * sumBelow(CHUNKS),
    others: [webStreams],
  },
  {
    id: "events",
    group: "streams",
    title: "1,000 chunks of a node, read as `events`, per chunk",
    operations: 1_000,
    work: ({ told }) => runOf(told?.(1_000), 1),
    expected: sumBelow(1_000),
    base: handled,
    target: { ratio: 2 },
  },
];

function pipeOf(pipe: ((source: AsyncIterable<number>) => Promise<number>) | undefined): Work | undefined {
  return pipe === undefined ? undefined : () => pipe(numbers());
}

const mcp: readonly Workload[] = [
  {
    id: "mcp-call",
    group: "mcp",
    title: "`tools/call` of an MCP server in the same process (by hand: the official SDK)",
    operations: 1,
    work: ({ mcpCall }) => mcpCall?.(),
    expected: { celsius: 8 },
    target: { ratio: 1.15 },
  },
  {
    id: "mcp-connect",
    group: "mcp",
    title: "connect an MCP server of 200 tools over HTTP, make them tools, close (by hand: the official SDK)",
    operations: 1,
    work: ({ mcpConnect }) =>
      mcpConnect?.(import("./contenders/mcp-by-hand.js").then(({ serverWithTools }) => serverWithTools(200))),
    expected: 200,
  },
];

const saving: readonly Workload[] = [
  {
    id: "ask-and-resume",
    group: "saving",
    title: "a node that asks: interrupt and resume in memory, per run",
    operations: 1,
    work: ({ askAndResume }) => runOf(askAndResume?.(), 41),
    expected: 42,
    target: { microseconds: 60 },
  },
  {
    id: "saved-loop",
    group: "saving",
    title: "loop of 200 supersteps, saved in memory after each, per step",
    operations: SAVED_STEPS,
    work: ({ savedLoop }) => runOf(savedLoop?.(addOne, SAVED_STEPS), 0),
    expected: SAVED_STEPS,
    target: { microseconds: 4 },
  },
  {
    id: "history",
    group: "saving",
    title: "the same with its history, per step",
    operations: SAVED_STEPS,
    work: ({ historyLoop: loop }) => runOf(loop?.(addOne, SAVED_STEPS), 0),
    expected: SAVED_STEPS,
    base: { name: "kumiko without", historyLoop: historyLoop(false) },
    target: { ratio: 1.3 },
  },
  {
    id: "saved-chain",
    group: "saving",
    title: "chain of 10 async functions, saved in memory after each, per node",
    operations: 10,
    work: ({ savedChain }) => runOf(savedChain?.(asyncSteps), 1),
    expected: 46,
  },
  {
    id: "sqlite-items",
    group: "saving",
    title: 'each, over 1,000 items saved in a SQLite file as they finish ("step"), per item',
    operations: 1_000,
    work: ({ sqliteItems: items }) =>
      items?.(
        addOne,
        Array.from({ length: 1_000 }, (_, n) => n),
      ),
    read: (results) => (Array.isArray(results) ? results.reduce((sum, result) => sum + result, 0) : results),
    expected: 1_000 + sumBelow(1_000),
    base: { name: 'kumiko, saved at its end ("exit")', sqliteItems: sqliteItems("exit") },
    target: { ratio: 3 },
  },
  {
    id: "saved-items",
    group: "saving",
    title: "each, over a list of 100, saved in memory as items end, per item",
    operations: 100,
    work: ({ savedItems }) =>
      savedItems?.(
        addOne,
        Array.from({ length: 100 }, (_, n) => n),
      ),
    read: (results) => (Array.isArray(results) ? results.reduce((sum, result) => sum + result, 0) : results),
    expected: 100 + sumBelow(100),
  },
];

/** Pieces may differ in their blanks, and in where they begin. */
function lettersOf(pieces: unknown): number {
  return (Array.isArray(pieces) ? pieces : []).join("").replaceAll(/\s/g, "").length;
}

/** The sentences that are marked, as often as they are there. */
function marksIn(pieces: unknown): number {
  return (Array.isArray(pieces) ? pieces : []).join("\n").match(/mark\d+/g)?.length ?? 0;
}

function split(strategy: SplitStrategy, title: string, text: string, read: (pieces: unknown) => number): Workload {
  const size = strategy === "token" ? 200 : 1_000;
  return {
    id: `split-${strategy}`,
    group: "documents",
    title: `${title} of 200,000 characters into pieces of ${size.toLocaleString("en")}${strategy === "token" ? " tokens" : ""}`,
    operations: 1,
    work: ({ splitters }) => splitters?.[strategy]?.(text, size),
    read,
    expected: read([text]),
  };
}

const evals: readonly Workload[] = [
  {
    id: "replayed",
    group: "evals",
    title: "the answer of a model from a tape of 1,000 files",
    operations: 1,
    work: ({ replayed }) => replayed?.(1_000),
    expected: "5 euros",
    target: { microseconds: 2_000 },
  },
  {
    id: "evaluated",
    group: "evals",
    title: "an evaluation of 1,000 cases that do nothing, without a store",
    operations: 1,
    work: ({ evaluated }) => evaluated?.(1_000),
    expected: 1,
    target: { microseconds: 500_000 },
  },
];

const documents: readonly Workload[] = [
  split("recursive", "a text", plainText, lettersOf),
  split("character", "a text, between paragraphs,", plainText, lettersOf),
  split("sentence", "a text, between sentences,", plainText, lettersOf),
  split("token", "a text", plainText, lettersOf),
  split("markdown", "a Markdown document", markdownText, lettersOf),
  split("semantic-markdown", "a Markdown document, joined by headings,", markdownText, lettersOf),
  split("html", "an HTML document", htmlText, marksIn),
  split("latex", "a LaTeX document", latexText, marksIn),
  split("json", "a JSON document", jsonText, marksIn),
  {
    id: "nearest",
    group: "documents",
    title: "the nearest 10 of 10,000 vectors of 384 numbers, by cosine",
    operations: 1,
    work: ({ nearest }) => nearest?.(vectorsOf(10_000, 384), queryOf(384)),
    read: (found) => (Array.isArray(found) ? found : []).length,
    expected: 10,
    target: { ratio: 1.2 },
  },
];

export const workloads: readonly Workload[] = [
  ...graphs,
  ...policies,
  tools(1, { ratio: 1.8 }),
  tools(10),
  tools(100, { ratio: 1.4 }),
  ...agentWorkloads,
  ...mcp,
  ...streams,
  build(1_000, { target: { microseconds: 2_000 } }),
  build(10_000, { base: manySmall, target: { ratio: 2 }, own: true }),
  ...saving,
  ...documents,
  ...evals,
];

/** Who is measured when nobody else takes part; the first is what the others are compared with. */
export function contendersOf({ base = plain, others = [] }: Workload): Contender[] {
  return [base, kumiko, ...others];
}
