import { choiceOf, digest, type GraphSpec, keyOf, START_NODE } from "./graph-spec.js";

type Values = Readonly<Record<string, string>>;

/** One run of one node. */
export interface Task {
  readonly node: number;
  readonly input: Values;
}

export interface Expected {
  readonly outcome: { readonly result: Values } | { readonly code: string };
  /** In the order in which they must run; for graphs of dependencies in any order. */
  readonly tasks: readonly Task[];
}

/** Who gets the output of a node: behind plain edges and chosen by branches, each once, in order of declaration. */
function targetsOf(spec: GraphSpec, node: number, output: Values): number[] {
  const targets = new Set(spec.edges.filter(([from]) => from === node).map(([, to]) => to));
  const [first = ""] = Object.values(output)[0] ?? "";
  for (const branch of spec.branches) {
    if (branch.from === node) for (const target of choiceOf(branch, first)) targets.add(target);
  }
  return [...targets].sort((a, b) => a - b);
}

/** What an `anyPredecessor` graph does: all nodes that got something run together, and what they give makes the next step. */
export function runSteps(spec: GraphSpec, input: Values, maxSteps: number): Expected {
  const end = spec.kinds.length;
  const tasks: Task[] = [];
  let outputs = new Map<number, Values>([[START_NODE, input]]);
  for (let step = 0; ; step++) {
    const inputs = new Map<number, Values>();
    for (const [node, output] of outputs) {
      for (const target of targetsOf(spec, node, output)) inputs.set(target, { ...inputs.get(target), ...output });
    }
    const result = inputs.get(end);
    if (result !== undefined) return { outcome: { result }, tasks };
    if (inputs.size === 0) return { outcome: { code: "NO_NEXT_NODE" }, tasks };
    if (step === maxSteps) return { outcome: { code: "MAX_STEPS_EXCEEDED" }, tasks };
    outputs = new Map();
    for (const node of [...inputs.keys()].sort((a, b) => a - b)) {
      const own = inputs.get(node) ?? {};
      tasks.push({ node, input: own });
      outputs.set(node, { [keyOf(node, spec)]: digest(node, own) });
    }
  }
}

/** What an `allPredecessor` graph does: worked out node by node in order of declaration, which is one of dependency. */
export function runDependencies(spec: GraphSpec, input: Values): Expected {
  const end = spec.kinds.length;
  const tasks: Task[] = [];
  const given = new Map<number, { readonly from: number; readonly output: Values }[]>();
  const give = (from: number, output: Values): void => {
    for (const target of targetsOf(spec, from, output)) {
      const before = given.get(target);
      if (before === undefined) given.set(target, [{ from, output }]);
      else before.push({ from, output });
    }
  };
  give(START_NODE, input);
  for (let node = 0; node <= end; node++) {
    const parts = given.get(node);
    if (parts === undefined) continue;
    const own: Values = Object.assign({}, ...parts.map(({ output }) => output));
    if (node === end) return { outcome: { result: own }, tasks };
    tasks.push({ node, input: own });
    give(node, { [keyOf(node, spec)]: digest(node, own) });
  }
  return { outcome: { code: "NO_NEXT_NODE" }, tasks };
}
