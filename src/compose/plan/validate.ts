import { cycle, emptyGraph, noStart, unevenJoin, unfedNodes, unreachableEnd, unreachableNodes } from "../errors.js";
import { findLoops } from "./find-loops.js";
import { IndexLists } from "./index-lists.js";
import { checkOutputKeys } from "./output-keys.js";
import { END_INDEX, type Plan, START_INDEX } from "./plan.js";

/** Checks a graph as a whole, in linear time: every node can run, END is reachable, and the trigger mode fits. */
export function validate(plan: Plan): void {
  // a workflow's edges come from what its nodes read, and were checked for loops during wiring
  if (plan.component === "workflow") return;
  const nodeCount = plan.nodes.length;
  if (nodeCount === END_INDEX + 1 && plan.edges.length + plan.branches.length === 0) throw emptyGraph(plan.component);
  const successors = successorsOf(plan);
  checkEnds(plan, successors);
  if (plan.triggerMode === "allPredecessor") {
    checkLoops(plan, successors);
    checkOutputKeys(plan);
  } else {
    checkUnevenJoins(plan, successors);
  }
}

/** The targets of edges and branches by source, with repetitions. */
function successorsOf({ nodes, edges, branches }: Plan): readonly (readonly number[])[] {
  const successors = new IndexLists(nodes.length);
  for (const { from, to } of edges) successors.add(from, to);
  for (const { from, targets } of branches) for (const target of targets) successors.add(from, target);
  return successors.lists;
}

function checkEnds({ nodes }: Plan, successors: readonly (readonly number[])[]): void {
  if (successors[START_INDEX]?.length === 0) throw noStart();
  const fed = new Uint8Array(nodes.length);
  for (const targets of successors) for (const target of targets) fed[target] = 1;
  if (fed[END_INDEX] === 0) throw unreachableEnd("nothing leads to END");
  const keysWhere = (test: (index: number) => boolean): string[] =>
    nodes.filter((_, index) => index > END_INDEX && test(index)).map(({ key }) => key);
  const unfed = keysWhere((index) => fed[index] === 0);
  if (unfed.length > 0) throw unfedNodes(unfed);
  const reached = reachable(successors);
  if (reached[END_INDEX] === 0) throw unreachableEnd("there is no path from START to END");
  const lost = keysWhere((index) => reached[index] === 0);
  if (lost.length > 0) throw unreachableNodes(lost);
}

function reachable(successors: readonly (readonly number[])[]): Uint8Array {
  const reached = new Uint8Array(successors.length);
  reached[START_INDEX] = 1;
  const open = [START_INDEX];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const to of successors[from] ?? []) {
      if (reached[to] === 1) continue;
      reached[to] = 1;
      open.push(to);
    }
  }
  return reached;
}

function checkLoops({ nodes }: Plan, successors: readonly (readonly number[])[]): void {
  const { loops, more } = findLoops(successors);
  if (loops.length === 0) return;
  throw cycle(
    loops.map((loop) => loop.map((index) => nodes[index]?.key ?? "")),
    more,
  );
}

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
function checkUnevenJoins({ nodes, edges, branches }: Plan, successors: readonly (readonly number[])[]): void {
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
