import { IndexLists } from "../compose/plan/index-lists.js";
import { END, END_INDEX, type Plan, type PlanBranch, type PlanEdge, type PlanNode } from "../compose/plan/plan.js";

/** Where a node's output goes. */
export interface Route {
  /** The targets of its edges, in order of declaration. */
  readonly plain: readonly number[];
  readonly branches: readonly BranchRoute[];
  /** The branch that alone decides, without edges beside it. Not in a workflow, whose edges bring data. */
  readonly sole: BranchRoute | undefined;
  /** Its error branch, if it has one. */
  readonly failure: BranchRoute | undefined;
  /** Of a workflow: the edges along which its failure goes, by target. */
  readonly failureEdges: ReadonlyMap<number, PlanEdge> | undefined;
  /**
   * Every node that can get the output, each once, in order of declaration. In a workflow a node is listed once for an edge,
   * once more for its failure, and once more for a branch, which brings no data.
   */
  readonly all: readonly number[];
  /** Of a workflow: the edges, by target. */
  readonly edges: ReadonlyMap<number, PlanEdge> | undefined;
}

/** One branch: finds the nodes that it chooses by key. Caches the last two keys, as branches mostly alternate between two. */
export class BranchRoute {
  readonly choose: PlanBranch["choose"];
  readonly stream: boolean;
  readonly targets: readonly number[];
  readonly #byKey: ReadonlyMap<unknown, number>;
  #lastKey: unknown = undefined;
  #lastIndex = -1;
  #previousKey: unknown = undefined;
  #previousIndex = -1;

  constructor(branch: PlanBranch, nodes: readonly PlanNode[]) {
    this.choose = branch.choose;
    this.stream = branch.stream;
    this.targets = branch.targets;
    this.#byKey = new Map(branch.targets.map((target) => [target === END_INDEX ? END : nodes[target]?.key, target]));
  }

  /** The node with a key, or -1 if the branch does not declare it. */
  find(key: unknown): number {
    if (key === this.#lastKey) return this.#lastIndex;
    if (key === this.#previousKey) return this.#previousIndex;
    this.#previousKey = this.#lastKey;
    this.#previousIndex = this.#lastIndex;
    const index = this.#byKey.get(key) ?? -1;
    this.#lastKey = key;
    this.#lastIndex = index;
    return index;
  }

  get keys(): readonly string[] {
    return [...this.#byKey.keys()].map(String);
  }
}

export function routesOf(plan: Plan): Route[] {
  const plain = new IndexLists(plan.nodes.length);
  const branches = new Map<number, BranchRoute[]>();
  const failures = new Map<number, BranchRoute>();
  for (const { from, to, on } of plan.edges) if (on === "value") plain.add(from, to);
  for (const branch of plan.branches) {
    if (branch.on === "failure") {
      failures.set(branch.from, new BranchRoute(branch, plan.nodes));
      continue;
    }
    const own = branches.get(branch.from) ?? [];
    branches.set(branch.from, [...own, new BranchRoute(branch, plan.nodes)]);
  }
  if (plan.component !== "workflow")
    return plain.lists.map((targets, index) =>
      routeOf(targets, branches.get(index) ?? noBranches, failures.get(index)),
    );
  const edges = { value: new Map<number, Edges>(), failure: new Map<number, Edges>() };
  for (const edge of plan.edges) {
    const own = edges[edge.on];
    own.set(edge.from, (own.get(edge.from) ?? new Map()).set(edge.to, edge));
  }
  return plain.lists.map((targets, index) =>
    wiredRoute({
      plain: targets.toSorted(ascending),
      branches: branches.get(index) ?? noBranches,
      failure: failures.get(index),
      edges: edges.value.get(index) ?? noEdges,
      failureEdges: edges.failure.get(index) ?? noEdges,
    }),
  );
}

type Edges = Map<number, PlanEdge>;

const noEdges: ReadonlyMap<number, PlanEdge> = new Map();

const noBranches: readonly BranchRoute[] = [];

/** Most nodes have one edge and no branch; they share the list of their targets. */
function routeOf(
  targets: readonly number[],
  branches: readonly BranchRoute[],
  failure: BranchRoute | undefined,
): Route {
  if (branches.length === 0 && targets.length < 2 && failure === undefined)
    return {
      plain: targets,
      branches,
      sole: undefined,
      failure,
      all: targets,
      edges: undefined,
      failureEdges: undefined,
    };
  const all = new Set([...targets, ...branches.flatMap((branch) => branch.targets), ...(failure?.targets ?? [])]);
  const plain = targets.toSorted(ascending);
  const sole = branches.length === 1 && plain.length === 0 ? branches[0] : undefined;
  const sorted = [...all].sort(ascending);
  return { plain, branches, sole, failure, all: sorted, edges: undefined, failureEdges: undefined };
}

/** In a workflow, a branch that chooses END starts nothing: END waits for its own sources. */
function wiredRoute(route: Omit<Route, "all" | "sole">): Route {
  const { plain, branches, failure, edges, failureEdges } = route;
  const chosen = new Set([...branches.flatMap(({ targets }) => targets), ...(failure?.targets ?? [])]);
  chosen.delete(END_INDEX);
  const all = [...plain, ...(failureEdges?.keys() ?? []), ...chosen].sort(ascending);
  return { plain, branches, sole: undefined, failure, all, edges, failureEdges };
}

export function sourcesOf(routes: readonly Route[]): readonly (readonly number[])[] {
  const sources = new IndexLists(routes.length);
  routes.forEach(({ all }, from) => {
    for (const to of all) sources.add(to, from);
  });
  return sources.lists;
}

const ascending = (a: number, b: number): number => a - b;

/** Where the output of a task goes: one node, or any number of nodes in order of declaration. */
export type Targets = number | readonly number[];

/** Whether a branch is still choosing. Cheaper than to look for a `then` in a list. */
export function isPending(targets: Targets | PromiseLike<Targets>): targets is PromiseLike<Targets> {
  return typeof targets === "object" && !Array.isArray(targets);
}
