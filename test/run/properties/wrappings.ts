import { END, lambda, mapChunks, passthrough, START, StreamReader } from "kumiko";
import type { Mode } from "../every-way.js";
import { type LooseGraph, lineOf, looseGraph, type NodeEntry } from "../loose-graph.js";
import { type Concat, type Expected, isRecord, joined } from "./chunk-kinds.js";

/** The node that yields chunks: under the key "yields", or in a graph of that key. */
export interface Source {
  /** The node and its options; `concat` is to be declared there. */
  readonly node: (chunks: readonly unknown[], concat: Concat) => readonly [node: unknown, options: object];
  /** The place of the node that declares, or should. @default ["yields"] */
  readonly place?: (concat: Concat) => readonly string[];
  /** What it does with the joined value. @default nothing */
  readonly value?: (value: unknown) => unknown;
}

export const yields = (chunks: readonly unknown[]) =>
  async function* () {
    yield* chunks;
  };
const same = (value: unknown): unknown => value;
const mapped = (stream: StreamReader<unknown>): StreamReader<unknown> => stream.map(same);

/** How chunks come out of a node. */
export const sources: Readonly<Record<string, Source>> = {
  "a generator": { node: (chunks, concat) => [yields(chunks), { concat }] },
  "an async function that returns a reader": {
    node: (chunks, concat) => [async () => StreamReader.from(yields(chunks)()), { concat }],
  },
  "a function that returns a web stream": {
    node: (chunks, concat) => [() => StreamReader.from([...chunks]).toReadableStream(), { concat }],
  },
  "a lambda that streams, and declares itself": {
    node: (chunks, concat) => [lambda({ stream: yields(chunks) }, { concat }), {}],
  },
  "a lambda that transforms": {
    node: (chunks, concat) => [lambda({ transform: yields(chunks) }), { concat }],
  },
  "a generator with an output key": {
    node: (chunks, concat) => [yields(chunks), { concat, outputKey: "a" }],
    value: (value) => ({ a: value }),
  },
  "a generator with a streamAfter": {
    node: (chunks, concat) => [yields(chunks), { concat, streamAfter: same }],
  },
  "a generator with a streamAfter that maps": {
    node: (chunks, concat) => [yields(chunks), { concat, streamAfter: mapped }],
  },
  "a generator with an output key and a streamAfter": {
    node: (chunks, concat) => [yields(chunks), { concat, outputKey: "a", streamAfter: same }],
    value: (value) => ({ a: value }),
  },
  "a generator with an after": { node: (chunks, concat) => [yields(chunks), { concat, after: same }] },
  "a graph whose node declares": {
    node: (chunks, concat) => [lineOf(["inside", yields(chunks), { concat }]), {}],
    place: () => ["yields", "inside"],
  },
  "a graph that declares as a node": {
    node: (chunks, concat) => [lineOf(["inside", yields(chunks)]), { concat }],
    place: (concat) => (concat === undefined ? ["yields", "inside"] : ["yields"]),
  },
  "a graph whose node declares, with a streamAfter": {
    node: (chunks, concat) => [lineOf(["inside", yields(chunks), { concat }]), { streamAfter: mapped }],
    place: () => ["yields", "inside"],
  },
  "a graph whose node declares, with an output key": {
    node: (chunks, concat) => [lineOf(["inside", yields(chunks), { concat }]), { outputKey: "a" }],
    place: () => ["yields", "inside"],
    value: (value) => ({ a: value }),
  },
};

/** What stands between the source and END. It adds nodes behind one, and says what becomes of a value. */
export interface Stage {
  readonly add: (graph: LooseGraph, from: string, key: string) => string;
  readonly value: (value: unknown, key: string) => Expected;
}

const unchanged = (value: unknown): Expected => ({ value });
const node =
  (component: () => unknown, options: (key: string) => object = () => ({})) =>
  (graph: LooseGraph, from: string, key: string): string => {
    graph.addNode(key, component(), options(key)).addEdge(from, key);
    return key;
  };
const pass = (options: (key: string) => object = () => ({})) => node(passthrough, options);

/** Two nodes behind one, and a node behind both. */
const fork =
  (left: readonly [unknown, object], right: readonly [unknown, object], options: object = {}) =>
  (graph: LooseGraph, from: string, key: string): string => {
    graph
      .addNode(`${key}l`, ...left)
      .addNode(`${key}r`, ...right)
      .addNode(key, passthrough(), options);
    graph.addEdge(from, `${key}l`).addEdge(from, `${key}r`);
    graph.addEdge(`${key}l`, key).addEdge(`${key}r`, key);
    return key;
  };

/** Gives a record of its own, whatever comes in. */
const other = (key: string): unknown => lambda({ transform: yields([{ [key]: 1 }]) });

const branch =
  (kind: "addBranch" | "addStreamBranch", choose: (key: string) => (given: never) => unknown) =>
  (graph: LooseGraph, from: string, key: string): string => {
    graph.addNode(key, passthrough());
    graph.addNode(`${key}x`, passthrough()).addEdge(`${key}x`, key);
    graph[kind](from, [key, `${key}x`], choose(key));
    return key;
  };

