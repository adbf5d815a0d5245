import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits, numberOfRuns, patience } from "../../number-of-runs.js";
import { settled } from "../../schema/stream/producer.js";
import { modes } from "../every-way.js";
import { type GraphShape, type GraphSpec, type Kind, randomGraph, type Trigger } from "./random-graph.js";
import {
  asksAnything,
  breaksInMidStream,
  careNames,
  Endings,
  endWaitsForAll,
  hasDependencies,
  type Listener,
  tell,
} from "./ways-of-random-graphs.js";

const kinds: readonly Kind[] = [
  "sync",
  "sync",
  "async",
  "async",
  "generator",
  "generator",
  "async stream",
  "invoke",
  "stream",
  "collect",
  "map",
  "transform",
  "passthrough",
  "graph",
  "graph",
];

const shape = (trigger: Trigger): GraphShape => ({
  trigger,
  kinds,
  depth: 2,
  extras: true,
  maxNodes: 6,
  branchesGo: [...Array<"right">(20).fill("right"), "astray", "wrong"],
  failures: [...Array<"never">(20).fill("never"), "at the call", "in mid-stream"],
});
/** Nothing is meant to fail. */
const sound = (trigger: Trigger): GraphShape => ({ ...shape(trigger), branchesGo: ["right"], failures: ["never"] });

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

/** Tries a rule on random graphs; it says what is wrong. */
async function holds(
  graphs: fc.Arbitrary<GraphSpec>,
  few: number,
  rule: (spec: GraphSpec) => Promise<string[]>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(graphs, async (spec) => {
      expect(await rule(spec)).toEqual([]);
      await settled();
      expect(unhandled.splice(0)).toEqual([]);
    }),
    { numRuns: numberOfRuns(few), ...limits },
  );
}

const listeners: readonly Listener[] = ["nobody", "a handler", "a handler of streams"];

describe.each<[string, Trigger]>([
  ["a graph of dependencies", "allPredecessor"],
  ["a graph in steps, with loops", "anyPredecessor"],
])("%s", patience, (_, trigger) => {
  const mixed = fc.oneof(randomGraph(shape(trigger)), randomGraph(sound(trigger)));

  it("gives the same value, or the same error at the same node, in every way to run", async () => {
    await holds(mixed, 15, async (spec) => {
      const wrong: string[] = [];
      for (const mode of modes) {
        const endings = new Endings(spec, mode);
        for (const care of careNames) {
          for (const listens of listeners) {
            const missed = endings.misses((await tell(spec, mode, care, listens)).ending);
            if (missed !== undefined) wrong.push(`${mode}, ${care}, heard by ${listens}: ${missed}`);
          }
        }
      }
      return wrong;
    });
  });

  it("gives after any questions what it gives when nobody asks, and asks the same in every way to run", async () => {
    // a limit of steps counts anew with each resume
    const unlimited = mixed.filter(asksAnything).map((spec) => ({ ...spec, maxSteps: undefined }));
    await holds(unlimited, 15, async (spec) => {
      const wrong: string[] = [];
      const asked = new Map<string, string>();
      for (const mode of modes) {
        const endings = new Endings(spec, mode);
        for (const care of ["saved at exits", "saved at steps"] as const) {
          for (const listens of ["nobody", "a handler"] as const) {
            const told = await tell(spec, mode, care, listens, true);
            const missed = endings.misses(told.ending);
            if (missed !== undefined) wrong.push(`${mode}, ${care}, heard by ${listens}: ${missed}`);
            const all = told.asked.toSorted().join(" ");
            // where END does not wait for a node, it depends on its time whether that one asks
            if (endings.isValue && !hasDependencies(spec)) asked.set(all, `${mode}, ${care}, heard by ${listens}`);
          }
        }
      }
      if (asked.size > 1) wrong.push(...[...asked].map(([all, way]) => `${way} asks ${all || "nothing"}`));
      return wrong;
    });
  });

  it("tells a handler the same in the same order, plain, controlled and saved", async () => {
    await holds(mixed.filter(endWaitsForAll), 15, async (spec) => {
      const wrong: string[] = [];
      for (const mode of modes) {
        const endings = new Endings(spec, mode);
        if (!endings.isCertain) continue;
        const plain = (await tell(spec, mode, "plain", "a handler")).heard;
        for (const care of ["controlled", "saved at exits", "saved at steps"] as const) {
          // a stream that is saved is whole before the next step starts, also when that step fails, and nodes side by side wait
          // for their saves; what is kept of a stream on its way takes some microtasks, in which the node beside a stream that
          // breaks may start
          const keepsOrder = mode === "invoke" && care === "saved at exits" && !breaksInMidStream(spec);
          const inOrder = care === "controlled" || keepsOrder;
          if (!inOrder && !endings.isValue) continue;
          const { heard } = await tell(spec, mode, care, "a handler");
          const [one, other] = inOrder ? [heard, plain] : [heard.toSorted(), plain.toSorted()];
          if (one.join() !== other.join()) wrong.push(`${mode}, ${care}: ${difference(one, other)}`);
        }
      }
      return wrong;
    });
  });
});

/** Where two lists begin to differ. */
function difference(one: readonly string[], other: readonly string[]): string {
  const at = one.findIndex((name, n) => name !== other[n]);
  const from = at < 0 ? one.length : at;
  return `after ${from} it hears ${one[from] ?? "nothing"}, and plain ${other[from] ?? "nothing"}`;
}
