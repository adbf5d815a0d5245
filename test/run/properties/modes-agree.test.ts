import fc from "fast-check";
import type { Handler, Runnable } from "kumiko";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits, numberOfRuns, patience } from "../../number-of-runs.js";
import { settled } from "../../schema/stream/producer.js";
import { buildGraph, inPieces, newLab } from "./build-graph.js";
import type { Value } from "./node-meaning.js";
import { type GraphSpec, type Kind, randomGraph, type Trigger } from "./random-graph.js";
import { type Prediction, predict } from "./reference-model.js";

const input: Value = { start: "once upon a time" };

const modes = ["invoke", "stream", "collect", "transform"] as const;
type Mode = (typeof modes)[number];

function run(graph: Runnable<Value, Value>, mode: Mode, options: object): Promise<Value> {
  switch (mode) {
    case "invoke":
      return graph.invoke(input, options);
    case "collect":
      return graph.collect(inPieces(input), options);
    case "stream":
      return graph.stream(input, options).concat();
    case "transform":
      return graph.transform(inPieces(input), options).concat();
    default:
      return mode satisfies never;
  }
}

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

interface Seen {
  readonly outcome: { readonly result: Value } | { readonly code: unknown };
  /** How often each node ran, as far as this can be seen. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Runs a generated graph. Watched, its handlers count the runs of nodes; else their functions count their calls. */
async function observe(spec: GraphSpec, mode: Mode, watched: boolean): Promise<Seen> {
  const lab = newLab();
  const starts = new Map<string, number>();
  const count: Handler = {
    onStart: ({ name }) => starts.set(name, (starts.get(name) ?? 0) + 1),
  };
  const graph = buildGraph(spec, lab);
  const options = watched ? { callbacks: [count] } : {};
  const outcome = await run(graph, mode, options).then(
    (result) => ({ result }),
    (error: unknown) => ({ code: Reflect.get(Object(error), "code") as unknown }),
  );
  await settled();
  expect(unhandled.splice(0)).toEqual([]);
  return { outcome, counts: watched ? starts : lab.calls };
}

function check(
  { outcome, counts }: Seen,
  { result, codes, atLeast, atMost }: Prediction,
  visible: (key: string) => boolean,
) {
  if (result !== undefined && "result" in outcome) expect(outcome.result).toEqual(result);
  else expect([...codes]).toContain("code" in outcome ? outcome.code : "no error");
  for (const key of new Set([...counts.keys(), ...atMost.keys()])) {
    if (!visible(key)) continue;
    expect(counts.get(key) ?? 0, `runs of ${key}`).toBeGreaterThanOrEqual(atLeast.get(key) ?? 0);
    expect(counts.get(key) ?? 0, `runs of ${key}`).toBeLessThanOrEqual(atMost.get(key) ?? 0);
  }
}

/** A stream that no node reads may fail before END stops it, as it would in a run on values. */
function predicted(graph: GraphSpec, mode: Mode): Prediction {
  const whole = predict(graph, input, { streams: false, seesOrder: false });
  if (mode === "invoke") return whole;
  const streamed = predict(graph, input, { streams: true, seesOrder: false });
  const keys = new Set([...whole.atMost.keys(), ...streamed.atMost.keys()]);
  const bound = (pick: (...counts: number[]) => number, name: "atLeast" | "atMost"): Map<string, number> =>
    new Map([...keys].map((key) => [key, pick(whole[name].get(key) ?? 0, streamed[name].get(key) ?? 0)]));
  const codes = new Set([...whole.codes, ...streamed.codes]);
  return { ...streamed, codes, atLeast: bound(Math.min, "atLeast"), atMost: bound(Math.max, "atMost") };
}

/** Passthroughs are never seen; without handlers a graph is not, and a `map` only how many chunks it got. */
function visibleIn(spec: GraphSpec, mode: Mode, watched: boolean): (key: string) => boolean {
  const kinds = new Map<string, Kind>();
  const list = ({ nodes }: GraphSpec): void => {
    for (const { key, kind, inner } of nodes) {
      kinds.set(key, kind);
      if (inner !== undefined) list(inner);
    }
  };
  list(spec);
  return (key) => {
    const kind = kinds.get(key);
    if (kind === undefined || kind === "passthrough") return false;
    return watched || (kind !== "graph" && (kind !== "map" || mode === "invoke"));
  };
}

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
];

describe.each<[string, Trigger]>([
  ["an acyclic graph that waits for all predecessors", "allPredecessor"],
  ["a graph with loops that goes in steps", "anyPredecessor"],
])("%s", (_, trigger) => {
  it("gives in all modes what the rules of graphs say, and runs each node as often", patience, async () => {
    const spec = randomGraph({
      trigger,
      kinds,
      branchesGo: [...Array<"right">(14).fill("right"), "astray", "wrong"],
      failures: ["never", "never", "never", "never", "never", "never", "never", "at the call"],
    });
    await fc.assert(
      fc.asyncProperty(spec, fc.boolean(), async (graph, watched) => {
        for (const mode of modes) {
          check(await observe(graph, mode, watched), predicted(graph, mode), visibleIn(graph, mode, watched));
        }
      }),
      { numRuns: numberOfRuns(75), ...limits },
    );
  });
});
