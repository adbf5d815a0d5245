import fc from "fast-check";

/** What one call of a node's function does. */
export interface Behaviour {
  /** How long it takes to its first sign of life (a heartbeat, or a chunk), to the next, and so on: multiples of 10. */
  readonly waits: readonly number[];
  /** It throws after so many of them; with 0 before it has given anything. */
  readonly fails: { readonly after: number; readonly isLasting: boolean } | undefined;
}

export const calm: Behaviour = { waits: [0], fails: undefined };

/** How often it may be tried; `whileBelow` is a `retryOn` that looks at the number of the attempt only. */
export interface RetrySpec {
  readonly attempts: number;
  readonly delayMs: number;
  readonly whileBelow: number | undefined;
  readonly buffer: boolean;
}

export type CacheSpec = "by input" | "by a constant" | "never" | "in a store that fails";

export interface PoliciesSpec {
  /** `false` turns the default off. */
  readonly retry: RetrySpec | false | undefined;
  readonly timeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly cache: CacheSpec | undefined;
  readonly fallback: "gives" | "throws" | undefined;
}

export interface NodeSpec {
  readonly key: string;
  /** What it gives and takes: a value, chunks, chunks made of chunks; a graph has its own nodes. */
  readonly kind: "value" | "stream" | "transform" | "graph";
  /** What its calls do, one after the other; all further ones are calm. */
  readonly calls: readonly Behaviour[];
  readonly heeds: "its signal" | "nothing";
  readonly policies: PoliciesSpec;
  /** Whether an error branch stands behind it, and chooses its rescuer or nothing. */
  readonly onFailure: "fails" | "is rescued" | "is refused";
  readonly inner: GraphSpec | undefined;
}

/** A line; a node, two beside each other and one that joins them; or a node that is run several times, and a line. */
export interface GraphSpec {
  readonly shape: "line" | "fan" | "loop";
  readonly trigger: "anyPredecessor" | "allPredecessor";
  readonly turns: number;
  readonly nodes: readonly NodeSpec[];
}

export interface RunSpec {
  readonly graph: GraphSpec;
  readonly defaults: { readonly retry: RetrySpec | undefined; readonly timeoutMs: number | undefined } | undefined;
  readonly maxConcurrency: number | undefined;
}

const wait = fc.constantFrom(0, 0, 10, 20, 30);

const behaviour: fc.Arbitrary<Behaviour> = fc
  .record({
    waits: fc.array(wait, { minLength: 1, maxLength: 3 }),
    fails: fc.option(fc.record({ after: fc.nat(3), isLasting: fc.constantFrom(false, false, false, true) }), {
      nil: undefined,
    }),
  })
  .map(({ waits, fails }) => ({ waits, fails: fails && { ...fails, after: Math.min(fails.after, waits.length) } }));

const failing = behaviour.map((one) => ({ ...one, fails: one.fails ?? { after: 0, isLasting: false } }));

/** Fails the first times, and whatever comes then. */
const calls = fc
  .tuple(fc.array(failing, { maxLength: 3 }), fc.array(behaviour, { maxLength: 2 }))
  .map(([first, then]) => [...first, ...then]);

const often = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 1 });

const retry: fc.Arbitrary<RetrySpec> = fc.record({
  attempts: fc.integer({ min: 1, max: 4 }),
  delayMs: fc.constantFrom(0, 10, 20),
  whileBelow: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 1 }),
  buffer: fc.boolean(),
});

const policies: fc.Arbitrary<PoliciesSpec> = fc.record({
  retry: fc.oneof(fc.constant(undefined), retry, retry, fc.constant(false as const)),
  // no sum of waits ends at the same time
  timeoutMs: often(fc.constantFrom(5, 25, 45)),
  idleTimeoutMs: often(fc.constantFrom(15, 25)),
  cache: often(fc.constantFrom("by input", "by a constant", "never", "in a store that fails")),
  fallback: fc.constantFrom(undefined, undefined, "gives", "throws"),
});

const leaf = (...kinds: readonly NodeSpec["kind"][]): fc.Arbitrary<NodeSpec> =>
  fc.record({
    key: fc.constant(""),
    kind: fc.constantFrom(...kinds),
    calls,
    heeds: fc.constantFrom("its signal", "nothing"),
    policies,
    onFailure: fc.constantFrom("fails", "fails", "is rescued", "is refused"),
    inner: fc.constant(undefined),
  });

const keyed = (nodes: readonly NodeSpec[]): NodeSpec[] =>
  nodes.map((node, n) => ({ ...node, key: String.fromCharCode(97 + n) }));

