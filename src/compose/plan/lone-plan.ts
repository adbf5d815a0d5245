import { defaultRuntime } from "../default-runtime.js";
import type { NodeDefinition } from "./node-definition.js";
import { END, type Plan, type PlanNode, START } from "./plan.js";

/** A node without a key, with its name for handlers. */
export interface LoneDefinition extends NodeDefinition {
  readonly name?: string | undefined;
}

/** A plan of a single node, without an enclosing graph in traces and addresses. */
export function lonePlan({ name = "", component, type, body, concat }: LoneDefinition): Plan {
  const node: PlanNode = { key: name, name, component, type, body, settings: { concat }, input: undefined };
  return Object.freeze({
    name,
    component: "graph",
    meta: undefined,
    streamed: undefined,
    bare: true,
    triggerMode: "anyPredecessor",
    maxSteps: 1,
    nodes: [edgeNode(START), edgeNode(END), node],
    edges: [
      { from: 0, to: 2, on: "value", data: true, control: true },
      { from: 2, to: 1, on: "value", data: true, control: true },
    ],
    branches: [],
    state: undefined,
    callbacks: [],
    runtime: defaultRuntime,
    store: undefined,
    durability: undefined,
    keepCheckpoint: false,
    history: undefined,
    interruptBefore: undefined,
    interruptAfter: undefined,
    checkInput: undefined,
    checkOutput: undefined,
  } satisfies Plan);
}

function edgeNode(key: string): PlanNode {
  return {
    key,
    name: key,
    component: "passthrough",
    type: "",
    body: { kind: "passthrough" },
    settings: {},
    input: undefined,
  };
}
