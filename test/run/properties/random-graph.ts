import fc from "fast-check";

export type Trigger = "anyPredecessor" | "allPredecessor";

/** How a node is written. All but the last four give a text under a key of their own. */
export type Kind =
  | "sync"
  | "async"
  | "generator"
  | "async stream"
  | "invoke"
  | "stream"
  | "collect"
  | "map"
  | "transform"
  | "passthrough"
  | "graph";

/** When a node fails: never, when it is called, or in the middle of its stream. */
export type Failure = "never" | "at the call" | "in mid-stream";

export type HandlerKind = "none" | "value" | "stream";

export interface NodeSpec {
  readonly key: string;
  readonly kind: Kind;
  /** How many microtasks it takes, or each of its chunks. */
  readonly ticks: number;
  readonly pieces: number;
  readonly failure: Failure;
  /** Whether it stops when its signal fires. */
  readonly listens: boolean;
  /** Whether its text gets its key from the option `outputKey`, or from the node itself. */
  readonly outputKey: boolean;
  /** Whether it has a `merge` of its own. */
  readonly merges: boolean;
  /** Which field of its input it gets. */
  readonly inputKey: string | undefined;
  /** Which state handlers stand around it: none, one on values, or one on streams. */
  readonly before: HandlerKind;
  readonly after: HandlerKind;
  /** Whether it asks somebody before it gives something. */
  readonly asks: boolean;
  readonly inner: GraphSpec | undefined;
}

/** How much a branch reads of what it decides on. All but the first are stream branches. */
export type Reading = "value" | "whole stream" | "first chunk" | "nothing";

export interface Decision {
  readonly reads: Reading;
  /** Whether it may choose several targets, or none. */
  readonly several: boolean;
  /** Whether it answers with a promise. */
  readonly later: boolean;
  /** Whether it fails, or chooses something that it does not declare. */
  readonly goes: "right" | "astray" | "wrong";
  readonly seed: number;
}

export interface BranchSpec extends Decision {
  readonly from: string;
  readonly targets: readonly string[];
}

