import type { Told } from "./drive.js";
import type { Expected } from "./model.js";
import type { Case, FlowSpec } from "./spec.js";
import { isCrash } from "./stops.js";
import { keyOf } from "./wiring.js";
import { written } from "./words.js";
import type { Happening, World } from "./world.js";

/** What is wrong with a run; nothing if it is one of the expected ones. */
export function mistakes(
  one: Case,
  told: readonly Told[],
  world: World,
  expected: readonly Expected[],
): readonly string[] {
  const lists = expected.map((each) => ({
    found: mistakesAgainst(one, told, world, each),
    isOutcome: told.some((run) => outcomeMistakes(one, run, each).length > 0),
  }));
  const likely = lists.filter(({ isOutcome }) => !isOutcome);
  const all = (likely.length > 0 ? likely : lists).map(({ found }) => found);
  return all.reduce((least, list) => (list.length < least.length ? list : least));
}

function mistakesAgainst(one: Case, told: readonly Told[], world: World, expected: Expected): string[] {
  const found: string[] = told.flatMap(({ problems }) => problems);
  for (const run of told) found.push(...outcomeMistakes(one, run, expected));
  if (found.length > 0) return found;
  const isFailed = expected.fails || told.some(({ failure }) => failure !== undefined);
  found.push(...effectMistakes(told, world, expected, isFailed));
  if (!isFailed) found.push(...orderMistakes(world, expected));
  const { way } = one;
  const { limit } = way;
  if (limit !== undefined && way.twice !== "beside" && world.mostRunning > limit)
    found.push(`${world.mostRunning} bodies ran at a time, with maxConcurrency ${limit}`);
  return found;
}

function outcomeMistakes(
  { flow, way }: Case,
  { value, isUnknown, failure, asked, lost }: Told,
  expected: Expected,
): string[] {
  if (isUnknown) return [];
  if (failure !== undefined) {
    const places = [...expected.failing].filter(([, isPermanent]) => isPermanent || way.durability === undefined);
    const isKnown = places.some(([place]) => place === failure.place || place.endsWith(`/${failure.place}`));
    // beside what always fails, a reader of its beginning may fail as well
    const mayFail = expected.fails && failsAt(flow).includes(failure.place.split("/").at(-1) ?? "");
    return isKnown || mayFail ? [] : [`fails with ${failure.code} at ${failure.place}`];
  }
  if (expected.fails) return [`gives ${written(value)} though a node always fails`];
  if (written(value) !== written(expected.value)) return [`gives ${written(value)}, not ${written(expected.value)}`];
  const strange = [...asked].filter((question) => !expected.questions.has(question));
  if (strange.length > 0) return [`asks what nobody asks: ${strange}`];
  const missing = [...lost].filter((question) => expected.questions.get(question));
  if (missing.length > 0) return [`open questions are lost: ${missing}`];
  const hasDied = way.stops?.some(isCrash);
  const unasked = [...expected.questions].filter(([question, isSure]) => isSure && !asked.has(question));
  if (unasked.length > 0 && !hasDied) return [`never asks ${unasked.map(([question]) => question)}`];
  return [];
}

/** The keys of all nodes that may fail. */
function failsAt({ nodes }: FlowSpec, depth = 0): readonly string[] {
  return nodes.flatMap(({ fails, hangs, flow }, index) => [
    ...(fails === undefined && hangs === undefined ? [] : [keyOf(index, depth), "item"]),
    ...(flow === undefined ? [] : failsAt(flow, depth + 1)),
  ]);
}

function effectMistakes(told: readonly Told[], world: World, expected: Expected, isFailed: boolean): string[] {
  const found: string[] = [];
  const counts = new Map<string, Happening[]>();
  for (const one of world.log) if (one.kind === "effect") counts.set(one.name, [...(counts.get(one.name) ?? []), one]);
  const crashes = told
    .flatMap(({ processes }) => processes)
    .filter(({ stop, wasStopped }) => wasStopped && isCrash(stop)).length;
  const restarts = told.reduce((sum, run) => sum + run.restarts, 0);
  for (const [name, list] of counts) {
    const most = expected.effects.get(name)?.[1];
    // a run that has failed has cached less
    if (isFailed && told.length > 1) continue;
    if (most === undefined) {
      if (!isFailed) found.push(`does what nobody does: ${name}`);
      continue;
    }
    if (list.length > most + crashes + restarts) found.push(`does ${name} ${list.length} times, not ${most}`);
    else if (list.length > most && restarts === 0 && most === 1) found.push(...repetitions(name, list, told));
  }
  if (isFailed) return found;
  for (const [name, [least]] of expected.effects) {
    const logged = Math.max(...told.map((run) => run.logged));
    const count = world.log.slice(0, logged).filter((one) => one.kind === "effect" && one.name === name).length;
    if (count < least) found.push(`does ${name} ${count} times until its end, not ${least}`);
  }
  return found;
}

/** Done again, though it was saved. */
function repetitions(name: string, list: readonly Happening[], told: readonly Told[]): string[] {
  const [run] = told;
  if (run === undefined) return [];
  return list.slice(0, -1).flatMap((one, n) => {
    const again = list[n + 1];
    const process = run.processes[one.process];
    if (again === undefined || process === undefined) return [];
    if (again.process === one.process) return [`does ${name} twice in one process`];
    if (!(process.wasStopped && isCrash(process.stop)))
      return [`does ${name} again, which was done in a process that did not die`];
    if (name.includes("/item") || !run.isStep) return [];
    const after = run.writes.all.slice(one.begun).filter((write) => write.process === one.process && write.isDone);
    return after.length > 1 ? [`does ${name} again, which was followed by ${after.length} saves`] : [];
  });
}

function orderMistakes({ log }: World, expected: Expected): string[] {
  const isBelow = (name: string, path: string): boolean => name.startsWith(`${path}@`) || name.startsWith(`${path}/`);
  return expected.orders.flatMap(([first, second]) => {
    if (first.includes("/item") || second.includes("/item")) return [];
    const begin = log.findIndex(({ kind, name }) => kind === "begin" && isBelow(name, second));
    if (begin < 0) return [];
    const early = [...expected.effects].filter(([name, [least]]) => least > 0 && isBelow(name, first));
    return early.flatMap(([name]) => {
      const effect = log.findIndex((one) => one.kind === "effect" && one.name === name);
      return effect > begin ? [`begins ${second} before ${name} is done`] : [];
    });
  });
}
