import { cycle, emptyGraph, noStart, unfedNodes, unreachableEnd, unreachableNodes } from "../errors.js";
import { findLoops } from "./find-loops.js";
import { IndexLists } from "./index-lists.js";
import { checkOutputKeys } from "./output-keys.js";
import { END_INDEX, type Plan, START_INDEX } from "./plan.js";
import { checkUnevenJoins } from "./uneven-joins.js";

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