export interface GraphSpec {
  readonly trigger: Trigger;
  readonly maxSteps: number | undefined;
  readonly nodes: readonly NodeSpec[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly branches: readonly BranchSpec[];
}

export interface GraphShape {
  readonly trigger: Trigger;
  /** More of one make it more frequent. @default all kinds but "graph" */
  readonly kinds?: readonly Kind[];
  /** @default ["never"] */
  readonly failures?: readonly Failure[];
  /** @default ["right"] */
  readonly branchesGo?: readonly Decision["goes"][];
  /** @default [0, 1, 2, 3] */
  readonly ticks?: readonly number[];
  /** @default 7 */
  readonly maxNodes?: number;
  /** How deep graphs stand in graphs. @default 1 */
  readonly depth?: number;
  /** State handlers, input keys and questions. @default none of them */
  readonly extras?: boolean;
}

/** A connected graph: every node can be reached, and END. With `anyPredecessor` it may have loops. */
export function randomGraph(shape: GraphShape): fc.Arbitrary<GraphSpec> {
  return rawGraph(shape, innerGraphs(shape, shape.depth ?? 1))
    .map((raw) => build(raw, "n"))
    .filter((spec) => !mayJoinUnevenly(spec));
}

/** Whether `compile()` may refuse it: parts under several output keys reach a node in different steps. */
function mayJoinUnevenly({ trigger, nodes, edges, branches }: GraphSpec): boolean {
  if (nodes.some(({ inner }) => inner !== undefined && mayJoinUnevenly(inner))) return true;
  if (trigger !== "anyPredecessor" || branches.length > 0) return false;
  const steps = new Map([["start", 0]]);
  for (const _ of nodes) {
    for (const { from, to } of edges) {
      const step = (steps.get(from) ?? Number.POSITIVE_INFINITY) + 1;
      if (step < (steps.get(to) ?? Number.POSITIVE_INFINITY)) steps.set(to, step);
    }
  }
  const keyed = new Set(nodes.filter(({ outputKey }) => outputKey).map(({ key }) => key));
  return [...nodes.map(({ key }) => key), "end"].some((target) => {
    const sources = edges.filter(({ from, to }) => to === target && keyed.has(from));
    return new Set(sources.map(({ from }) => steps.get(from))).size > 1;
  });
}

function innerGraphs(shape: GraphShape, depth: number): fc.Arbitrary<RawGraph | undefined> {
  if (depth === 0) return fc.constant(undefined);
  const inner = (trigger: Trigger) => rawGraph({ ...shape, trigger, maxNodes: 3 }, innerGraphs(shape, depth - 1));
  return fc.oneof(inner("anyPredecessor"), inner("allPredecessor"));
}

const allKinds: readonly Kind[] = [
  "sync",
  "async",
  "generator",
  "async stream",
  "invoke",
  "stream",
  "collect",
  "map",
  "transform",
  "passthrough",
];

/** Kinds that can do with a text instead of a record. */
const takesText: ReadonlySet<Kind> = new Set([
  "sync",
  "async",
  "generator",
  "async stream",
  "invoke",
  "stream",
  "collect",
]);

/** Where an input of a node comes from: 0 is the node before it. */
interface Link {
  readonly from: number;
  readonly via: "edge" | "branch 0" | "branch 1";
}

interface RawGraph {
  readonly trigger: Trigger;
  readonly maxSteps: number | undefined;
  readonly nodes: readonly RawNode[];
  readonly end: readonly Link[];
  readonly back: readonly (Link & { readonly to: number })[];
  readonly decisions: readonly Decision[];
}

interface RawNode extends Omit<NodeSpec, "key" | "inner" | "inputKey"> {
  readonly links: readonly Link[];
  readonly picks: boolean;
  readonly inner: RawGraph | undefined;
}

function rawGraph(shape: GraphShape, inner: fc.Arbitrary<RawGraph | undefined>): fc.Arbitrary<RawGraph> {
  const {
    trigger,
    kinds = allKinds,
    failures = ["never"],
    branchesGo = ["right"],
    ticks = [0, 1, 2, 3],
    maxNodes = 7,
    extras = false,
  } = shape;
  const handler: fc.Arbitrary<HandlerKind> = extras
    ? fc.constantFrom<HandlerKind[]>("none", "none", "none", "none", "none", "none", "value", "stream")
    : fc.constant("none");
  const seldom = extras ? rarely : fc.constant(false);
  const link = fc.record({
    from: fc.oneof(fc.constant(0), fc.nat(8)),
    via: fc.constantFrom<Link["via"][]>("edge", "edge", "branch 0", "branch 1"),
  });
  const links = fc.oneof(
    fc.array(link, { minLength: 1, maxLength: 1 }),
    fc.array(link, { minLength: 1, maxLength: 3 }),
  );
  const node = fc.record({
    kind: fc.constantFrom(...kinds),
    ticks: fc.constantFrom(...ticks),
    pieces: fc.integer({ min: 1, max: 3 }),
    failure: fc.constantFrom(...failures),
    listens: fc.boolean(),
    outputKey: fc.boolean(),
    merges: rarely,
    before: handler,
    after: handler,
    asks: seldom,
    picks: seldom,
    links,
    inner,
  });
  const decision = fc.record({
    reads: fc.constantFrom<Reading[]>("value", "value", "whole stream", "first chunk", "nothing"),
    several: fc.boolean(),
    later: fc.boolean(),
    goes: fc.constantFrom(...branchesGo),
    seed: fc.nat(1_000),
  });
  return fc.record({
    trigger: fc.constant(trigger),
    maxSteps:
      trigger === "allPredecessor"
        ? fc.constant(undefined)
        : fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    nodes: fc.array(node, { minLength: 1, maxLength: maxNodes }),
    end: links,
    back:
      trigger === "allPredecessor"
        ? fc.constant([])
        : fc.array(fc.record({ from: fc.nat(8), to: fc.nat(8), via: link.map(({ via }) => via) }), { maxLength: 3 }),
    decisions: fc.array(decision, { minLength: 1, maxLength: 6 }),
  });
}

const rarely = fc.nat(7).map((number) => number === 7);

/** Node 0 is START, 1 to n are the nodes, n + 1 is END. */
function build({ trigger, maxSteps, nodes, end, back, decisions }: RawGraph, prefix: string): GraphSpec {
  const last = nodes.length + 1;
  const keyOf = (index: number): string => (index === 0 ? "start" : index === last ? "end" : `${prefix}${index}`);
  const groups = new Map<string, { from: number; via: Link["via"]; targets: Set<number> }>();
  const connect = (from: number, to: number, via: Link["via"]): void => {
    const name = `${from} ${via}`;
    const group = groups.get(name) ?? { from, via, targets: new Set() };
    groups.set(name, group);
    group.targets.add(to);
  };
  nodes.forEach(({ links }, n) => {
    for (const { from, via } of links) connect(n - (from % (n + 1)), n + 1, via);
  });
  for (const { from, via } of end) connect(last - 1 - (from % last), last, via);
  for (const { from, to, via } of back) connect(from % last, 1 + (to % last), via);
  const all = [...groups.values()];
  return {
    trigger,
    maxSteps,
    nodes: nodes.map(({ links: [link], inner, picks, ...node }, n) => ({
      ...node,
      key: keyOf(n + 1),
      inputKey: picks && takesText.has(node.kind) ? keyOf(n - ((link?.from ?? 0) % (n + 1))) : undefined,
      kind: node.kind === "graph" && inner === undefined ? "sync" : node.kind,
      inner: node.kind === "graph" && inner !== undefined ? build(inner, `${keyOf(n + 1)}_`) : undefined,
    })),
    edges: all
      .filter(({ via }) => via === "edge")
      .flatMap(({ from, targets }) => [...targets].map((to) => ({ from: keyOf(from), to: keyOf(to) }))),
    branches: all
      .filter(({ via }) => via !== "edge")
      .map(({ from, via, targets }) => ({
        ...(decisions[(2 * from + (via === "branch 0" ? 0 : 1)) % decisions.length] as Decision),
        from: keyOf(from),
        targets: [...targets].map(keyOf),
      })),
  };
}
