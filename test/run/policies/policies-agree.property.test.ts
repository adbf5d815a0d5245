import fc from "fast-check";
import { KumikoError, memoryStore } from "kumiko";
import { recordingHandler, simulate } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { limits, numberOfRuns, patience } from "../../number-of-runs.js";
import { type Mode, modes, start } from "../every-way.js";
import { compilePolicies, Lab } from "./build-policies.js";
import { PoliciesModel, type Prediction } from "./policies-model.js";
import { type RunSpec, runSpec } from "./random-policies.js";

const ways = ["plain", "watched", "saved at exits", "saved at steps"] as const;
type Way = (typeof ways)[number];

const compileOptions: Readonly<Record<Way, () => object>> = {
  plain: () => ({}),
  watched: () => ({}),
  "saved at exits": () => ({ store: memoryStore(), durability: "exit" }),
  "saved at steps": () => ({ store: memoryStore(), durability: "step" }),
};

function runOptions(way: Way, run: number): object {
  if (way === "plain") return {};
  return way === "watched" ? { callbacks: [recordingHandler()] } : { checkpointId: String(run) };
}

interface Seen {
  readonly text: string | undefined;
  readonly error: string | undefined;
  readonly calls: Readonly<Record<string, number>>;
}

/** What two runs of one graph give, in one way and mode: the second finds what the first has cached. */
function look(spec: RunSpec, mode: Mode, way: Way): Promise<Seen[]> {
  return simulate(async ({ runtime }) => {
    const lab = new Lab(runtime);
    const app = compilePolicies(spec, lab, compileOptions[way]());
    const seen: Seen[] = [];
    for (const run of [1, 2]) {
      lab.turns = 0;
      let text: string | undefined;
      let error: string | undefined;
      try {
        const { maxConcurrency } = spec;
        text = await start(app, mode, { value: "in" }, { ...runOptions(way, run), maxConcurrency });
      } catch (thrown) {
        error = placeOf(thrown);
      }
      seen.push({ text, error, calls: { ...lab.calls } });
      if (error !== undefined) break;
    }
    return seen;
  });
}

function placeOf(error: unknown): string {
  if (!KumikoError.is(error)) throw error;
  const { cause } = error;
  const why = cause instanceof DOMException ? cause.name : (cause as Error | undefined)?.message;
  return `${error.code} at ${error.nodePath.join("/")}: ${why}`;
}

/** What is wrong with a run. */
function difference(seen: Seen, { text, errors, calls }: Prediction): string | undefined {
  if (seen.text !== text || (seen.error === undefined ? errors.length > 0 : !errors.includes(seen.error))) {
    return `${seen.text ?? seen.error}, not ${text ?? errors.join(" or ")}`;
  }
  for (const path of new Set([...Object.keys(seen.calls), ...Object.keys(calls)])) {
    const count = seen.calls[path] ?? 0;
    const [least, most] = calls[path] ?? [0, 0];
    if (count < least || count > most) return `${path} was called ${count} times, not ${least} to ${most}`;
  }
  return undefined;
}

describe("Any policies around the nodes of any graph", () => {
  it("do what the contract says in every mode, plain, watched and saved", patience, async () => {
    const property = fc.asyncProperty(runSpec, async (spec) => {
      const wrong: string[] = [];
      for (const mode of modes) {
        for (const way of ways) {
          const model = new PoliciesModel(spec, mode === "invoke" ? "values" : "streams");
          for (const [n, seen] of (await look(spec, mode, way)).entries()) {
            const found = difference(seen, model.run("in"));
            if (found !== undefined) wrong.push(`${mode}, ${way}, run ${n + 1}: ${found}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    });
    await fc.assert(property, { numRuns: numberOfRuns(20), ...limits });
  });
});
