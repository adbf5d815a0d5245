import { isDeepStrictEqual } from "node:util";
import { type CompiledGraph, type Handler, KumikoError, memoryStore, RunControl, StreamReader } from "kumiko";
import { recordingHandler } from "kumiko/testing";

export const modes = ["invoke", "stream", "collect", "transform"] as const;
export type Mode = (typeof modes)[number];

/** Who else has a part in a run: nobody, a handler, a control, or a store. */
export const ways = ["plain", "watched", "controlled", "saved at exits", "saved at steps"] as const;
export type Way = (typeof ways)[number];

/** A graph that is compiled anew for each run: some have a store. */
export type Compile<I, O> = (options: object) => CompiledGraph<I, O>;

/** What a run gives, or the error that it rejects with. */
export type Outcome = { readonly value: unknown } | { readonly code: unknown; readonly nodePath: readonly string[] };

export const isSaved = (way: Way): boolean => way.startsWith("saved");

export function compileOptions(way: Way): object {
  return isSaved(way) ? { store: memoryStore(), durability: way === "saved at steps" ? "step" : "exit" } : {};
}

export function runOptions(way: Way, handler: Handler = recordingHandler()): object {
  switch (way) {
    case "plain":
      return {};
    case "watched":
      return { callbacks: [handler] };
    case "controlled":
      return { control: new RunControl() };
    case "saved at exits":
    case "saved at steps":
      return { checkpointId: "run" };
    default:
      return way satisfies never;
  }
}

/** What a run is given: a value, and the same as a stream. */
export interface Given<I> {
  readonly value: I;
  /** @default one chunk */
  readonly chunks?: (() => AsyncIterable<I>) | undefined;
}

/** Runs in one mode, reads a stream to its end and joins it. */
export function start<I, O>(app: CompiledGraph<I, O>, mode: Mode, given: Given<I>, options: object): Promise<O> {
  const chunks = given.chunks ?? (() => StreamReader.from([given.value]));
  switch (mode) {
    case "invoke":
      return app.invoke(given.value, options);
    case "stream":
      return app.stream(given.value, options).concat();
    case "collect":
      return app.collect(chunks(), options);
    case "transform":
      return app.transform(chunks(), options).concat();
    default:
      return mode satisfies never;
  }
}

/** Goes on with a run that stopped. */
export function goOn<O>(
  app: CompiledGraph<never, O>,
  how: "resume" | "resumeStream",
  answers?: Readonly<Record<string, unknown>>,
  options: object = {},
): Promise<O> {
  return how === "resume" ? app.resume("run", answers, options) : app.resumeStream("run", answers, options).concat();
}

/** Errors of this library by code and path, others as they are. */
export async function outcomeOf(run: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await run };
  } catch (error) {
    if (KumikoError.is(error)) return { code: error.code, nodePath: error.nodePath };
    return { code: error, nodePath: [] };
  }
}

/** What some runs have in common, and which runs. */
export interface Shared<T> {
  readonly runs: string;
  readonly gives: T;
}

/** What is seen of a run in every mode and way; runs of which the same is seen stand together. */
export async function perWay<T>(look: (mode: Mode, way: Way) => Promise<T>): Promise<Shared<T>[]> {
  const groups: { readonly gives: T; readonly runs: [Mode, Way][] }[] = [];
  for (const mode of modes) {
    for (const way of ways) {
      const gives = await look(mode, way);
      const group = groups.find((other) => isDeepStrictEqual(other.gives, gives));
      if (group === undefined) groups.push({ gives, runs: [[mode, way]] });
      else group.runs.push([mode, way]);
    }
  }
  return groups.map(({ gives, runs }) => ({ runs: summary(runs), gives }));
}

/** The same is seen of each run. */
export const allWays = <T>(gives: T): Shared<T>[] => [{ runs: everyRun, gives }];

/** What a graph gives in every mode, plain, watched, controlled and saved. */
export function inEveryWay<I, O>(compile: Compile<I, O>, given: Given<I>): Promise<Shared<Outcome>[]> {
  return perWay((mode, way) => outcomeOf(start(compile(compileOptions(way)), mode, given, runOptions(way))));
}

/** The same in every mode and way. */
export const everyWay = (outcome: Outcome): Shared<Outcome>[] => allWays(outcome);

const everyRun = "in every mode and way";

function summary(runs: readonly (readonly [Mode, Way])[]): string {
  if (runs.length === modes.length * ways.length) return everyRun;
  const parts = modes.map((mode) => {
    const own = runs.filter(([other]) => other === mode).map(([, way]) => way);
    if (own.length === 0) return [];
    return own.length === ways.length ? mode : `${mode} (${own.join(", ")})`;
  });
  return parts.flat().join(", ");
}
