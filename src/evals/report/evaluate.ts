import { checkOptions, type OptionCheck } from "../../check-options.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { clockOf } from "../../components/clock.js";
import type { NodeContext } from "../../components/context.js";
import type { CompiledGraph } from "../../compose/compiled-graph.js";
import { each } from "../../compose/each.js";
import { Graph } from "../../compose/graph.js";
import { END, START } from "../../compose/plan/plan.js";
import type { Runnable } from "../../compose/runnable.js";
import type { Runtime } from "../../compose/runtime.js";
import { isFields } from "../../is.js";
import type { ModelPrice } from "../../models/cost-of.js";
import { list } from "../../wording.js";
import { duplicateCase, invalidCases, invalidEvalOption, invalidScorers } from "../errors.js";
import type { Case, ReadScore, Scorer } from "../scores/score.js";
import type { Report } from "./report.js";
import type { RanSample, Sample, ScoredSample } from "./sample.js";

/** The context of `run`: that of a node without options, which everything takes as `parent`, and retrievers as their context. */
export type EvaluateContext = NodeContext<unknown, Record<never, never>>;

/** Options of {@link evaluate}. */
export interface EvaluateOptions<One extends Case, Result> {
  /** The name of the graph and of the report. @default "evals" */
  readonly name?: string | undefined;
  /** Runs a case: calls an agent, a graph or a function. With `parent: ctx`, what it runs is a part of the evaluation. */
  readonly run: (one: One, ctx: EvaluateContext) => Result | Promise<Result>;
  /** What gives scores, by names that are identifiers. */
  readonly scorers: { readonly [name: string]: Scorer<NoInfer<One>, Result> };
  /** How often each case runs. @default 1 */
  readonly repeat?: number | undefined;
  /** How many cases run at a time. @default 4 */
  readonly concurrency?: number | undefined;
  /** From which score on a sample passes, for all scorers or by scorer. @default 1 */
  readonly passAt?: number | Readonly<Record<string, number>> | undefined;
  /** The prices of models, for `cost`. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Keeps what is done, so that `resume` repeats no finished run and no finished scorer. */
  readonly store?: CheckpointStore | undefined;
  /**
   * A run that asks a person scores 0 ("score"), or the evaluation waits for the answer ("ask", which needs a store).
   * @default "score"
   */
  readonly onWaiting?: "score" | "ask" | undefined;
  /** Clock, models and other parts of the graph. */
  readonly runtime?: Runtime | undefined;
}

/**
 * A graph that runs cases and scores them. It has what all graphs have: `invoke`, `resume`, a signal, handlers, stores. Cases are texts
 * with a text as `expected`, unless `run` says otherwise: `({ input }: Case<Order, Refund>) => …`.
 *
 * @example
 * const report = await evaluate({
 *   run: ({ input }, ctx) => agent.generate(input, { parent: ctx }),
 *   scorers: { exact: ({ output, expected }) => output === expected },
 * }).invoke([{ input: "What is 6 times 7?", expected: "42" }]);
 * console.log(report.summary);
 */
export function evaluate<One extends Case = Case<string, string>, Result = unknown>(
  options: EvaluateOptions<One, Result>,
): CompiledGraph<readonly One[], Report> {
  const settings = settingsOf(options as object as EvaluateOptions<never, never>);
  const { name, concurrency, store, runtime } = settings;
  const graph = new Graph<readonly One[], Report>()
    .untyped()
    .addNode("cases", (cases: readonly One[], ctx) => samplesOf(cases, settings, clockOf(ctx).now()))
    .addNode("case", each(sampleGraph(settings), { concurrency }))
    .addNode("report", async (samples: readonly TimedSample[], ctx) => reportOf(samples, settings, ctx))
    .addEdge(START, "cases")
    .addEdge("cases", "case")
    .addEdge("case", "report")
    .addEdge("report", END);
  return graph.compile({ name, store, runtime, ...(store !== undefined && { durability: "step" }) });
}

/** When the evaluation began goes with each sample: a resume, perhaps elsewhere, still knows it. */
interface TimedSample extends ScoredSample {
  readonly startedAt: number;
}

interface Started extends Sample {
  readonly startedAt: number;
}

