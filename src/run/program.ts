import { IndexLists } from "../compose/plan/index-lists.js";
import {
  END,
  END_INDEX,
  type NodeSettings,
  type Payload,
  type Plan,
  type PlanBranch,
  type PlanNode,
  START_INDEX,
} from "../compose/plan/plan.js";
import type { Runtime } from "../compose/runtime.js";
import type { Joining } from "../schema/concat/rule.js";
import { type Body, deriveMode, type Mode, type Natives, nativesOf } from "./body.js";
import { observeNatives } from "./observe.js";
import type { TaskContext } from "./task-context.js";
import { type NodeJoinings, wrapStream, wrapValue } from "./wrap.js";

/** Where a node's output goes. */
export interface Route {
  readonly plain: readonly number[];
  readonly branches: readonly BranchRoute[];
  /** Every node that can get the output, each once, in order of declaration. */
  readonly all: readonly number[];
}

/** A node's own function, for the lane of watched runs. */
export interface Inline {
  readonly run: Body;
  readonly payload: Payload | undefined;
}

/** `Route` of one node in the array `Program.next`: read the route; its output has more than one way to go, or none. */
export const ROUTED = 0;

/** Runs a graph that is nested in another as one of its nodes. Given by the run, which this file does not know. */
export type RunNested = (program: Program, mode: "invoke" | "transform") => Body;

/** A plan, made ready to run: functions and int-indexed arrays. Made once per compile and shared by all runs. */
export class Program {
  readonly plan: Plan;
  readonly keys: readonly string[];
  /** The node that gets the output of a node as it is (END is 1), or {@link ROUTED}. */
  readonly next: readonly number[];
  readonly routes: readonly Route[];
  /** The only successor of a node, whatever its output key; {@link ROUTED} when there are branches, several or none. */
  readonly sole: readonly number[];
  /** Output keys that the scheduler puts on itself, in runs on values: a join then needs no record per source. */
  readonly outputKeys: readonly (string | undefined)[];
  /** The predecessors of each node, in order of declaration. */
  readonly sources: readonly (readonly number[])[];
  readonly sourceCounts: readonly number[];
  /** Programs of nested graphs, by node. */
  readonly nested: ReadonlyMap<number, Program>;
  /** Whether a nested graph was compiled with handlers of its own. */
  readonly nestedHandlers: boolean;
  /** Whether never more than one node runs at a time. */
  readonly isLinear: boolean;
  readonly #runNested: RunNested;
  private madeInlines: readonly (Inline | undefined)[] | undefined = undefined;
  readonly #templates = new Map<number, { readonly record: object | undefined }>();
  readonly #bodies: BodiesByMode = emptyBodies();
  readonly #observed: BodiesByMode = emptyBodies();

  constructor(plan: Plan, runNested: RunNested) {
    this.plan = plan;
    this.#runNested = runNested;
    this.keys = plan.nodes.map((node) => node.key);
    this.routes = routesOf(plan);
    this.sole = this.routes.map(({ plain, branches }) =>
      branches.length === 0 && plain.length === 1 ? (plain[0] ?? ROUTED) : ROUTED,
    );
    this.outputKeys = plan.nodes.map(({ settings }) =>
      hasOnlyKeys(settings) ? intern(settings.outputKey) : undefined,
    );
    this.next = this.sole.map((successor, index) => (this.outputKeys[index] === undefined ? successor : ROUTED));
    this.sources = sourcesOf(this.routes);
    this.sourceCounts = this.sources.map((sources) => sources.length);
    this.isLinear = this.routes.every(
      ({ all, plain, branches }) => all.length < 2 || (plain.length === 0 && branches.length === 1),
    );
    this.nested = nestedPrograms(plan, runNested);
    this.nestedHandlers = [...this.nested.values()].some(
      (inner) =>
        inner.nestedHandlers ||
        inner.plan.callbacks.length > 0 ||
        (inner.plan.runtime !== plan.runtime && inner.plan.runtime.callbacks.length > 0),
    );
  }

