import { IndexLists } from "../compose/plan/index-lists.js";
import { END, END_INDEX, type Plan, type PlanBranch, type PlanNode } from "../compose/plan/plan.js";

/** Where a node's output goes. */
export interface Route {
  readonly plain: readonly number[];
  readonly branches: readonly BranchRoute[];
  /** Every node that can get the output, each once, in order of declaration. */
  readonly all: readonly number[];
}

/** One branch: how its answer is turned into nodes. Remembers the last two answers, one of which is the next one too, mostly. */
export class BranchRoute {
  readonly choose: (value: never, ctx: never) => unknown;
  readonly stream: boolean;
  readonly targets: readonly number[];
  readonly #byKey: ReadonlyMap<unknown, number>;
  #lastKey: unknown = undefined;
  #lastIndex = -1;
  #formerKey: unknown = undefined;
  #formerIndex = -1;

  constructor(branch: PlanBranch, nodes: readonly PlanNode[]) {
    this.choose = branch.choose;
    this.stream = branch.stream;
    this.targets = branch.targets;
    this.#byKey = new Map(branch.targets.map((target) => [target === END_INDEX ? END : nodes[target]?.key, target]));
  }

  /** The node of a key, or -1 when the branch does not declare it. */
  find(key: unknown): number {
    if (key === this.#lastKey) return this.#lastIndex;
    if (key === this.#formerKey) return this.#formerIndex;
    this.#formerKey = this.#lastKey;
    this.#formerIndex = this.#lastIndex;
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
  for (const { from, to } of plan.edges) plain.add(from, to);
  for (const branch of plan.branches) {
    const own = branches.get(branch.from) ?? [];
    branches.set(branch.from, [...own, new BranchRoute(branch, plan.nodes)]);
  }
  return plain.lists.map((targets, index) => routeOf(targets, branches.get(index) ?? noBranches));
}

const noBranches: readonly BranchRoute[] = [];

/** Most nodes have one edge and no branch, which needs no list of its own. */
function routeOf(targets: readonly number[], branches: readonly BranchRoute[]): Route {
  if (branches.length === 0 && targets.length < 2) return { plain: targets, branches, all: targets };
  const all = new Set([...targets, ...branches.flatMap((branch) => branch.targets)]);
  return { plain: targets.toSorted(ascending), branches, all: [...all].sort(ascending) };
}

export function sourcesOf(routes: readonly Route[]): readonly (readonly number[])[] {
  const sources = new IndexLists(routes.length);
  routes.forEach(({ all }, from) => {
    for (const to of all) sources.add(to, from);
  });
  return sources.lists;
}

const ascending = (a: number, b: number): number => a - b;