interface Settings {
  readonly name: string;
  readonly run: (one: object, ctx: NodeContext) => unknown;
  readonly scorers: Readonly<Record<string, Scorer<never, never>>>;
  readonly repeat: number;
  readonly concurrency: number;
  readonly passAt: number | Readonly<Record<string, number>>;
  readonly prices: Readonly<Record<string, ModelPrice>> | undefined;
  readonly store: CheckpointStore | undefined;
  readonly asks: boolean;
  readonly runtime: Runtime | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === "function";
const count: OptionCheck = [(value) => Number.isInteger(value) && Number(value) >= 1, "a whole number of at least 1"];

function settingsOf(options: EvaluateOptions<never, never>): Settings {
  checkOptions("evaluate", options, {
    name: [(value) => typeof value === "string" && value !== "", "a non-empty string"],
    run: [isFunction, "a function"],
    scorers: [isFields, "a record of functions"],
    repeat: count,
    concurrency: count,
    passAt: [isPassAt, "a number from 0 to 1, or a record of such numbers"],
    prices: [isPrices, 'a record of prices: { "openai/gpt-5": { input: 1.25, output: 10 } }'],
    store: true,
    onWaiting: [(value) => value === "score" || value === "ask", '"score" or "ask"'],
    runtime: true,
  });
  const { name = "evals", run, scorers, repeat = 1, concurrency = 4, passAt = 1, prices, store, runtime } = options;
  if (!isFunction(run)) throw invalidEvalOption("run of evaluate is missing: it is the function that runs a case.");
  checkScorers(scorers);
  if (typeof passAt !== "number") {
    const unknown = Object.keys(passAt).find((key) => !Object.hasOwn(scorers, key));
    if (unknown !== undefined)
      throw invalidEvalOption(
        `passAt of evaluate names an unknown scorer "${unknown}". Scorers: ${list(Object.keys(scorers))}.`,
      );
  }
  const asks = options.onWaiting === "ask";
  if (asks && store === undefined)
    throw invalidEvalOption('onWaiting: "ask" of evaluate needs a store, which keeps the evaluation while it waits.');
  return { name, run: run as Settings["run"], scorers, repeat, concurrency, passAt, prices, store, asks, runtime };
}

function isPrices(value: unknown): boolean {
  const isPrice = (one: unknown): boolean =>
    isFields(one) && [one.input, one.output].every((price) => typeof price === "number" && price >= 0);
  return isFields(value) && Object.values(value).every(isPrice);
}

function isPassAt(value: unknown): boolean {
  const isShare = (one: unknown): boolean => typeof one === "number" && one >= 0 && one <= 1;
  return isShare(value) || (isFields(value) && Object.values(value).every(isShare));
}

function checkScorers(scorers: unknown): asserts scorers is Settings["scorers"] {
  if (!isFields(scorers) || Object.keys(scorers).length === 0)
    throw invalidScorers("must have at least one: { exact: ({ output, expected }) => output === expected }.");
  for (const [name, scorer] of Object.entries(scorers)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw invalidScorers(`has a name that is not an identifier: "${name}".`);
    if (!isFunction(scorer)) throw invalidScorers(`has something else than a function at "${name}".`);
  }
}

/** Each case as often as it is to run. Throws if cases cannot be told apart. */
function samplesOf(cases: unknown, { repeat }: Settings, startedAt: number): Started[] {
  if (!Array.isArray(cases)) throw invalidCases("they must be a list of { input, … }.");
  const ids = new Set<string>();
  return cases.flatMap((one: unknown, index): Started[] => {
    if (!isFields(one)) throw invalidCases(`cases[${index}] is not an object { input, … }.`);
    const { id = String(index + 1) } = one;
    if (typeof id !== "string" || id === "")
      throw invalidCases(`the id of cases[${index}] must be a non-empty string.`);
    if (ids.has(id)) throw duplicateCase(id);
    ids.add(id);
    return Array.from({ length: repeat }, (_, sample) => ({ one, id, sample: sample + 1, startedAt }));
  });
}

interface Ran {
  readonly sample: Started;
  readonly ran: RanSample;
}

interface ScoredRun {
  readonly score: ReadScore;
  readonly ran?: Ran;
}

/** Runs one sample, then all scorers side by side. What is done is saved before the next begins. */
function sampleGraph({ run, scorers, asks }: Settings): Runnable<Started, TimedSample> {
  const graph = new Graph<Started, TimedSample>().untyped();
  let loaded: Promise<typeof import("./run-sample.js")> | undefined;
  const load = () => {
    loaded ??= import("./run-sample.js");
    return loaded;
  };
  graph.addNode("run", async (sample: Started, ctx: NodeContext): Promise<Ran> => {
    const { runSample } = await load();
    return { sample, ran: await runSample(run, sample, ctx, asks) };
  });
  graph.addNode("scores", (scores: Record<string, ScoredRun>) => {
    const named = Object.keys(scorers).map((name) => [name, scores[`score_${name}`]?.score]);
    const { sample, ran } = Object.values(scores).flatMap((one) => one.ran ?? [])[0] as Ran;
    const { id, startedAt, sample: number } = sample;
    return { id, sample: number, startedAt, ran, scores: Object.fromEntries(named) };
  });
  graph.addEdge(START, "run");
  for (const [index, [name, scorer]] of Object.entries(scorers).entries()) {
    const key = `score_${name}`;
    graph.addNode(
      key,
      async (ran: Ran, ctx: NodeContext): Promise<ScoredRun> => {
        const { scoreSample } = await load();
        const score = await scoreSample(scorer, ran, ctx, asks);
        // the first one brings along what was scored
        return index === 0 ? { score, ran } : { score };
      },
      { outputKey: key },
    );
    graph.addEdge("run", key).addEdge(key, "scores");
  }
  graph.addEdge("scores", END);
  return graph.compile({ name: "case", triggerMode: "allPredecessor" }) as Runnable<Started, TimedSample>;
}

async function reportOf(samples: readonly TimedSample[], settings: Settings, ctx: NodeContext): Promise<Report> {
  const [{ makeReport }, { reusedIn }] = await Promise.all([import("./make-report.js"), import("../tape/reuse.js")]);
  const { name, scorers, passAt, prices } = settings;
  const now = clockOf(ctx).now();
  return makeReport({
    name,
    startedAt: samples[0]?.startedAt ?? now,
    endedAt: now,
    samples,
    scorers: Object.keys(scorers),
    passAt: (scorer) => (typeof passAt === "number" ? passAt : (passAt[scorer] ?? 1)),
    prices,
    reused: reusedIn(ctx),
  });
}
