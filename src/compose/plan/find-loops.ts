type Successors = readonly (readonly number[])[];

/** How many loops are listed: more would make the message too long. */
const limit = 20;

/**
 * Finds loops of a graph, each as the nodes on it, with the first one repeated at the end. Every node that is on a loop is on one of
 * those listed, unless there are too many (`more`).
 */
export function findLoops(successors: Successors): { readonly loops: number[][]; readonly more: boolean } {
  const loops: number[][] = [];
  if (!hasLoop(successors)) return { loops, more: false };
  const componentOf = components(successors);
  const covered = new Set<number>();
  for (const node of successors.keys()) {
    if (covered.has(node)) continue;
    const loop = shortestLoop(node, successors, componentOf);
    if (loop === undefined) continue;
    if (loops.length === limit) return { loops, more: true };
    loops.push(loop);
    for (const member of loop) covered.add(member);
  }
  return { loops, more: false };
}

/** Kahn's algorithm: removes nodes without predecessors until none is left, or only loops. */
function hasLoop(successors: Successors): boolean {
  const waitingFor = new Array<number>(successors.length).fill(0);
  for (const targets of successors) for (const target of targets) waitingFor[target] = (waitingFor[target] ?? 0) + 1;
  const ready = [...successors.keys()].filter((node) => waitingFor[node] === 0);
  let taken = 0;
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    taken++;
    for (const target of successors[node] ?? []) {
      const remaining = (waitingFor[target] ?? 0) - 1;
      waitingFor[target] = remaining;
      if (remaining === 0) ready.push(target);
    }
  }
  return taken < successors.length;
}

/** Maps each node to a representative of its strongly connected component (Kosaraju's algorithm, without recursion). */
function components(successors: Successors): ReadonlyMap<number, number> {
  const predecessors: number[][] = successors.map(() => []);
  for (const [node, targets] of successors.entries()) for (const target of targets) predecessors[target]?.push(node);
  const componentOf = new Map<number, number>();
  for (const root of finishingOrder(successors).reverse()) {
    if (componentOf.has(root)) continue;
    componentOf.set(root, root);
    const members = [root];
    for (const member of members) {
      for (const before of predecessors[member] ?? []) {
        if (componentOf.has(before)) continue;
        componentOf.set(before, root);
        members.push(before);
      }
    }
  }
  return componentOf;
}

/** The nodes in the order in which a depth-first search leaves them. */
function finishingOrder(successors: Successors): number[] {
  const finished: number[] = [];
  const seen = new Set<number>();
  const path: { readonly node: number; readonly targets: Iterator<number> }[] = [];
  const enter = (node: number): void => {
    if (seen.has(node)) return;
    seen.add(node);
    path.push({ node, targets: (successors[node] ?? []).values() });
  };
  for (const root of successors.keys()) {
    enter(root);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = last.targets.next();
      if (!next.done) enter(next.value);
      else finished.push(path.pop()?.node ?? last.node);
    }
  }
  return finished;
}

/** The shortest path from a node back to itself. It stays in the node's component. */
function shortestLoop(
  start: number,
  successors: Successors,
  componentOf: ReadonlyMap<number, number>,
): number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const from of queue) {
    for (const to of successors[from] ?? []) {
      if (to === start) return trace(from, start, cameFrom);
      if (cameFrom.has(to) || componentOf.get(to) !== componentOf.get(start)) continue;
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