export const stages: Readonly<Record<string, Stage>> = {
  "a passthrough": { add: pass(), value: unchanged },
  "a passthrough with an output key": {
    add: pass((key) => ({ outputKey: key })),
    value: (value, key) => ({ value: { [key]: value } }),
  },
  "a passthrough with a streamAfter": { add: pass(() => ({ streamAfter: same })), value: unchanged },
  "a passthrough with a streamAfter that maps": { add: pass(() => ({ streamAfter: mapped })), value: unchanged },
  "a passthrough with a streamBefore": { add: pass(() => ({ streamBefore: mapped })), value: unchanged },
  "a passthrough with a before": { add: pass(() => ({ before: same })), value: unchanged },
  "a passthrough with an after": { add: pass(() => ({ after: same })), value: unchanged },
  "an input key": {
    add: pass(() => ({ inputKey: "a" })),
    value: (value, key) =>
      isRecord(value) && Object.hasOwn(value, "a")
        ? { value: value.a }
        : { code: "MISSING_INPUT_KEY", nodePath: [key] },
  },
  "an output key and its input key": {
    add: (graph, from, key) => {
      graph.addNode(`${key}o`, passthrough(), { outputKey: "o" }).addEdge(from, `${key}o`);
      graph.addNode(key, passthrough(), { inputKey: "o" }).addEdge(`${key}o`, key);
      return key;
    },
    value: unchanged,
  },
  "a fan-in with a record": {
    add: (graph, from, key) => fork([passthrough(), {}], [other(key), {}])(graph, from, key),
    value: (value, key) =>
      isRecord(value) ? { value: { ...value, [key]: 1 } } : { code: "CANNOT_MERGE", nodePath: [key] },
  },
  "a fan-in with a merge": {
    add: (graph, from, key) =>
      fork([passthrough(), {}], [other(key), {}], { merge: (values: unknown[]) => values[0] })(graph, from, key),
    value: unchanged,
  },
  "two copies under two keys": {
    add: fork([passthrough(), { outputKey: "l" }], [passthrough(), { outputKey: "r" }]),
    value: (value) => ({ value: { l: value, r: value } }),
  },
  "a graph": { add: node(() => lineOf(["in", passthrough()])), value: unchanged },
  "a graph with an output key inside": {
    add: node(() => lineOf(["in", passthrough(), { outputKey: "in" }])),
    value: (value) => ({ value: { in: value } }),
  },
  "a graph with a streamAfter": {
    add: node(
      () => lineOf(["in", passthrough()]),
      () => ({ streamAfter: mapped }),
    ),
    value: unchanged,
  },
  "a branch": { add: branch("addBranch", (key) => () => key), value: unchanged },
  "a branch to several": { add: branch("addBranch", (key) => async () => [key]), value: unchanged },
  "a stream branch that reads nothing": { add: branch("addStreamBranch", (key) => () => key), value: unchanged },
  "a stream branch that reads a chunk": {
    add: branch("addStreamBranch", (key) => async (stream: StreamReader<unknown>) => {
      await stream.next();
      return [key];
    }),
    value: unchanged,
  },
  "a stream branch that reads it all": {
    add: branch("addStreamBranch", (key) => async (stream: StreamReader<unknown>) => {
      await stream.concat();
      return key;
    }),
    value: unchanged,
  },
  "a function": { add: node(() => same), value: unchanged },
  "an async function": { add: node(() => async (value: unknown) => value), value: unchanged },
  "a lambda that collects": {
    add: node(() => lambda({ collect: (stream: StreamReader<unknown>) => stream.concat() })),
    value: unchanged,
  },
  "a lambda that collects a copy": {
    add: node(() =>
      lambda({
        collect: async (stream: StreamReader<unknown>) => {
          const [one, two] = stream.copy(2);
          await two.concat();
          return one.concat();
        },
      }),
    ),
    value: unchanged,
  },
};

export interface Pipeline {
  readonly source: string;
  readonly stages: readonly string[];
  readonly kind: readonly unknown[];
  readonly concat: Concat;
}

/** START → the source → its stages → the last nodes → END. */
export function pipelineOf(
  { source, stages: names, kind, concat }: Pipeline,
  ...last: readonly NodeEntry[]
): LooseGraph {
  const graph = looseGraph();
  const [component, options] = get(sources, source).node(kind, concat);
  graph.addNode("yields", component, options).addEdge(START, "yields");
  let from = "yields";
  for (const [n, name] of names.entries()) from = get(stages, name).add(graph, from, `s${n}`);
  for (const [key, node, options] of last) {
    graph.addNode(key, node, options).addEdge(from, key);
    from = key;
  }
  return graph.addEdge(from, END);
}

/** What every run of it gives: worked out on whole values, as a run of functions would. */
export function expectedOf({ source, stages: names, kind, concat }: Pipeline): Expected {
  const { place = () => ["yields"], value: first = same } = get(sources, source);
  const whole = joined(kind, concat, place(concat));
  let expected: Expected = "value" in whole ? { value: first(whole.value) } : whole;
  for (const [n, name] of names.entries()) {
    if (!("value" in expected)) return expected;
    expected = get(stages, name).value(expected.value, `s${n}`);
  }
  return expected;
}

/** A node that works chunk by chunk is asked for each chunk in a stream: there it is the one whose chunks join. */
export function mappedPipeline(kind: readonly unknown[], concat: Concat): LooseGraph {
  return lineOf(["yields", yields(kind), { concat }], ["maps", mapChunks(same), { concat }]);
}

export const expectedOfMapped = (kind: readonly unknown[], concat: Concat, mode: Mode): Expected =>
  joined(kind, concat, [mode === "invoke" ? "yields" : "maps"]);

export function get<T>(record: Readonly<Record<string, T>>, name: string): T {
  const found = record[name];
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}
