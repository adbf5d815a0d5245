import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { END, isInterrupt, lambda, memoryStore, passthrough, START, type StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { questionOf } from "../../checkpoint/interrupt-of.js";
import { limits, numberOfRuns, patience } from "../../number-of-runs.js";
import { goOn, type Mode, modes, outcomeOf, start } from "../every-way.js";
import { type LooseGraph, looseGraph } from "../loose-graph.js";
import { type Concat, concats, declaredKinds, type Expected, kinds, runtime } from "./chunk-kinds.js";
import { type Compared, Differences } from "./differences.js";
import { expectedOf, get, type Pipeline, pipelineOf, yields } from "./wrappings.js";

const hows = ["resume", "resumeStream"] as const;
const durabilities = ["exit", "step"] as const;
const triggers = ["anyPredecessor", "allPredecessor"] as const;
const given = { value: "input" as never };
const run = { checkpointId: "run" };
const store = () => ({ runtime, store: memoryStore() });

const stop: Expected = { code: "INTERRUPTED", nodePath: [] };

/**
 * Stops before the last node, and goes on. A run on values has joined the chunks before it stops, and may have failed; a run
 * on streams only fails when somebody reads the whole, or where a stream that is saved cannot go on.
 */
async function stoppedAndResumed(graph: LooseGraph, triggerMode: string, expected: Expected): Promise<Compared[]> {
  const runs: Compared[] = [];
  for (const mode of modes) {
    for (const how of hows) {
      for (const durability of durabilities) {
        const app = graph.compile({ triggerMode, durability, interruptBefore: ["last"], ...store() });
        const stopped = await start(app, mode, given, run).catch((error: unknown) => error);
        const failsEarly = "code" in expected && expected.code === Reflect.get(Object(stopped), "code");
        const stops = isInterrupt(stopped) || failsEarly;
        if (!stops)
          runs.push({ run: `${mode}, ${durability}`, outcome: await outcomeOf(settledAs(stopped)), expected: stop });
        const outcome = await outcomeOf(isInterrupt(stopped) ? goOn(app, how) : Promise.reject(stopped));
        runs.push({ run: `${mode}, ${how}, ${durability}`, outcome, expected });
      }
    }
  }
  return runs;
}

/** What a run gave before it could stop. */
async function settledAs(result: unknown): Promise<unknown> {
  if (result instanceof Error) throw result;
  return result;
}

async function table(source: string, names: readonly string[]): Promise<string[]> {
  const differences = new Differences();
  for (const { name, kind, concat } of declaredKinds()) {
    const pipeline: Pipeline = { source, stages: names, kind, concat };
    const graph = pipelineOf(pipeline, ["last", (whole: unknown) => whole]);
    const runs = await stoppedAndResumed(graph, "anyPredecessor", expectedOf(pipeline));
    differences.note(name, runs);
  }
  return differences.sentences;
}

describe(
  "chunks of every kind, under every concat, join to the same value or fail at the same node after a resume",
  patience,
  () => {
    it.each([
      "a generator",
      "a generator with an output key",
      "a graph whose node declares",
      "a graph that declares as a node",
      "a generator with a streamAfter that maps",
    ])("out of %s", async (source) => {
      expect(await table(source, [])).toEqual([]);
    });

    it("out of a generator and through passthroughs, keys, graphs and fan-ins", async () => {
      const stage = fc.constantFrom(
        "a passthrough",
        "a passthrough with an output key",
        "a passthrough with a streamAfter",
        "an output key and its input key",
        "an input key",
        "a fan-in with a record",
        "two copies under two keys",
        "a graph",
        "a graph with an output key inside",
        "a stream branch that reads nothing",
      );
      const pipeline = fc.record({
        stages: fc.array(stage, { minLength: 1, maxLength: 2 }),
        kind: fc.constantFrom(...Object.keys(kinds)),
        concat: fc.constantFrom(...Object.keys(concats)),
        triggerMode: fc.constantFrom(...triggers),
      });
      await fc.assert(
        fc.asyncProperty(pipeline, async ({ triggerMode, kind, concat, stages }) => {
          const built: Pipeline = { source: "a generator", stages, kind: get(kinds, kind), concat: concats[concat] };
          const differences = new Differences();
          const graph = pipelineOf(built, ["last", (whole: unknown) => whole]);
          differences.note(`${kind}, concat ${concat}`, await stoppedAndResumed(graph, triggerMode, expectedOf(built)));
          expect(differences.sentences).toEqual([]);
        }),
        { numRuns: numberOfRuns(25), ...limits },
      );
    });
  },
);

/** A node that notes its chunks one by one. */
const noting = (read: unknown[]) =>
  lambda({
    transform: async function* (stream: StreamReader<unknown>) {
      for await (const chunk of stream) {
        read.push(chunk);
        yield "";
      }
      yield "read";
    },
  });

/** Kinds and declarations, each as a run on streams that stops and goes on as one. */
async function chunkWise(
  look: (kind: readonly unknown[], concat: Concat, mode: Mode, options: object) => Promise<readonly unknown[]>,
  keyed: (chunk: unknown) => unknown = (chunk) => chunk,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { name, kind, concat } of declaredKinds()) {
    for (const mode of modes) {
      if (mode === "invoke") continue;
      for (const durability of durabilities) {
        const read = await look(kind, concat, mode, { durability, ...store() }).catch((error: unknown) => [error]);
        if (isDeepStrictEqual(read, kind.map(keyed))) continue;
        wrong.push(`${name}, ${mode}, ${durability}: ${read.map(String).join(" | ")}`);
      }
    }
  }
  return wrong;
}

