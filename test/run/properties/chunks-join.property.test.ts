import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits, numberOfRuns, patience } from "../../number-of-runs.js";
import { compileOptions, isSaved, type Mode, modes, outcomeOf, runOptions, start, ways } from "../every-way.js";
import type { LooseGraph } from "../loose-graph.js";
import { type Concat, concats, declaredKinds, type Expected, kinds, runtime } from "./chunk-kinds.js";
import { type Compared, Differences } from "./differences.js";
import {
  expectedOf,
  expectedOfMapped,
  get,
  mappedPipeline,
  type Pipeline,
  pipelineOf,
  sources,
  stages,
} from "./wrappings.js";

type Trigger = "anyPredecessor" | "allPredecessor";

const given = { value: "input" as never };

/** A graph in all modes and ways. */
async function compared(
  graph: LooseGraph,
  triggerMode: Trigger,
  wanted: (mode: Mode) => Expected,
): Promise<Compared[]> {
  const runs: Compared[] = [];
  const compile = (options: object) => graph.compile({ runtime, triggerMode, ...options });
  const withoutStore = compile({});
  for (const mode of modes) {
    for (const way of ways) {
      const app = isSaved(way) ? compile(compileOptions(way)) : withoutStore;
      const outcome = await outcomeOf(start(app, mode, given, runOptions(way)));
      runs.push({ run: `${mode} ${way}`, outcome, expected: wanted(mode) });
    }
  }
  return runs;
}

/** Kinds of chunks with what nodes declare of them. */
async function table(
  graphOf: (kind: readonly unknown[], concat: Concat) => LooseGraph,
  wanted: (kind: readonly unknown[], concat: Concat, mode: Mode) => Expected,
): Promise<string[]> {
  const differences = new Differences();
  for (const { name, kind, concat } of declaredKinds()) {
    const graph = graphOf(kind, concat);
    differences.note(name, await compared(graph, "anyPredecessor", (mode) => wanted(kind, concat, mode)));
  }
  return differences.sentences;
}

const pipelines = (source: string, names: readonly string[]): Promise<string[]> =>
  table(
    (kind, concat) => pipelineOf({ source, stages: names, kind, concat }),
    (kind, concat) => expectedOf({ source, stages: names, kind, concat }),
  );

describe(
  "chunks of every kind, under every concat, join to the same value or fail at the same node in every way to run",
  patience,
  () => {
    it.each(Object.keys(sources))("out of %s", async (source) => {
      expect(await pipelines(source, [])).toEqual([]);
    });

    it.each(Object.keys(stages))("out of a generator and through %s", async (stage) => {
      expect(await pipelines("a generator", [stage])).toEqual([]);
    });

    it("out of a generator and through a node that maps them, and declares the same", async () => {
      expect(await table(mappedPipeline, expectedOfMapped)).toEqual([]);
    });

    it("out of any of them and through any of these, one after the other", async () => {
      const pipeline = fc.record({
        source: fc.constantFrom(...Object.keys(sources)),
        stages: fc.array(fc.constantFrom(...Object.keys(stages)), { minLength: 1, maxLength: 3 }),
        kind: fc.constantFrom(...Object.keys(kinds)),
        concat: fc.constantFrom(...Object.keys(concats)),
        triggerMode: fc.constantFrom<Trigger[]>("anyPredecessor", "allPredecessor"),
      });
      await fc.assert(
        fc.asyncProperty(pipeline, async ({ triggerMode, kind, concat, ...names }) => {
          const built: Pipeline = { ...names, kind: get(kinds, kind), concat: concats[concat] };
          const differences = new Differences();
          const runs = await compared(pipelineOf(built), triggerMode, () => expectedOf(built));
          differences.note(`${kind}, concat ${concat}`, runs);
          expect(differences.sentences).toEqual([]);
        }),
        { numRuns: numberOfRuns(30), ...limits },
      );
    });
  },
);
