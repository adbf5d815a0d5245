import type { CompileOptions } from "../compile-options.js";
import { defaultRuntime } from "../default-runtime.js";
import { cacheWithoutStore, containsItself, insideNode } from "../errors.js";
import type { Runtime } from "../runtime.js";
import { resolveCompileOptions, resolveNodeDefaults, resolveStops } from "./compile-settings.js";
import type { Draft, DraftNode } from "./draft.js";
import { hasNodeDefinition, nodeDefinition } from "./node-definition.js";
import { checkNodeOptions } from "./node-settings.js";
import {
  END,
  END_INDEX,
  type NodeBody,
  type NodeSettings,
  type Plan,
  type PlanBranch,
  type PlanEdge,
  type PlanInput,
  type PlanNode,
  START,
  type ValueCheck,
} from "./plan.js";
import { type GivenPolicies, resolvePolicies } from "./policy-settings.js";
import { validate } from "./validate.js";

/** The parts of a plan beside its draft. */
export interface PlanParts {
  readonly options?: CompileOptions<string> | undefined;
  /** Edges that the builder adds at the end, such as those from the last steps of a chain to END. */
  readonly closing?: readonly PlanEdge[] | undefined;
  /** Branches of a builder whose targets may be added later. */
  readonly branches?: readonly PlanBranch[] | undefined;
  /** How the nodes of a workflow, and END, get their inputs, by index. */
  readonly inputs?: ReadonlyMap<number, PlanInput> | undefined;
  readonly checkInput?: ValueCheck | undefined;
  readonly checkOutput?: ValueCheck | undefined;
}

/** Makes a frozen snapshot of a draft, checked as a whole. The draft can be extended and planned again. */
export function makePlan(draft: Draft, parts: PlanParts): Plan {
  if (draft.planning) throw containsItself();
  draft.planning = true;
  try {
    return planOf(draft, parts);
  } finally {
    draft.planning = false;
  }
}

function planOf(draft: Draft, parts: PlanParts): Plan {
  const { options = {}, closing = [], branches = [], inputs, checkInput, checkOutput } = parts;
  const settings = resolveCompileOptions(draft.component, draft.nodes.length, options);
  const nodes = inputs === undefined ? [...ends] : [ends[0], { ...ends[1], input: inputs.get(END_INDEX) }];
  const defaults = resolveNodeDefaults(options.nodeDefaults);
  for (const node of draft.nodes) {
    nodes.push(makeNode(node, { runtime: settings.runtime, defaults, input: inputs?.get(nodes.length) }));
  }
  const plan = shapePlan({
    ...settings,
    component: draft.component,
    meta: undefined,
    streamed: undefined,
    bare: false,
    nodes,
    edges: [...draft.edges, ...closing],
    branches: [...draft.branches, ...branches],
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

/** Copies a plan field by field, so that all plans have the same hidden class, which makes reading them faster. */
function shapePlan(plan: Plan): Plan {
  return {
    name: plan.name,
    component: plan.component,
    meta: plan.meta,
    streamed: plan.streamed,
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
    history: plan.history,
    interruptBefore: plan.interruptBefore,
    interruptAfter: plan.interruptAfter,
    checkInput: plan.checkInput,
    checkOutput: plan.checkOutput,
  };
}

/** The plan of a graph that is an agent. */
export function planOfAgent(plan: Plan, own: Pick<Plan, "meta" | "streamed">): Plan {
  return Object.freeze(shapePlan({ ...plan, ...own, component: "agent" }));
}

const endOf = (key: string): PlanNode => {
  const body = { kind: "passthrough" } as const;
  return { key, name: key, component: "passthrough", type: "", body, settings: {}, input: undefined };
};

const ends: readonly [PlanNode, PlanNode] = [endOf(START), endOf(END)];

/** The settings that a node gets from its graph. */
interface NodeSurroundings {
  readonly runtime: Runtime;
  readonly defaults: GivenPolicies;
  readonly input: PlanInput | undefined;
}

function makeNode({ key, node, settings }: DraftNode, { runtime, defaults, input }: NodeSurroundings): PlanNode {
  const { component, type, body, takes, concat, describe } = hasNodeDefinition(node) ? readDefinition(key, node) : node;
  checkNodeOptions(key, body, settings);
  return Object.freeze({
    key,
    name: settings.name ?? key,
    component,
    type,
    body: withRuntimeInside(body, runtime),
    takes,
    settings: withConcat(settings, concat),
    policies: policiesOf(key, component, settings, runtime, defaults),
    input,
    describe,
  });
}

const withInner: readonly PlanNode["component"][] = ["tools_node", "graph", "chain", "workflow", "agent"];

/** Tools nodes and graphs may have side effects, so they are retried only by their own option, not by a default. */
function policiesOf(
  key: string,
  component: PlanNode["component"],
  settings: NodeSettings,
  runtime: Runtime,
  defaults: GivenPolicies,
): PlanNode["policies"] {
  if (component === "passthrough") return undefined;
  const isSafe = !withInner.includes(component);
  const own = isSafe ? defaults : { ...defaults, retry: undefined };
  return resolvePolicies(settings, own, runtime.cache, () => cacheWithoutStore(key));
}

/** Reads the definition of a node. For an inner builder this makes its plan, which may throw. */
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

/** An inner graph without a runtime of its own uses that of its parent. */
function withRuntime(plan: Plan, runtime: Runtime): Plan {
  if (runtime === defaultRuntime || plan.runtime !== defaultRuntime) return plan;
  const nodes = plan.nodes.map((node) =>
    "plan" in node.body ? Object.freeze({ ...node, body: withRuntimeInside(node.body, runtime) }) : node,
  );
  return Object.freeze(shapePlan({ ...plan, runtime, nodes: Object.freeze(nodes) }));
}

function withRuntimeInside(body: NodeBody, runtime: Runtime): NodeBody {
  return "plan" in body ? { ...body, plan: withRuntime(body.plan, runtime) } : body;
}
