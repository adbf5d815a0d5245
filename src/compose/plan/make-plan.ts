import type { CompileOptions } from "../compile-options.js";
import { defaultRuntime } from "../default-runtime.js";
import { containsItself, insideNode } from "../errors.js";
import type { Runtime } from "../runtime.js";
import { resolveCompileOptions, resolveStops } from "./compile-settings.js";
import type { Draft, DraftNode } from "./draft.js";
import { hasNodeDefinition, nodeDefinition } from "./node-definition.js";
import { checkNodeOptions } from "./node-settings.js";
import { END, type NodeSettings, type Plan, type PlanEdge, type PlanNode, START, type ValueCheck } from "./plan.js";
import { validate } from "./validate.js";

/** What a plan gets besides its draft. */
export interface PlanParts {
  readonly options?: CompileOptions<string> | undefined;
  /** Edges that the builder adds at the end, such as those from the last steps of a chain to END. */
  readonly closing?: readonly PlanEdge[] | undefined;
  readonly checkInput?: ValueCheck | undefined;
  readonly checkOutput?: ValueCheck | undefined;
}

/** A frozen snapshot of a draft, checked as a whole. The draft can go on, and be made a plan again. */
export function makePlan(draft: Draft, parts: PlanParts): Plan {
  if (draft.planning) throw containsItself();
  draft.planning = true;
  try {
    return planOf(draft, parts);
  } finally {
    draft.planning = false;
  }
}

function planOf(draft: Draft, { options = {}, closing = [], checkInput, checkOutput }: PlanParts): Plan {
  const settings = resolveCompileOptions(draft.component, draft.nodes.length, options);
  const nodes = [...ends];
  for (const node of draft.nodes) nodes.push(makeNode(node, settings.runtime));
  const plan = shapePlan({
    ...settings,
    component: draft.component,
    bare: false,
    nodes,
    edges: [...draft.edges, ...closing],
    branches: [...draft.branches],
    state: draft.state,
    interruptBefore: resolveStops("interruptBefore", options.interruptBefore, (key) => draft.indexOf(key)),
    interruptAfter: resolveStops("interruptAfter", options.interruptAfter, (key) => draft.indexOf(key)),
    checkInput,
    checkOutput,
  });
  validate(plan);
  Object.freeze(plan.nodes);
  Object.freeze(plan.edges);
  Object.freeze(plan.branches);
  return Object.freeze(plan);
}

/** The same plan, all of whose fields were written out here: engines read what runs ask of plans faster when all have one shape. */
function shapePlan(plan: Plan): Plan {
  return {
    name: plan.name,
    component: plan.component,
    bare: plan.bare,
    triggerMode: plan.triggerMode,
    maxSteps: plan.maxSteps,
    nodes: plan.nodes,
    edges: plan.edges,
    branches: plan.branches,
    state: plan.state,
    callbacks: plan.callbacks,
    runtime: plan.runtime,
    store: plan.store,
    durability: plan.durability,
    keepCheckpoint: plan.keepCheckpoint,
    interruptBefore: plan.interruptBefore,
    interruptAfter: plan.interruptAfter,
    checkInput: plan.checkInput,
    checkOutput: plan.checkOutput,
  };
}

const ends: readonly PlanNode[] = [
  { key: START, name: START, component: "passthrough", type: "", body: { kind: "passthrough" }, settings: {} },
  { key: END, name: END, component: "passthrough", type: "", body: { kind: "passthrough" }, settings: {} },
];

function makeNode({ key, node, settings }: DraftNode, runtime: Runtime): PlanNode {
  const { component, type, body, concat } = hasNodeDefinition(node) ? readDefinition(key, node) : node;
  checkNodeOptions(key, body, settings);
  return Object.freeze({
    key,
    name: settings.name ?? key,
    component,
    type,
    body: body.kind === "graph" ? { kind: body.kind, plan: withRuntime(body.plan, runtime) } : body,
    settings: withConcat(settings, concat),
  });
}

/** Reading it makes the plan of an inner builder, which may find something wrong with it. */
function readDefinition(key: string, node: Extract<DraftNode["node"], { readonly [nodeDefinition]: unknown }>) {
  try {
    return node[nodeDefinition];
  } catch (error) {
    throw insideNode(key, error);
  }
}

function withConcat(settings: NodeSettings, concat: NodeSettings["concat"]): NodeSettings {
  return concat === undefined || settings.concat !== undefined ? settings : Object.freeze({ ...settings, concat });
}

/** An inner graph without a runtime of its own works with that of its parent. */
function withRuntime(plan: Plan, runtime: Runtime): Plan {
  if (runtime === defaultRuntime || plan.runtime !== defaultRuntime) return plan;
  const nodes = plan.nodes.map((node) =>
    node.body.kind === "graph"
      ? Object.freeze({ ...node, body: { kind: node.body.kind, plan: withRuntime(node.body.plan, runtime) } })
      : node,
  );
  return Object.freeze(shapePlan({ ...plan, runtime, nodes: Object.freeze(nodes) }));
}
