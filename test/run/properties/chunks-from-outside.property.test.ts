import { lambda, passthrough, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { compileOptions, isSaved, type Mode, outcomeOf, runOptions, ways } from "../every-way.js";
import { type LooseGraph, lineOf, type NodeEntry } from "../loose-graph.js";
import { type Concat, concats, type Expected, isRecord, joined, kinds, recordOf, runtime } from "./chunk-kinds.js";
import { type Compared, Differences } from "./differences.js";
import { pipelineOf, yields } from "./wrappings.js";

const streamModes = ["collect", "transform"] as const satisfies readonly Mode[];
const refused: Expected = { code: "CANNOT_CONCAT", nodePath: [] };
const same = (value: unknown): unknown => value;

/** What chunks that come from outside make: as those of a node that declares nothing, but records join key by key. */
function input(chunks: readonly unknown[]): Expected {
  const said = chunks.filter((chunk) => chunk !== null);
  return said.length > 1 && said.every(isRecord) ? recordOf(said, true, refused) : joined(chunks, undefined, []);
}

/** Nodes that leave a value as it is. */
const graphs: Readonly<Record<string, readonly NodeEntry[]>> = {
  "a function": [["reads", same]],
  "a passthrough": [["pass", passthrough()]],
  "a passthrough and a function": [
    ["pass", passthrough()],
    ["reads", same],
  ],
  "a graph with a passthrough": [["inner", lineOf(["pass", passthrough()])]],
  "a graph with a function": [["inner", lineOf(["reads", same])]],
  "a lambda that collects": [["reads", lambda({ collect: (stream: StreamReader<unknown>) => stream.concat() })]],
  "a passthrough with a streamBefore": [["pass", passthrough(), { streamBefore: same }]],
  "a passthrough with a streamAfter": [["pass", passthrough(), { streamAfter: same }]],
  "a passthrough with a before": [["pass", passthrough(), { before: same }]],
  "an output key and its input key": [
    ["out", passthrough(), { outputKey: "k" }],
    ["in", passthrough(), { inputKey: "k" }],
  ],
};

async function runs(graph: LooseGraph, chunks: () => AsyncIterable<unknown>, expected: Expected): Promise<Compared[]> {
  const compared: Compared[] = [];
  const withoutStore = graph.compile({ runtime });
  for (const mode of streamModes) {
    for (const way of ways) {
      const app = isSaved(way) ? graph.compile({ runtime, ...compileOptions(way) }) : withoutStore;
      const given = chunks() as AsyncIterable<never>;
      const options = runOptions(way);
      const run = mode === "collect" ? app.collect(given, options) : app.transform(given, options).concat();
      compared.push({ run: `${mode} ${way}`, outcome: await outcomeOf(run), expected });
    }
  }
  return compared;
}

const streams: Readonly<Record<string, (chunks: readonly unknown[]) => AsyncIterable<unknown>>> = {
  "a reader": (chunks) => StreamReader.from([...chunks]),
  "a generator": (chunks) => yields(chunks)(),
  "a web stream": (chunks) => StreamReader.from([...chunks]).toReadableStream() as unknown as AsyncIterable<unknown>,
};

describe("chunks of every kind that come as the input of a graph join to the same value, or fail, in every way to run", () => {
  for (const [streamName, streamOf] of Object.entries(streams)) {
    it.each(Object.entries(graphs))(`out of ${streamName} and into %s`, async (_graph, nodes) => {
      const differences = new Differences();
      for (const [kindName, kind] of Object.entries(kinds)) {
        differences.note(kindName, await runs(lineOf(...nodes), () => streamOf(kind), input(kind)));
      }
      expect(differences.sentences).toEqual([]);
    });
  }

  it("are records in pieces for a node with an input key", async () => {
    const pieces = [{ a: "x" }, { b: 1 }, { a: "y" }];
    const graph = lineOf(["reads", same, { inputKey: "a" }]);
    const differences = new Differences();
    differences.note("pieces", await runs(graph, () => StreamReader.from<unknown>(pieces), { value: "xy" }));
    expect(differences.sentences).toEqual([]);
  });

  it("are blamed on no node when they do not join", async () => {
    const differences = new Differences();
    const graph = lineOf(["reads", same]);
    differences.note("lists", await runs(graph, () => StreamReader.from<unknown>([[1], [2]]), refused));
    expect(differences.sentences).toEqual([]);
  });
});

/** A graph of its own that streams: its reader knows how its chunks join. */
const other = (kind: readonly unknown[], concat: Concat): StreamReader<unknown> =>
  pipelineOf({ source: "a generator", stages: [], kind, concat })
    .compile({ runtime })
    .stream("" as never);

describe("a stream of another graph joins as that graph says", () => {
  const joinable = Object.entries(kinds).flatMap(([kindName, kind]) =>
    Object.entries(concats).flatMap(([concatName, concat]) => {
      const expected = joined(kind, concat, []);
      return "value" in expected ? [{ name: `${kindName}, concat ${concatName}`, kind, concat, expected }] : [];
    }),
  );

  it.each(Object.entries(graphs))("as the input of %s", async (_graph, nodes) => {
    const differences = new Differences();
    for (const { name, kind, concat, expected } of joinable) {
      differences.note(name, await runs(lineOf(...nodes), () => other(kind, concat), expected));
    }
    expect(differences.sentences).toEqual([]);
  });

  it.each(Object.entries(graphs))("as the output of a node before %s", async (_graph, nodes) => {
    const differences = new Differences();
    for (const { name, kind, concat, expected } of joinable) {
      const graph = lineOf(["gives", () => other(kind, concat)], ...nodes);
      differences.note(name, await runs(graph, () => StreamReader.from<unknown>([""]), expected));
    }
    expect(differences.sentences).toEqual([]);
  });

  it("unless the node that gives it declares something else", async () => {
    const differences = new Differences();
    for (const { name, kind } of joinable) {
      const graph = lineOf(["gives", () => other(kind, "last"), { concat: "list" }], ["reads", same]);
      const expected = joined(kind, "list", ["gives"]);
      differences.note(name, await runs(graph, () => StreamReader.from<unknown>([""]), expected));
    }
    expect(differences.sentences).toEqual([]);
  });
});

describe("the reader that a caller gets", () => {
  const uses: Readonly<Record<string, (reader: StreamReader<unknown>) => Promise<unknown>>> = {
    "a copy": async (reader) => {
      const [one, two] = reader.copy(2);
      await one.concat();
      return two.concat();
    },
    "a filter that keeps all": (reader) => reader.filter(() => true).concat(),
    "a merge of it alone": (reader) => StreamReader.merge([reader]).concat(),
  };

  it.each(Object.entries(uses))("joins as its graph says through %s", async (_use, use) => {
    const differences = new Differences();
    for (const [kindName, kind] of Object.entries(kinds)) {
      for (const [concatName, concat] of Object.entries(concats)) {
        const compared: Compared[] = [];
        for (const way of ways) {
          const app = pipelineOf({ source: "a generator", stages: [], kind, concat }).compile({
            runtime,
            ...compileOptions(way),
          });
          const outcome = await outcomeOf(use(app.stream("" as never, runOptions(way))));
          compared.push({ run: way, outcome, expected: joined(kind, concat, ["yields"]) });
        }
        differences.note(`${kindName}, concat ${concatName}`, compared);
      }
    }
    expect(differences.sentences).toEqual([]);
  });

  it("knows the classes of its runtime when it is mapped", async () => {
    const differences = new Differences();
    for (const [kindName, kind] of Object.entries(kinds)) {
      const expected = joined(kind, undefined, ["yields"]);
      if (!("value" in expected)) continue;
      const compared: Compared[] = [];
      for (const source of ["a generator", "a graph whose node declares"]) {
        const graph = pipelineOf({ source, stages: ["a passthrough"], kind, concat: undefined });
        const reader = graph.compile({ runtime }).stream("" as never);
        compared.push({ run: source, outcome: await outcomeOf(reader.map(same).concat()), expected });
      }
      differences.note(kindName, compared);
    }
    expect(differences.sentences).toEqual([]);
  });
});
