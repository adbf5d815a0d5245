import type { StateKey } from "../../components/state-key.js";
import {
  duplicateEdge,
  duplicateNode,
  endAsSource,
  invalidBranch,
  invalidOption,
  lateState,
  startAsTarget,
  unknownNode,
} from "../errors.js";
import { checkNodeKey } from "./key.js";
import type { HasNodeDefinition, NodeDefinition } from "./node-definition.js";
import { checkSettings } from "./node-settings.js";
import { END, END_INDEX, type NodeSettings, type PlanBranch, type PlanEdge, START, START_INDEX } from "./plan.js";

export interface DraftNode {
  readonly key: string;
  /** The definition of a builder is read when this draft is compiled. */
  readonly node: NodeDefinition | HasNodeDefinition;
  readonly settings: NodeSettings;
}

/** Converts a value to a node, or throws. */
export type ToNode = (key: string, node: unknown) => NodeDefinition | HasNodeDefinition;

/** Creates a node and checks it by itself. */
export function newDraftNode(
  key: unknown,
  node: unknown,
  options: object | undefined,
  { toNode, hasState }: { readonly toNode: ToNode; readonly hasState: boolean },
): DraftNode {
  checkNodeKey(key);
  return { key, node: toNode(key, node), settings: checkSettings(key, options, hasState) };
}

/**
 * The nodes, edges and branches of a builder so far. Nodes are in order of declaration; edges and branches use indexes (START is 0,
 * END is 1). Errors that a single call shows are thrown here, all others when a plan is made.
 */
export class Draft {
  readonly component: "graph" | "chain" | "workflow";
  /** Without START and END: the first node has index 2. */
  readonly nodes: DraftNode[] = [];
  readonly edges: PlanEdge[] = [];
  readonly branches: PlanBranch[] = [];
  state: StateKey<unknown> | undefined = undefined;
  /** Whether a plan is being made from it. If it is met again meanwhile, it contains itself. */
  planning = false;
  readonly #toNode: ToNode;
  readonly #indexes = new Map<string, number>([
    [START, START_INDEX],
    [END, END_INDEX],
  ]);
  /** The targets of plain edges by source. Most sources have one. */
  readonly #targets: (number | Set<number> | undefined)[] = [];

  constructor(component: "graph" | "chain" | "workflow", toNode: ToNode) {
    this.component = component;
    this.#toNode = toNode;
  }

  setState(state: unknown): void {
    const [first] = this.nodes;
    if (first !== undefined) throw lateState(first.key);
    if (this.state !== undefined) throw invalidOption("withState(…) was already called: a graph has one state.");
    this.state = asStateKey(state);
  }

  /** Creates a checked node, which `add` then adds. */
  newNode(key: unknown, node: unknown, options: object | undefined): DraftNode {
    checkNodeKey(key);
    if (this.#indexes.has(key)) throw duplicateNode(key);
    return newDraftNode(key, node, options, { toNode: this.#toNode, hasState: this.state !== undefined });
  }

  add(node: DraftNode): void {
    this.#indexes.set(node.key, this.nodes.push(node) + END_INDEX);
  }

  addEdge(from: unknown, to: unknown): void {
    const source = this.#sourceOf(from, "The source of an edge,");
    const target = this.#targetOf(to, source, "The target of an edge,");
    const targets = this.#targets[source];
    if (targets === target || (targets instanceof Set && targets.has(target))) {
      throw duplicateEdge(this.#keyOf(source), this.#keyOf(target));
    }
    if (targets instanceof Set) targets.add(target);
    else this.#targets[source] = targets === undefined ? target : new Set([targets, target]);
    this.edges.push({ from: source, to: target, on: "value", data: true, control: true });
  }

  addBranch(
    from: unknown,
    targets: unknown,
    choose: unknown,
    { stream = false, labels, on = "value" }: Partial<Pick<PlanBranch, "stream" | "labels" | "on">> = {},
  ): void {
    const source = this.#sourceOf(from, "The source of a branch,");
    const key = this.#keyOf(source);
    if (!Array.isArray(targets)) throw invalidBranch(key, "needs an array of the targets it may choose.");
    if (targets.length === 0) throw invalidBranch(key, "has no targets: list the nodes it may choose.");
    if (typeof choose !== "function") throw invalidBranch(key, "needs a function that chooses among its targets.");
    if (on === "failure") this.#checkErrorBranch(source, key);
    const indexes = new Set<number>();
    for (const target of targets) {
      const index = this.#targetOf(target, source, "branch end node");
      if (indexes.has(index)) throw invalidBranch(key, `lists "${this.#keyOf(index)}" twice.`);
      indexes.add(index);
    }
    this.branches.push({
      from: source,
      targets: [...indexes],
      choose: choose as PlanBranch["choose"],
      stream,
      on,
      labels,
    });
  }

  #checkErrorBranch(source: number, key: string): void {
    if (source === START_INDEX) throw invalidBranch(key, "cannot be an error branch: START does not fail.");
    const known = this.branches.some(({ from, on }) => from === source && on === "failure");
    if (known) throw invalidBranch(key, "is a second error branch: a node can have only one.");
  }

  /** The index of a node, START or END by its key. */
  indexOf(key: string): number | undefined {
    return this.#indexes.get(key);
  }

  #sourceOf(key: unknown, what: string): number {
    const index = this.#known(key, what);
    if (index === END_INDEX) throw endAsSource();
    return index;
  }

  #targetOf(key: unknown, source: number, what: string): number {
    const index = this.#known(key, what);
    if (index === START_INDEX) throw startAsTarget(this.#keyOf(source));
    return index;
  }

  #known(key: unknown, what: string): number {
    const index = typeof key === "string" ? this.#indexes.get(key) : undefined;
    if (index === undefined)
      throw unknownNode(
        what,
        key,
        this.nodes.map((node) => node.key),
      );
    return index;
  }

  #keyOf(index: number): string {
    if (index === START_INDEX) return START;
    return this.nodes[index - END_INDEX - 1]?.key ?? END;
  }
}

/** Makes a state key. One made from a function is private to the graph. */
function asStateKey(state: unknown): StateKey<unknown> {
  if (typeof state === "function") return Object.freeze({ name: "", create: state as () => unknown });
  if (typeof state === "object" && state !== null && "create" in state && typeof state.create === "function") {
    return state as StateKey<unknown>;
  }
  throw invalidOption("withState needs a function that creates the state of a run, or a stateKey(…).");
}
