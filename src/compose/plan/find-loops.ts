type Successors = readonly (readonly number[])[];

/** How many loops are listed: more would make the message too long. */
const limit = 20;

/**
 * Finds loops of a graph, each as the nodes on it, with the first one repeated at the end. Every node that is on a loop is on one of
 * those listed, unless there are too many (`more`).
 */
export function findLoops(successors: Successors): { readonly loops: number[][]; readonly more: boolean } {
  const loops: number[][] = [];
  const nodes = betweenLoops(successors);
  const covered = new Set<number>();
  for (const node of nodes) {
    if (covered.has(node)) continue;
    const loop = shortestLoop(node, successors, nodes);
    if (loop === undefined) continue;
    if (loops.length === limit) return { loops, more: true };
    loops.push(loop);
    for (const member of loop) covered.add(member);
  }
  return { loops, more: false };
}

/** The nodes on loops, and those on paths from one loop to another. */
function betweenLoops(successors: Successors): ReadonlySet<number> {
  const nodes = new Set(successors.keys());
  removeFirst(nodes, successors);
  if (nodes.size === 0) return nodes;
  const predecessors: number[][] = successors.map(() => []);
  for (const [node, targets] of successors.entries()) for (const target of targets) predecessors[target]?.push(node);
  removeFirst(nodes, predecessors);
  return nodes;
}

/** Removes nodes without predecessors until none is left, or only loops and what comes after them (Kahn's algorithm). */
function removeFirst(nodes: Set<number>, successors: Successors): void {
  const waitingFor = successors.map(() => 0);
  const add = (node: number, count: number): number => (waitingFor[node] = (waitingFor[node] ?? 0) + count);
  for (const node of nodes) for (const target of successors[node] ?? []) add(target, 1);
  const first = [...nodes].filter((node) => waitingFor[node] === 0);
  for (const node of first) {
    nodes.delete(node);
    for (const target of successors[node] ?? []) if (nodes.has(target) && add(target, -1) === 0) first.push(target);
  }
}

/** The shortest path from a node back to itself. */
function shortestLoop(start: number, successors: Successors, nodes: ReadonlySet<number>): number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const from of queue) {
    for (const to of successors[from] ?? []) {
      if (to === start) return trace(from, start, cameFrom);
      if (cameFrom.has(to) || !nodes.has(to)) continue;
      cameFrom.set(to, from);
      queue.push(to);
    }
  }
  return undefined;
}

function trace(last: number, start: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const path = [start];
  for (let node: number | undefined = last; node !== undefined && node !== start; node = cameFrom.get(node))
    path.push(node);
  path.push(start);
  return path.reverse();
}
