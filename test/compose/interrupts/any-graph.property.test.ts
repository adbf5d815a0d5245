import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CompiledGraph,
  END,
  Graph,
  type Interrupt,
  isInterrupt,
  KumikoError,
  memoryStore,
  type NodeContext,
  START,
} from "../../../src/index.js";

type Value = Readonly<Record<string, string>>;
type Trigger = "anyPredecessor" | "allPredecessor";

interface NodeSpec {
  readonly kind: "function" | "generator" | "graph" | "child" | "children";
  /** How many questions it asks. */
  readonly asks: number;
  /** Whether it asks them at once. */
  readonly atOnce: boolean;
  /** Whether its first try fails, after it was answered. */
  readonly fails: boolean;
  /** Which of the nodes before it feed it, as bits; none means START. */
  readonly from: number;
  readonly inner: GraphSpec | undefined;
}

interface GraphSpec {
  readonly trigger: Trigger;
  readonly nodes: readonly NodeSpec[];
}

/** Every node leads to END. */
function randomGraph(fails: boolean, depth: number): fc.Arbitrary<GraphSpec> {
  const inner = depth === 0 ? fc.constant(undefined) : randomGraph(fails, depth - 1);
  const kinds: NodeSpec["kind"][] = ["function", "function", "generator"];
  const node = fc.record({
    kind: fc.constantFrom(...kinds, ...(depth === 0 ? [] : (["graph", "child", "children"] as const))),
    asks: fc.constantFrom(0, 0, 1, 1, 2),
    atOnce: fc.boolean(),
    fails: fails ? fc.nat(4).map((number) => number === 0) : fc.constant(false),
    from: fc.nat(31),
    inner,
  });
  return fc.record({
    trigger: fc.constantFrom<Trigger[]>("anyPredecessor", "allPredecessor"),
    nodes: fc.array(node, { minLength: 1, maxLength: depth === 0 ? 3 : 5 }),
  });
}

/** What is seen of a run, and whether it asks anybody at all. */
interface Lab {
  readonly asks: boolean;
  /** How often the work of each place was done that is remembered. */
  readonly work: Map<string, number>;
  /** Places that have failed and will not again. */
  readonly failed: Set<string>;
}

const newLab = (asks: boolean): Lab => ({ asks, work: new Map(), failed: new Set() });
const answerTo = (info: string): string => `${info}!`;

/** The builder, without its types. */
interface UntypedGraph {
  addNode(key: string, node: unknown, options?: object): void;
  addEdge(from: string, to: string): void;
  compile(options: object): CompiledGraph<Value, Value>;
}

function buildGraph(spec: GraphSpec, path: string, lab: Lab, options: object): CompiledGraph<Value, Value> {
  const graph = new Graph() as unknown as UntypedGraph;
  const keyOf = (n: number): string => `n${n}`;
  const feeds = new Set<number>();
  for (const [n, node] of spec.nodes.entries()) {
    const key = keyOf(n);
    graph.addNode(key, makeNode(node, `${path}${key}`, lab), { outputKey: key });
    const sources = spec.nodes.map((_node, index) => index).filter((index) => index < n && (node.from >> index) % 2);
    for (const source of sources) {
      feeds.add(source);
      graph.addEdge(keyOf(source), key);
    }
    if (sources.length === 0) graph.addEdge(START, key);
  }
  for (const n of spec.nodes.keys()) if (!feeds.has(n)) graph.addEdge(keyOf(n), END);
  return graph.compile({ triggerMode: spec.trigger, ...options });
}

