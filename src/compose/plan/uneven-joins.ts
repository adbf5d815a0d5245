import { unevenJoin } from "../errors.js";
import type { Plan } from "./plan.js";

interface Part {
  /** The node that provides it, and its output key. */
  readonly source: string;
  readonly outputKey: string;
  readonly step: number;
}

/**
 * Throws if a node, or END, gets parts under different output keys in different steps: in the mode `anyPredecessor` it would run with
 * the parts that arrive first. Graphs with branches or loops are left alone: there, each run decides what arrives when.
 */
export function checkUnevenJoins({ nodes, edges, branches }: Plan, successors: readonly (readonly number[])[]): void {
  if (branches.length > 0 || !nodes.some(({ settings }) => settings.outputKey !== undefined)) return;
  const steps = firstSteps(successors);
  if (steps === undefined) return;
  const parts: Part[][] = nodes.map(() => []);
  for (const { from, to } of edges) {
    const source = nodes[from];
    const outputKey = source?.settings.outputKey;
    if (source !== undefined && outputKey !== undefined)
      parts[to]?.push({ source: source.key, outputKey, step: steps[from] ?? 0 });
  }
  for (const [target, given] of parts.entries()) {
    const first = given.reduce((least, { step }) => Math.min(least, step), Number.POSITIVE_INFINITY);
    const there = new Set(given.flatMap(({ outputKey, step }) => (step === first ? [outputKey] : [])));
    const late = given.filter(({ outputKey }) => !there.has(outputKey));
    if (late.length > 0) throw unevenJoin(nodes[target]?.key ?? "", [...there], late);
  }
}

/** The first step in which each node runs, or `undefined` if there is a loop (Kahn's algorithm). */
function firstSteps(successors: readonly (readonly number[])[]): readonly number[] | undefined {
  const waitingFor = successors.map(() => 0);
  for (const targets of successors) for (const target of targets) waitingFor[target] = (waitingFor[target] ?? 0) + 1;
  const steps = successors.map((_, index) => (waitingFor[index] === 0 ? 0 : Number.POSITIVE_INFINITY));
  const done = [...successors.keys()].filter((index) => waitingFor[index] === 0);
  for (const node of done) {
    for (const target of successors[node] ?? []) {
      steps[target] = Math.min(steps[target] ?? 0, (steps[node] ?? 0) + 1);
      waitingFor[target] = (waitingFor[target] ?? 0) - 1;
      if (waitingFor[target] === 0) done.push(target);
    }
  }
  return done.length === successors.length ? steps : undefined;
}
