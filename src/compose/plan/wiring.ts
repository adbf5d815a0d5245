import { cycle, invalidMapping, unknownNode } from "../errors.js";
import { findLoops } from "./find-loops.js";
import { IndexLists } from "./index-lists.js";
import { leavesOf, type MappingPlan, type Path, type Source } from "./mapping.js";
import { END_INDEX, type PlanBranch, type PlanEdge, START_INDEX } from "./plan.js";

/** The sources that a node of a workflow, or END, reads and runs after. */
export interface WiredNode {
  readonly mapping: MappingPlan | undefined;
  readonly runAfter: readonly string[];
}

/** The input of wiring. */
export interface Wires {
  /** The nodes by index; START has none. */
  readonly nodes: readonly (WiredNode | undefined)[];
  readonly keys: readonly string[];
  readonly indexOf: (key: string) => number | undefined;
  readonly branches: readonly PlanBranch[];
}

/** An edge under construction. */
interface Wire {
  data: boolean;
  /** Whether the node runs after the source, whatever it reads of it. */
  waits: boolean;
  /** Whether it is a reason to run. Later, reasons that others imply are left out. */
  isReason: boolean;
  readonly labels: string[];
}

/**
 * Wires by port. The port of a node's output is the node's index; the port of its failure is that plus the number of nodes. If a
 * port carries nothing, the node counts as skipped for its readers.
 */
type WiresByPort = ReadonlyMap<number, Wire>;

/** The edges of a workflow: what each node reads, and what decides whether it runs. */
export function wire(wires: Wires): PlanEdge[] {
  const count = wires.nodes.length;
  const incoming = wires.nodes.map((node, index) => (node === undefined ? noWires : wiresOf(node, index, wires)));
  const branchesTo = new IndexLists(count);
  for (const { from, targets, on } of wires.branches)
    for (const target of targets) branchesTo.add(target, portOf(from, on, count));
  const order = runOrder(wires, incoming, branchesTo.lists);
  const tree = new ImpliedTree(2 * count);
  const edges: PlanEdge[][] = wires.nodes.map(() => []);
  for (const index of order) {
    if (index === START_INDEX) continue;
    const own = incoming[index] ?? noWires;
    const branches = branchesTo.lists[index] ?? [];
    const isTarget = branches.length > 0 && index !== END_INDEX;
    const reasons = isTarget || index === END_INDEX ? [] : reasonsOf(own, tree);
    for (const port of [index, index + count]) tree.add(port, isTarget ? branches : reasons);
    const control = new Set(reasons);
    for (const [port, { data, waits, labels }] of own) {
      const on = port < count ? "value" : "failure";
      edges[index]?.push({ from: port % count, to: index, on, data, control: control.has(port), waits, labels });
    }
    const startsAtOnce = index === END_INDEX ? own.size === 0 : !isTarget && reasons.length === 0;
    if (startsAtOnce) edges[index] = withStart(edges[index] ?? [], index);
  }
  // the edges into END come last
  return [...edges.slice(END_INDEX + 1), edges[END_INDEX] ?? []].flat();
}

const noWires: WiresByPort = new Map();

function portOf(index: number, on: PlanEdge["on"], count: number): number {
  return on === "value" ? index : index + count;
}

/** Adds an edge from START to a node that nothing else starts. */
function withStart(edges: readonly PlanEdge[], to: number): PlanEdge[] {
  const others = edges.filter(({ from }) => from !== START_INDEX);
  const own = edges.find(({ from }) => from === START_INDEX);
  const start = { from: START_INDEX, to, on: "value", data: own?.data ?? false, control: true } as const;
  return [{ ...start, labels: own?.labels ?? [] }, ...others];
}

/** The wires into a node, by port. */
function wiresOf({ mapping, runAfter }: WiredNode, node: number, wires: Wires): WiresByPort {
  const { indexOf, keys, branches } = wires;
  const found = new Map<number, Wire>();
  const wireOf = (key: string, on: PlanEdge["on"], what: string): Wire => {
    const index = indexOf(key);
    if (index === undefined || index === END_INDEX) throw unknownNode(what, key, keys.slice(END_INDEX + 1));
    const port = portOf(index, on, keys.length);
    const known = found.get(port) ?? { data: false, waits: false, isReason: false, labels: [] };
    found.set(port, known);
    return known;
  };
  for (const { source, field } of mapping === undefined ? [] : leavesOf(mapping)) {
    for (const { key, path, on, dataOnly } of readsOf(source)) {
      const wire = wireOf(key, on, "The source of a mapping,");
      if (on === "failure" && !branches.some((branch) => branch.on === on && branch.from === indexOf(key)))
        throw noFailure(keys[node] ?? "", field.join("."), key);
      wire.data = true;
      wire.isReason ||= !dataOnly;
      wire.labels.push(labelOf(path, field));
    }
  }
  for (const key of runAfter) {
    const wire = wireOf(key, "value", "A node in runAfter,");
    wire.isReason = true;
    wire.waits = true;
  }
  return found;
}

