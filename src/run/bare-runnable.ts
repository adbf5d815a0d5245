import { defaultRuntime } from "../compose/default-runtime.js";
import type { RunOptions } from "../compose/options.js";
import { type HasNodeDefinition, type NodeDefinition, nodeDefinition } from "../compose/plan/node-definition.js";
import { END, type Plan, type PlanNode, START } from "../compose/plan/plan.js";
import type { Runnable } from "../compose/runnable.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { Program } from "./program.js";
import { runForStream, runForValue, runNested } from "./start.js";

/** One node that runs by itself, in all four modes: what `lambda`, `mapChunks`, `passthrough` and a tools node are. */
export class BareRunnable<in I, out O> implements Runnable<I, O>, HasNodeDefinition {
  readonly [nodeDefinition]: NodeDefinition;
  readonly #program: Program;

  constructor(definition: NodeDefinition & { readonly name?: string | undefined }) {
    this[nodeDefinition] = definition;
    this.#program = new Program(planOf(definition), runNested);
  }

  invoke(input: I, options?: RunOptions): Promise<O> {
    return runForValue(this.#program, "invoke", input, options) as Promise<O>;
  }

  stream(input: I, options?: RunOptions): StreamReader<O> {
    return runForStream(this.#program, "stream", input, options) as StreamReader<O>;
  }

  collect(input: StreamSource<I>, options?: RunOptions): Promise<O> {
    return runForValue(this.#program, "collect", input, options) as Promise<O>;
  }

  transform(input: StreamSource<I>, options?: RunOptions): StreamReader<O> {
    return runForStream(this.#program, "transform", input, options) as StreamReader<O>;
  }
}

/** The four modes of a lone node. */
export function bareRunnable<I, O>(
  definition: NodeDefinition & { readonly name?: string | undefined },
): Runnable<I, O> & HasNodeDefinition {
  return new BareRunnable<I, O>(definition);
}

function planOf({
  name = "",
  component,
  type,
  body,
  concat,
}: NodeDefinition & { readonly name?: string | undefined }): Plan {
  const node: PlanNode = { key: name, name, component, type, body, settings: { concat } };
  return Object.freeze({
    name,
    component: "graph",
    bare: true,
    triggerMode: "anyPredecessor",
    maxSteps: 1,
    nodes: [edgeNode(START), edgeNode(END), node],
    edges: [
      { from: 0, to: 2 },
      { from: 2, to: 1 },
    ],
    branches: [],
    state: undefined,
    callbacks: [],
    runtime: defaultRuntime,
    store: undefined,
    durability: "exit",
    keepCheckpoint: false,
    interruptBefore: undefined,
    interruptAfter: undefined,
    checkInput: undefined,
    checkOutput: undefined,
  } satisfies Plan);
}

function edgeNode(key: string): PlanNode {
  return { key, name: key, component: "passthrough", type: "", body: { kind: "passthrough" }, settings: {} };
}
