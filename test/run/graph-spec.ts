import fc from "fast-check";

/** How a node of a random graph works; what it computes does not depend on that. */
export type NodeKind = "sync" | "async" | "slow" | "streams" | "collects" | "transforms";

export interface BranchSpec {
  readonly from: number;
  readonly targets: readonly number[];
  /** Whether it reads the stream, and decides on its first chunk. */
  readonly stream: boolean;
  /** Whether it may choose several targets, or none. */
  readonly multi: boolean;
  readonly async: boolean;
}

/** A random graph as data. `-1` is START and the number of nodes is END. */
export interface GraphSpec {
  readonly kinds: readonly NodeKind[];
  readonly edges: readonly (readonly [from: number, to: number])[];
  readonly branches: readonly BranchSpec[];
}

export const START_NODE = -1;

/** Graphs in which an edge only leads to nodes that were declared later. */
export const acyclicGraphs: fc.Arbitrary<GraphSpec> = graphs((from, to) => from < to);

/** Graphs with edges of every direction, also from a node to itself. */
export const cyclicGraphs: fc.Arbitrary<GraphSpec> = graphs((from, to) => to >= 0 && from !== undefined);

type Allows = (from: number, to: number) => boolean;

function graphs(allows: Allows): fc.Arbitrary<GraphSpec> {
  return fc.integer({ min: 1, max: 6 }).chain((count) => {
    const source = fc.integer({ min: START_NODE, max: count - 1 });
    const target = fc.integer({ min: 0, max: count });
    const kind = fc.constantFrom<NodeKind>("sync", "sync", "async", "slow", "streams", "collects", "transforms");
    return fc
      .record({
        kinds: fc.array(kind, { minLength: count, maxLength: count }),
        edges: fc.array(fc.tuple(source, target), { maxLength: 2 * count }),
        branches: fc.array(
          fc.record({
            from: source,
            targets: fc.uniqueArray(target, { minLength: 1, maxLength: 3 }),
            stream: fc.boolean(),
            multi: fc.boolean(),
            async: fc.boolean(),
          }),
          { maxLength: 3 },
        ),
      })
      .map((spec) => connected(spec, allows));
  });
}

/** Without what is not allowed, and with edges for nodes that nothing leads to, and for END. */
function connected({ kinds, edges, branches }: GraphSpec, allows: Allows): GraphSpec {
  const end = kinds.length;
  const kept = edges.filter(([from, to]) => allows(from, to));
  const keptBranches = branches
    .map((branch) => ({ ...branch, targets: branch.targets.filter((to) => allows(branch.from, to)) }))
    .filter(({ targets }) => targets.length > 0);
  const all = unique(kept);
  const way = { kinds, edges: all, branches: keptBranches };
  for (let node = 0; node < end; node++) if (!reachable(way).has(node)) all.push([START_NODE, node]);
  if (!reachable(way).has(end)) all.push([end - 1, end]);
  return way;
}

function unique(edges: GraphSpec["edges"]): (readonly [number, number])[] {
  return [...new Map(edges.map((edge) => [edge.join(), edge])).values()];
}

function reachable({ edges, branches }: GraphSpec): Set<number> {
  const reached = new Set([START_NODE]);
  const ways = [...edges, ...branches.flatMap(({ from, targets }) => targets.map((to) => [from, to] as const))];
  for (let size = 0; size !== reached.size; ) {
    size = reached.size;
    for (const [from, to] of ways) if (reached.has(from)) reached.add(to);
  }
  return reached;
}

/** What every node of a random graph computes of its input: six letters or digits. */
export function digest(node: number, input: Readonly<Record<string, string>>): string {
  const text = Object.entries(input)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join("&");
  let hash = 2_166_136_261 ^ (node + 1);
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 16_777_619);
  return (hash >>> 0).toString(36).padStart(6, "0").slice(-6);
}

/** What a branch chooses when the output of its source begins with this letter or digit. */
export function choiceOf({ targets, multi }: BranchSpec, first: string): number[] {
  const number = Number.parseInt(first, 36);
  if (!multi) return [targets[number % targets.length] as number];
  return targets.filter((_, n) => ((number >> n) & 1) === 1);
}

export const keyOf = (node: number, { kinds }: GraphSpec): string => {
  if (node === START_NODE) return "start";
  return node === kinds.length ? "end" : `n${node}`;
};