const noFailure = (key: string, field: string, source: string): Error =>
  invalidMapping(
    key,
    field,
    `reads the failure of "${source}", which has no error branch. Call addErrorBranch("${source}", …).`,
  );

interface Read {
  readonly key: string;
  /** The path in labels. */
  readonly path: Path;
  readonly on: PlanEdge["on"];
  readonly dataOnly: boolean;
}

function readsOf(source: Source): readonly Read[] {
  switch (source.kind) {
    case "from":
      return [{ ...source, on: "value" }];
    case "failure":
      return [{ key: source.key, path: ["failure", ...source.path], on: "failure", dataOnly: false }];
    case "computed":
      return [{ key: source.key, path: ["extract"], on: "value", dataOnly: false }];
    case "first":
      return source.sources.map((from) => ({ ...from, on: "value" }));
    case "constant":
      return [];
    default:
      return source satisfies never;
  }
}

function labelOf(path: Path, field: Path): string {
  const from = path.join(".");
  const to = field.join(".");
  if (from === "" && to === "") return "";
  return `${from} → ${to}`.trim();
}

/** A topological order of the nodes. Throws if there is a loop. */
function runOrder(
  { keys }: Wires,
  incoming: readonly WiresByPort[],
  branchesTo: readonly (readonly number[])[],
): number[] {
  const successors = new IndexLists(keys.length);
  const open = incoming.map((own, index) => own.size + (branchesTo[index]?.length ?? 0));
  for (const [to, own] of incoming.entries()) {
    for (const port of [...own.keys(), ...(branchesTo[to] ?? [])]) successors.add(port % keys.length, to);
  }
  const order = [...open.keys()].filter((index) => open[index] === 0);
  for (const index of order) {
    for (const to of successors.lists[index] ?? []) {
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0) order.push(to);
    }
  }
  if (order.length === keys.length) return order;
  const { loops, more } = findLoops(successors.lists);
  throw cycle(
    loops.map((loop) => loop.map((index) => keys[index] ?? "")),
    more,
    true,
  );
}

/** The reasons of a node to run, without START and without those that another reason implies. */
function reasonsOf(own: WiresByPort, tree: ImpliedTree): number[] {
  const all = [...own].filter(([from, { isReason }]) => isReason && from !== START_INDEX).map(([from]) => from);
  return all.filter((from) => !all.some((other) => other !== from && tree.implies(other, from)));
}

/**
 * A tree of which nodes imply which others: the ancestors of a node must have run when it runs. Lookups take logarithmic time, by
 * jump pointers.
 */
class ImpliedTree {
  readonly #depth: number[];
  readonly #parent: number[];
  readonly #jump: number[];

  constructor(count: number) {
    this.#depth = new Array<number>(count).fill(0);
    this.#parent = new Array<number>(count).fill(START_INDEX);
    this.#jump = new Array<number>(count).fill(START_INDEX);
  }

  /** Adds a node that runs when any of the reasons has run: it implies what all of them imply. */
  add(index: number, reasons: readonly number[]): void {
    const [first = START_INDEX, ...others] = reasons;
    const parent = others.reduce((common, reason) => this.#common(common, reason), first);
    const far = this.#at(this.#jump, parent);
    const farther = this.#at(this.#jump, far);
    const isEven = this.#at(this.#depth, parent) - this.#at(this.#depth, far);
    const isFar = isEven === this.#at(this.#depth, far) - this.#at(this.#depth, farther);
    this.#parent[index] = parent;
    this.#depth[index] = this.#at(this.#depth, parent) + 1;
    this.#jump[index] = isFar ? farther : parent;
  }

  /** Whether a node cannot run without another. */
  implies(index: number, other: number): boolean {
    return this.#rise(index, this.#at(this.#depth, other)) === other;
  }

  #common(a: number, b: number): number {
    const depth = Math.min(this.#at(this.#depth, a), this.#at(this.#depth, b));
    let [left, right] = [this.#rise(a, depth), this.#rise(b, depth)];
    while (left !== right) {
      const areFar = this.#at(this.#jump, left) !== this.#at(this.#jump, right);
      const up = areFar ? this.#jump : this.#parent;
      [left, right] = [this.#at(up, left), this.#at(up, right)];
    }
    return left;
  }

  #rise(from: number, depth: number): number {
    let index = from;
    while (this.#at(this.#depth, index) > depth) {
      const far = this.#at(this.#jump, index);
      index = this.#at(this.#depth, far) >= depth ? far : this.#at(this.#parent, index);
    }
    return index;
  }

  #at(list: readonly number[], index: number): number {
    return list[index] ?? START_INDEX;
  }
}
