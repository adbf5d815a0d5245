import { type CompiledGraph, isInterrupt, KumikoError, memoryStore, RunControl } from "kumiko";
import { type RecordingHandler, recordingHandler } from "kumiko/testing";
import { expect } from "vitest";
import { goOn, type Mode, start } from "../every-way.js";
import { buildGraph, inPieces, type Lab, newLab } from "./build-graph.js";
import type { Value } from "./node-meaning.js";
import type { GraphSpec } from "./random-graph.js";
import { awaitedByEnd, predict } from "./reference-model.js";

/** How a run is looked after; a recorder may listen to each. */
interface Care {
  readonly compiled: () => object;
  readonly options: () => object;
}

const saved = (durability: "exit" | "step"): Care => ({
  compiled: () => ({ store: memoryStore(), durability }),
  options: () => ({ checkpointId: "run" }),
});
export const cares = {
  plain: { compiled: () => ({}), options: () => ({}) },
  controlled: { compiled: () => ({}), options: () => ({ control: new RunControl() }) },
  "saved at exits": saved("exit"),
  "saved at steps": saved("step"),
} as const satisfies Readonly<Record<string, Care>>;
export type CareName = keyof typeof cares;
export const careNames = Object.keys(cares) as CareName[];

export const input: Value = { start: "once upon a time" };
const given = { value: input, chunks: () => inPieces(input) };

/** As long as the ticks of different nodes differ, none of them depends on how many promises stand between two nodes. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** A value, or an error with its place. */
export type Ending = { readonly value: Value } | { readonly error: string };

export interface Told {
  readonly ending: Ending;
  /** What was heard: timings and addresses, in order. */
  readonly heard: readonly string[];
  /** The addresses of all that asked, in all stops. */
  readonly asked: readonly string[];
}

const placeOf = (error: unknown): string => {
  if (!KumikoError.is(error)) throw error;
  return `${error.code} at ${error.nodePath.join("/")}`;
};

/** Runs a graph to its end; whatever is asked on the way is answered. */
export async function tell(
  spec: GraphSpec,
  mode: Mode,
  care: CareName,
  listens: Listener,
  asks = false,
): Promise<Told> {
  const lab = newLab({ pause: turns, asks });
  const recorder = recorderOf(listens);
  const app = buildGraph(spec, lab, cares[care].compiled());
  const callbacks = recorder === undefined ? {} : { callbacks: [recorder] };
  const asked: string[] = [];
  let run = start(app, mode, given, { ...cares[care].options(), ...callbacks });
  for (;;) {
    try {
      const value = await run;
      return await over(lab, recorder, { ending: { value }, asked });
    } catch (error) {
      if (!isInterrupt(error)) return over(lab, recorder, { ending: { error: placeOf(error) }, asked });
      asked.push(...error.interrupts.map(({ address }) => address));
      const answers = Object.fromEntries(error.interrupts.map(({ id, info }) => [id, info]));
      run = next(app, mode, answers, callbacks);
    }
  }
}

const next = (app: CompiledGraph<Value, Value>, mode: Mode, answers: object, options: object): Promise<Value> =>
  goOn(
    app as CompiledGraph<never, Value>,
    mode === "invoke" || mode === "collect" ? "resume" : "resumeStream",
    { ...answers },
    options,
  );

export type Listener = "nobody" | "a handler" | "a handler of streams";

function recorderOf(listens: Listener): RecordingHandler | undefined {
  return listens === "nobody" ? undefined : recordingHandler({ streams: listens === "a handler of streams" });
}

/** When all has settled, each run that began has ended, and no state was used by two at a time. */
async function over(lab: Lab, recorder: RecordingHandler | undefined, told: Omit<Told, "heard">): Promise<Told> {
  // that a result came late is told after the run has ended, whenever that is
  const events = recorder?.events.filter(({ timing }) => timing !== "onEvent") ?? [];
  const heard = events.map(({ timing, info: { address } }) => `${timing} ${address}`);
  await turns(3);
  await recorder?.settled();
  expect(recorder?.unfinished().map(({ address }) => address) ?? []).toEqual([]);
  expect(lab.overlaps).toBe(0);
  return { ...told, heard };
}

/** Which endings are right. There are several where several nodes fail, and where END does not wait for one that does. */
export class Endings {
  readonly #values: readonly Value[];
  readonly #errors: ReadonlySet<string>;

  /**
   * An error in a stream shows when the stream is read: where a run on values fails, a run on streams may have come to
   * another error by then. Only a graph of dependencies may have come to its end.
   */
  constructor(spec: GraphSpec, mode: Mode) {
    const whole = predict(spec, input, { streams: false, seesOrder: false });
    const streamed = predict(spec, input, { streams: true, seesOrder: false });
    const fails = whole.errors.size > 0;
    const both = mode !== "invoke" && fails;
    const mayEnd = both && whole.result === undefined && hasDependencies(spec);
    this.#values = [whole.result, mayEnd ? streamed.result : undefined].filter((value) => value !== undefined);
    this.#errors = new Set([...whole.errors, ...(both ? streamed.errors : [])]);
  }

  /** There is only one. */
  get isCertain(): boolean {
    return this.#values.length + this.#errors.size === 1;
  }

  get isValue(): boolean {
    return this.#errors.size === 0;
  }

  /** What is wrong with an ending, if anything. */
  misses(ending: Ending): string | undefined {
    if ("error" in ending) {
      return this.#errors.has(ending.error) ? undefined : `${ending.error}, not ${this.#text}`;
    }
    return this.#values.some((value) => sameValue(value, ending.value))
      ? undefined
      : `${JSON.stringify(ending.value)}, not ${this.#text}`;
  }

  get #text(): string {
    return [...this.#values.map((value) => JSON.stringify(value)), ...this.#errors].join(" or ");
  }
}

const sorted = (value: Value): string => JSON.stringify(Object.entries(value).sort());
const sameValue = (one: Value, other: Value): boolean => sorted(one) === sorted(other);

export function hasDependencies({ trigger, nodes }: GraphSpec): boolean {
  return trigger === "allPredecessor" || nodes.some(({ inner }) => inner !== undefined && hasDependencies(inner));
}

export function asksAnything({ nodes }: GraphSpec): boolean {
  return nodes.some(({ asks, inner }) => asks || (inner !== undefined && asksAnything(inner)));
}

/** Whether a stream may break while another node of its step runs. */
export function breaksInMidStream({ nodes }: GraphSpec): boolean {
  return nodes.some(({ failure, inner }) => {
    return failure === "in mid-stream" || (inner !== undefined && breaksInMidStream(inner));
  });
}

/** There is no node that the end of a graph may overtake: a branch may choose nothing, and then nobody reads its node. */
export function endWaitsForAll(spec: GraphSpec): boolean {
  const awaited = awaitedByEnd({ ...spec, branches: [] });
  const all = spec.trigger === "anyPredecessor" || spec.nodes.every(({ key }) => awaited.has(key));
  return all && spec.nodes.every(({ inner }) => inner === undefined || endWaitsForAll(inner));
}