const atKey = (chunk: unknown): unknown => ({ a: chunk });

describe.each(triggers)(
  "a node that reads chunk by chunk gets after a resume the chunks that it would have got (%s)",
  (triggerMode) => {
    it.each<[string, string, readonly string[], (chunk: unknown) => unknown]>([
      ["from a generator", "a generator", [], (chunk) => chunk],
      ["from a generator with an output key", "a generator with an output key", [], atKey],
      ["from a graph", "a graph whose node declares", [], (chunk) => chunk],
      ["through a passthrough", "a generator", ["a passthrough"], (chunk) => chunk],
      ["through a graph", "a generator", ["a graph"], (chunk) => chunk],
    ])("%s, when the run stops before it", async (_what, source, names, keyed) => {
      const wrong = await chunkWise(async (kind, concat, mode, options) => {
        const read: unknown[] = [];
        const graph = pipelineOf({ source, stages: names, kind, concat }, ["last", noting(read)]);
        const app = graph.compile({ triggerMode, interruptBefore: ["last"], ...options });
        const stopped = await start(app, mode, given, run).catch((error: unknown) => error);
        if (!isInterrupt(stopped)) throw stopped;
        await goOn(app, "resumeStream");
        return read;
      }, keyed);
      expect(wrong).toEqual([]);
    });

    it("when a node beside its source asks", async () => {
      const wrong = await chunkWise(async (kind, concat, mode, options) => {
        const read: unknown[] = [];
        const app = looseGraph()
          .addNode("yields", yields(kind), { concat, outputKey: "a" })
          .addNode("asks", (_input: unknown, ctx: { ask(key: string, info: string): unknown }) => ctx.ask("q", "?"), {
            outputKey: "q",
          })
          .addNode("last", noting(read))
          .addEdge(START, "yields")
          .addEdge(START, "asks")
          .addEdge("yields", "last")
          .addEdge("asks", "last")
          .addEdge("last", END)
          .compile({ triggerMode, ...options });
        const { id } = await questionOf(start(app, mode, given, run));
        await goOn(app, "resumeStream", { [id]: "!" });
        return read.filter((chunk) => !Object.hasOwn(chunk as object, "q"));
      }, atKey);
      expect(wrong).toEqual([]);
    });

    it("when another node reads them too, which has run before the stop", async () => {
      const wrong = await chunkWise(async (kind, concat, mode, options) => {
        const [early, read]: [unknown[], unknown[]] = [[], []];
        const app = looseGraph()
          .addNode("yields", yields(kind), { concat })
          .addNode("early", noting(early), { outputKey: "early" })
          .addNode("same", passthrough())
          .addNode("last", noting(read), { outputKey: "last" })
          .addEdge(START, "yields")
          .addEdge("yields", "early")
          .addEdge("yields", "same")
          .addEdge("same", "last")
          .addNode("wait", passthrough())
          .addEdge("early", "wait")
          .addEdge("wait", END)
          .addEdge("last", END)
          .compile({ triggerMode, interruptBefore: ["last"], ...options });
        const stopped = await start(app, mode, given, run).catch((error: unknown) => error);
        if (!isInterrupt(stopped)) throw stopped;
        const result = await goOn(app, "resumeStream");
        if (!isDeepStrictEqual(result, { early: "read", last: "read" }))
          throw new Error(`It gave ${JSON.stringify(result)}.`);
        if (!isDeepStrictEqual(early, kind)) throw new Error(`The early one read ${JSON.stringify(early)}.`);
        return read;
      });
      expect(wrong).toEqual([]);
    });
  },
);
