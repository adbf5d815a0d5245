import { type CompileOptions, END, Graph, lambda, type NodeContext, type Runnable, START, StreamReader } from "kumiko";
import { plain } from "../compose/thrown-by.js";
import { type BranchSpec, choiceOf, digest, type GraphSpec, keyOf, type NodeKind } from "./graph-spec.js";
import type { Task } from "./oracle.js";

type Values = Readonly<Record<string, string>>;

/** What a node does besides what its kind says. */
export interface Hooks {
  /** Called when a node has its whole input; may throw, or give a promise to wait for. */
  readonly onTask?: ((task: Task, ctx: NodeContext) => unknown) | undefined;
  /** Called when a stream of a node is begun, and when it is over. */
  readonly onStream?: ((node: number, change: 1 | -1) => void) | undefined;
}

/** The graph that a spec describes. Every node gives its digest under its key. */
export function graphOf(spec: GraphSpec, options: CompileOptions, hooks: Hooks = {}): Runnable<Values, Values> {
  const graph = new Graph<Values, Values>().untyped();
  spec.kinds.forEach((kind, node) => {
    graph.addNode(keyOf(node, spec), plain(nodeOf(kind, node, hooks)), { outputKey: keyOf(node, spec) });
  });
  for (const [from, to] of spec.edges) graph.addEdge(keyOf(from, spec), keyOf(to, spec));
  for (const branch of spec.branches) {
    const targets = branch.targets.map((target) => keyOf(target, spec));
    const method = branch.stream ? "addStreamBranch" : "addBranch";
    graph[method](keyOf(branch.from, spec), targets, plain(chooser(branch, spec)));
  }
  // joins of these graphs may be uneven: compile() leaves them alone where there is a branch
  if (spec.branches.length === 0 && options.triggerMode !== "allPredecessor") graph.addBranch(START, [END], () => []);
  return graph.compile(options);
}

function chooser(branch: BranchSpec, spec: GraphSpec): unknown {
  const answer = (value: Values): unknown => {
    const [first = ""] = Object.values(value)[0] ?? "";
    const keys = choiceOf(branch, first).map((target) => keyOf(target, spec));
    return branch.multi ? keys : keys[0];
  };
  if (branch.stream) {
    return async (stream: StreamReader<Values>) => {
      for await (const chunk of stream) return answer(chunk);
      throw new Error("The stream of a branch is empty.");
    };
  }
  return branch.async ? async (value: Values) => answer(value) : answer;
}

function nodeOf(kind: NodeKind, node: number, hooks: Hooks): unknown {
  const work = (input: Values, ctx: NodeContext): unknown => hooks.onTask?.({ node, input }, ctx);
  const whole = async (input: Values, ctx: NodeContext): Promise<string> => {
    await work(input, ctx);
    return digest(node, input);
  };
  switch (kind) {
    case "sync":
      return (input: Values, ctx: NodeContext) => {
        const waits = work(input, ctx);
        return waits instanceof Promise ? waits.then(() => digest(node, input)) : digest(node, input);
      };
    case "async":
      return whole;
    case "slow":
      return async (input: Values, ctx: NodeContext) => {
        const output = await whole(input, ctx);
        await new Promise((resolve) => setImmediate(resolve));
        return output;
      };
    case "streams":
      return async (input: Values, ctx: NodeContext) => letters(await whole(input, ctx), node, hooks);
    case "collects":
      return lambda({ collect: async (input: StreamReader<Values>, ctx) => whole(await joined(input), ctx) });
    case "transforms":
      return lambda({
        transform: (input: StreamReader<Values>, ctx) =>
          letters(async () => whole(await joined(input), ctx), node, hooks),
      });
    default:
      return kind satisfies never;
  }
}

/** A text letter by letter. */
async function* letters(
  text: string | (() => Promise<string>),
  node: number,
  { onStream }: Hooks,
): AsyncGenerator<string, void> {
  onStream?.(node, 1);
  try {
    for (const letter of typeof text === "string" ? text : await text()) {
      yield letter;
      if (letter > "m") await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    onStream?.(node, -1);
  }
}

/** Chunks of records of texts, joined by hand. */
async function joined(stream: AsyncIterable<Values>): Promise<Values> {
  const values: Record<string, string> = {};
  for await (const chunk of StreamReader.from(stream)) {
    for (const [key, text] of Object.entries(chunk)) values[key] = (values[key] ?? "") + text;
  }
  return values;
}