  /** The functions of all nodes for runs of one mode; those of watched runs call the handlers. */
  bodies(mode: Mode, observed: boolean): readonly Body[] {
    const kept = observed ? this.#observed : this.#bodies;
    kept[mode] ??= this.plan.nodes.map((node, index) => this.#body(node, index, mode, observed));
    return kept[mode];
  }

  /**
   * How a node's inputs are joined when every source has an output key of its own: the keys, and a record with them. Engines
   * keep records fast that are filled in the order of one that exists.
   */
  keyedJoin(target: number): object | undefined {
    let template = this.#templates.get(target);
    if (template === undefined) {
      const keys = (this.sources[target] ?? []).map((source) => this.outputKeys[source]);
      const distinct = !keys.includes(undefined) && new Set(keys).size === keys.length;
      template = {
        record: distinct
          ? Object.fromEntries(keys.slice(0, mostTemplateKeys).map((key) => [key, undefined]))
          : undefined,
      };
      this.#templates.set(target, template);
    }
    return template.record;
  }

  /** For nodes that a watched run can call without a wrapper: their function, and what handlers see. */
  get inlines(): readonly (Inline | undefined)[] {
    return this.madeInlines ?? this.makeInlines();
  }

  private makeInlines(): readonly (Inline | undefined)[] {
    this.madeInlines = this.plan.nodes.map((node, index) => this.#inline(node, index));
    return this.madeInlines;
  }

  #inline(node: PlanNode, index: number): Inline | undefined {
    if (index <= END_INDEX || node.component === "passthrough" || !isBare(node.settings)) return undefined;
    const { call, invoke }: Natives = this.#natives(node, index);
    const run = call ?? invoke;
    return run && { run: run as Body, payload: node.body.kind === "modes" ? node.body.payload : undefined };
  }

  /** The index of a node by its key; `undefined` when there is none (START and END are none). */
  indexOf(key: string): number | undefined {
    const index = this.keys.indexOf(key, END_INDEX + 1);
    return index === -1 ? undefined : index;
  }

  #body(node: PlanNode, index: number, mode: Mode, observed: boolean): Body {
    if (index === START_INDEX || index === END_INDEX) return same;
    if (mode === "invoke" && !observed && node.body.kind === "function" && isBare(node.settings)) {
      return node.body.call as Body;
    }
    const joinings = joiningsOf(node, this.plan.runtime);
    const natives = this.#natives(node, index);
    const watched = observed && node.component !== "passthrough";
    const payload = node.body.kind === "modes" ? node.body.payload : undefined;
    const core = deriveMode(mode, watched ? observeNatives(natives, payload, joinings.own) : natives, joinings.own);
    if (mode !== "invoke") return wrapStream(core, node.settings, joinings);
    return isBare(node.settings) ? core : wrapValue(core, node.settings, joinings);
  }

  #natives(node: PlanNode, index: number): Natives {
    const { body } = node;
    if (body.kind !== "graph") return nativesOf(body);
    const program = this.nested.get(index);
    if (program === undefined) throw new TypeError(`No program for the graph "${node.key}".`);
    return { invoke: this.#runNested(program, "invoke"), transform: this.#runNested(program, "transform") };
  }
}

/** Without an input key and handlers around it a function is called as it is; the scheduler adds the output key. */
function isBare(settings: NodeSettings): boolean {
  return settings.inputKey === undefined && hasOnlyKeys(settings);
}

function hasOnlyKeys({ before, after, streamBefore, streamAfter }: NodeSettings): boolean {
  return (before ?? after ?? streamBefore ?? streamAfter) === undefined;
}

/** A computed string is slow as a key until the engine has seen it as one. */
function intern(key: string | undefined): string | undefined {
  return key === undefined ? undefined : Object.keys({ [key]: 0 })[0];
}

/** Beyond so many keys a template does nothing for the engine. */
const mostTemplateKeys = 128;

type BodiesByMode = Record<Mode, readonly Body[] | undefined>;

const emptyBodies = (): BodiesByMode => ({
  invoke: undefined,
  stream: undefined,
  collect: undefined,
  transform: undefined,
});

const same: Body = (input: unknown, _ctx: TaskContext) => input;

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

function routesOf(plan: Plan): Route[] {
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

function sourcesOf(routes: readonly Route[]): readonly (readonly number[])[] {
  const sources = new IndexLists(routes.length);
  routes.forEach(({ all }, from) => {
    for (const to of all) sources.add(to, from);
  });
  return sources.lists;
}

function nestedPrograms(plan: Plan, runNested: RunNested): ReadonlyMap<number, Program> {
  const programs = new Map<number, Program>();
  plan.nodes.forEach((node, index) => {
    if (node.body.kind === "graph") programs.set(index, new Program(node.body.plan, runNested));
  });
  return programs;
}

/** How streams of a node join: as it declares; behind an output key, key by key. */
export function joiningsOf({ key, settings }: PlanNode, runtime: Runtime): NodeJoinings {
  const where = `node "${key}"`;
  const own: Joining = { rule: settings.concat, registry: runtime.concat, where };
  const { outputKey } = settings;
  if (outputKey === undefined) return { own, output: own };
  return { own, output: { rule: { keyed: new Map([[outputKey, settings.concat]]) }, registry: runtime.concat, where } };
}

const ascending = (a: number, b: number): number => a - b;