function makeNode(node: NodeSpec, path: string, lab: Lab): unknown {
  const inner = (name: string) => buildGraph(node.inner as GraphSpec, `${path}${name}/`, lab, { name: "child" });
  const write = (value: unknown): string => `${path} ${digest(JSON.stringify(value))}`;
  if (node.kind === "graph") {
    const graph = new Graph<Value, string>()
      .addNode("inner", inner(""))
      .addNode("write", write)
      .addEdge(START, "inner")
      .addEdge("inner", "write")
      .addEdge("write", END);
    return graph;
  }
  const work = async (input: Value, ctx: NodeContext): Promise<string> => {
    const done = await ctx.once("work", () => {
      lab.work.set(path, (lab.work.get(path) ?? 0) + 1);
      return Object.keys(input).sort().join("+");
    });
    const ask = async (n: number): Promise<unknown> => {
      const info = `${path}?${n}`;
      return lab.asks ? ctx.ask(`${n}`, info) : answerTo(info);
    };
    const answers: unknown[] = [];
    const numbers = Array.from({ length: node.asks }, (_, n) => n);
    if (node.atOnce) answers.push(...(await Promise.all(numbers.map(ask))));
    else for (const n of numbers) answers.push(await ask(n));
    if (node.fails && !lab.failed.has(path) && lab.asks) {
      lab.failed.add(path);
      throw new Error(`${path} failed`);
    }
    const children: Value[] = [];
    if (node.kind === "child") children.push(await inner("").invoke(input, { parent: ctx }));
    if (node.kind === "children") {
      const both = ["a", "b"].map((key) => inner(key).invoke(input, { parent: ctx, key }));
      children.push(...(await Promise.all(both)));
    }
    return write([path, done, input, answers, children]);
  };
  if (node.kind !== "generator") return work;
  return async function* (input: Value, ctx: NodeContext) {
    const text = await work(input, ctx);
    yield text.slice(0, 3);
    yield text.slice(3);
  };
}

/** Texts would grow with every node. */
function digest(text: string): string {
  let hash = 7;
  for (let n = 0; n < text.length; n++) hash = (Math.imul(hash, 31) + text.charCodeAt(n)) >>> 0;
  return hash.toString(36);
}

interface Move {
  /** Which of the open questions are answered, as bits; none of them is a resume without answers. */
  readonly answers: number;
  readonly streams: boolean;
}

const input: Value = { start: "x" };

/** Goes on until there is a result, and checks on the way that questions which nobody answered stay as they are. */
async function play(app: CompiledGraph<Value, Value>, moves: readonly Move[]): Promise<Value> {
  let open: readonly Interrupt[] = [];
  const [first] = moves;
  const options = { checkpointId: "run" };
  let run = first?.streams ? app.stream(input, options).concat() : app.invoke(input, options);
  for (let round = 1; ; round++) {
    const outcome = await run.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if ("value" in outcome) return outcome.value;
    const { error } = outcome;
    if (round > 200) throw new Error("The run does not end.", { cause: error });
    if (isInterrupt(error)) {
      expect(error.interrupts.length).toBeGreaterThan(0);
      expect(error.interrupts).toEqual(expect.arrayContaining(open.map(({ id }) => expect.objectContaining({ id }))));
      open = error.interrupts;
    } else if (!(KumikoError.is(error) && error.code === "NODE_FAILED")) throw error;
    const { answers, streams } = moves[round % moves.length] ?? { answers: 1, streams: false };
    // a run that waits only gets on with answers: at the latest in every other round
    const chosen = open.filter((_question, n) => (answers >> (n % 5)) % 2 === 1);
    const answered = chosen.length === 0 && round % 2 === 0 && isInterrupt(error) ? open.slice(0, 1) : chosen;
    open = open.filter((question) => !answered.includes(question));
    const data = Object.fromEntries(answered.map(({ id, info }) => [id, answerTo(String(info))]));
    run = streams ? app.resumeStream("run", data).concat() : app.resume("run", data);
  }
}

const randomMoves = fc.array(fc.record({ answers: fc.nat(31), streams: fc.boolean() }), {
  minLength: 1,
  maxLength: 6,
});

describe("A graph whose nodes ask gives what it gives when nobody asks", () => {
  it("whatever is answered when, in whatever mode; work that is remembered is not done again", async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph(false, 1), randomMoves, async (spec, moves) => {
        const [expected, seen] = [newLab(false), newLab(true)];
        const result = await buildGraph(spec, "", expected, {}).invoke(input);
        const store = memoryStore();
        expect(await play(buildGraph(spec, "", seen, { store }), moves)).toEqual(result);
        for (const [path, count] of seen.work) expect(count).toBeLessThanOrEqual(expected.work.get(path) ?? 0);
        expect(await store.get("run")).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it("also when nodes fail on the way", async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph(true, 1), randomMoves, async (spec, moves) => {
        const result = await buildGraph(spec, "", newLab(false), {}).invoke(input);
        const app = buildGraph(spec, "", newLab(true), { store: memoryStore() });
        expect(await play(app, moves)).toEqual(result);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