const line = (...kinds: readonly NodeSpec["kind"][]): fc.Arbitrary<GraphSpec> =>
  fc.record({
    shape: fc.constant("line" as const),
    trigger: fc.constantFrom("anyPredecessor", "allPredecessor"),
    turns: fc.constant(1),
    nodes: fc.array(leaf(...kinds), { minLength: 1, maxLength: 3 }).map(keyed),
  });

/** What an error branch adds to a fan would run the join twice in steps. */
const fan = (members: fc.Arbitrary<readonly [NodeSpec, NodeSpec]>, head: fc.Arbitrary<NodeSpec>) =>
  fc
    .record({ trigger: fc.constantFrom("anyPredecessor", "allPredecessor"), head, members, join: leaf("value") })
    .map(({ trigger, head, members, join }) => {
      const inSteps = trigger === "anyPredecessor";
      const sides = members.map((side) => (inSteps ? { ...side, onFailure: "fails" as const } : side));
      return { shape: "fan" as const, trigger, turns: 1, nodes: keyed([head, ...sides, join]) };
    });

/** A line, or a fan of which only one side can fail: a retry then does not depend on when the other is stopped. */
const inner: fc.Arbitrary<GraphSpec> = fc.oneof(
  line("value", "stream"),
  fan(
    fc.tuple(leaf("value", "stream"), leaf("value", "stream")).map(([one, other]) => [
      one,
      {
        ...other,
        calls: [],
        policies: { ...other.policies, timeoutMs: undefined, idleTimeoutMs: undefined, cache: undefined },
      },
    ]),
    leaf("value"),
  ),
);

/** How long a graph takes is sure only of a line of values. */
const nested: fc.Arbitrary<NodeSpec> = fc.tuple(leaf("graph"), inner).map(([node, graph]) => {
  const isTimed = graph.shape === "line" && graph.nodes.every(({ kind }) => kind === "value");
  const timeoutMs = isTimed ? node.policies.timeoutMs : undefined;
  return { ...node, calls: [], inner: graph, policies: { ...node.policies, timeoutMs, idleTimeoutMs: undefined } };
});

const any = fc.oneof(leaf("value", "stream"), leaf("value", "stream"), nested);

/**
 * A node that reads chunks and fails by itself may do so before the one it reads from has failed: here only one that reads from
 * a value does.
 */
const steady = (nodes: readonly NodeSpec[]): NodeSpec[] =>
  nodes.map((node, n) => {
    const before = nodes[n - 1];
    if (node.kind !== "transform" || before === undefined || before.kind === "value") return node;
    return { ...node, calls: [] };
  });

const outer: fc.Arbitrary<GraphSpec> = fc.oneof(
  fc.record({
    shape: fc.constant("line" as const),
    trigger: fc.constantFrom("anyPredecessor", "allPredecessor"),
    turns: fc.constant(1),
    nodes: fc
      .array(fc.oneof(any, leaf("value", "stream", "transform")), { minLength: 1, maxLength: 4 })
      .map((nodes) => steady(keyed(nodes))),
  }),
  fan(fc.tuple(any, any), any),
  fc.record({
    shape: fc.constant("loop" as const),
    trigger: fc.constant("anyPredecessor" as const),
    turns: fc.integer({ min: 1, max: 3 }),
    nodes: fc.array(any, { minLength: 1, maxLength: 2 }).map(keyed),
  }),
);

/** Nodes that give chunks slowly, read by nodes that take chunks and have little time. */
const piped: fc.Arbitrary<GraphSpec> = fc
  .tuple(fc.constantFrom("anyPredecessor", "allPredecessor"), leaf("stream"), leaf("transform"), leaf("transform"))
  .map(([trigger, source, ...rest]) => {
    const slow = source.calls.map((call) => ({ ...call, fails: undefined }));
    const nodes = steady(keyed([{ ...source, calls: slow, onFailure: "fails" }, ...rest]));
    return { shape: "line", trigger, turns: 1, nodes };
  });

/** Any small graph, with any policies around any of its nodes. */
export const runSpec: fc.Arbitrary<RunSpec> = fc.record({
  graph: fc.oneof({ weight: 5, arbitrary: outer }, { weight: 1, arbitrary: piped }),
  defaults: fc.option(
    fc.record({ retry: fc.option(retry, { nil: undefined }), timeoutMs: fc.constantFrom(undefined, 25, 45) }),
    { nil: undefined, freq: 1 },
  ),
  maxConcurrency: fc.constantFrom(undefined, undefined, 1, 2),
});
