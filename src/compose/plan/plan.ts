import type { Handler } from "../../callbacks/handler.js";
import type { ComponentKind, RunMeta } from "../../callbacks/run-info.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { StateKey } from "../../components/state-key.js";
import type { ConcatRule } from "../../schema/concat/rule.js";
import type { Runtime } from "../runtime.js";
import type { GivenPolicies, NodePolicies } from "./policy-settings.js";

/** The entry of every graph. */
export const START = "start";
/** The exit of every graph. */
export const END = "end";
/** Where {@link START} stands in `Plan.nodes`. */
export const START_INDEX = 0;
/** Where {@link END} stands in `Plan.nodes`. */
export const END_INDEX = 1;

/** Where the node stands of a plan that has only one: see `Plan.bare`. */
export const LONE_INDEX = 2;

export type TriggerMode = "anyPredecessor" | "allPredecessor";

/**
 * What a builder produces: frozen, untyped, checked. The executor reads nothing else. Nodes are named by their index in
 * `nodes`, which is their order of declaration, START and END first.
 */
export interface Plan {
  readonly name: string;
  readonly component: "graph" | "chain" | "workflow" | "agent";
  /** What its runs say of themselves, from the call options of their nodes. */
  readonly meta: ((optionsOf: (key: string) => unknown) => RunMeta) | undefined;
  /** A lone node that runs as itself (a lambda's own `invoke`): it has no graph around it in traces and addresses. */
  readonly bare: boolean;
  readonly triggerMode: TriggerMode;
  readonly maxSteps: number;
  readonly nodes: readonly PlanNode[];
  readonly edges: readonly PlanEdge[];
  readonly branches: readonly PlanBranch[];
  readonly state: StateKey<unknown> | undefined;
  readonly callbacks: readonly Handler[];
  readonly runtime: Runtime;
  readonly store: CheckpointStore | undefined;
  readonly durability: "exit" | "step";
  readonly keepCheckpoint: boolean;
  /** How many of the saves of a run are kept, and for how long; `undefined` for none. */
  readonly history: { readonly last: number; readonly maxAgeMs?: number | undefined } | undefined;
  /** Nodes before or after which a run stops; `undefined` when there are none. */
  readonly interruptBefore: ReadonlySet<number> | undefined;
  readonly interruptAfter: ReadonlySet<number> | undefined;
  /** Checks what comes in and goes out, when schemas were given. */
  readonly checkInput: ValueCheck | undefined;
  readonly checkOutput: ValueCheck | undefined;
}

/** Gives the checked (parsed) value, or throws. */
export interface ValueCheck {
  (value: unknown): unknown;
  /** The schema that it checks with. */
  readonly schema?: object;
}

/** In a graph every edge brings the output of a node, and lets its target run; a workflow tells these apart. */
export interface PlanEdge {
  readonly from: number;
  readonly to: number;
  /** What goes along it: the output of the node, or its failure. */
  readonly on: "value" | "failure";
  readonly data: boolean;
  readonly control: boolean;
  /** Of a workflow: what each mapping takes from where to where, `path → field`. */
  readonly labels?: readonly string[] | undefined;
}

/** How a node of a workflow makes its input of what its sources gave. The builder brings the function along. */
export interface PlanInput {
  /** `(run, target, inbox)`: the input, or a promise of it; a reader in runs on streams. */
  readonly assemble: (run: never, target: never, inbox: never) => unknown;
  /** The same of outputs that are looked up by the index of their node. */
  readonly read: (outputs: never) => unknown;
  /** Whether it calls no functions of the user: then a node that is entered again may make its input again. */
  readonly isRepeatable: boolean;
}

export interface PlanBranch {
  readonly from: number;
  readonly targets: readonly number[];
  /** Gets the value, or (`stream`) a reader; gives one key or several, or a promise of them. */
  readonly choose: ((value: never, ctx: never) => unknown) & ChecksRest;
  readonly stream: boolean;
  /** What goes along it: the output of the node, or its failure. Of the latter there is one at most, which chooses one target. */
  readonly on: "value" | "failure";
  /** Of a switch: the cases that lead to each of its targets. */
  readonly labels: readonly string[] | undefined;
}

/**
 * On the function of a stream branch that chooses early: makes what looks at the chunks that go on, and throws for one that
 * voids the choice.
 */
export const checksRest: unique symbol = Symbol("checks the rest of a stream");

export interface ChecksRest {
  readonly [checksRest]?: (() => (chunk: never) => void) | undefined;
}

export interface PlanNode {
  readonly key: string;
  /** The display name: the `name` option, else the key. */
  readonly name: string;
  readonly component: ComponentKind | "passthrough";
  readonly type: string;
  readonly body: NodeBody;
  /** The kind whose call options it takes, where that is not its own. */
  readonly takes?: ComponentKind | undefined;
  readonly settings: NodeSettings;
  /** `undefined` when none are given: then nothing stands around the node. */
  readonly policies?: NodePolicies | undefined;
  /** Of a workflow. */
  readonly input: PlanInput | undefined;
}

/** The options of a node, as given to `addNode`. */
export interface NodeSettings extends GivenPolicies {
  readonly name?: string | undefined;
  readonly inputKey?: string | undefined;
  readonly outputKey?: string | undefined;
  /** Call options, or what works them out for a task. */
  readonly options?: object | OptionsFunction | undefined;
  readonly merge?: ((values: never, sources: never) => unknown) | undefined;
  readonly concat?: ConcatRule | undefined;
  readonly before?: StateHandler | undefined;
  readonly after?: StateHandler | undefined;
  readonly streamBefore?: StateHandler | undefined;
  readonly streamAfter?: StateHandler | undefined;
}

export type OptionsFunction = (input: never, state: never, ctx: never) => unknown;

export type StateHandler = (value: never, state: never, ctx: never) => unknown;

/** A function of a node: `never` in, because each was checked when it was added. */
export type NodeFunction = (input: never, ctx: never) => unknown;

/** What a node does. The executor derives the modes that are missing. */
export type NodeBody =
  /** A plain function: what it returns decides whether it streams. */
  | { readonly kind: "function"; readonly call: NodeFunction }
  /** Chunk by chunk; neighbours are fused. */
  | { readonly kind: "map"; readonly map: NodeFunction }
  /** Any of the four modes, at least one. `payload` is what handlers see instead of the raw values. */
  | ({ readonly kind: "modes"; readonly payload?: Payload | undefined } & NodeModes)
  /** A graph, inlined. */
  | { readonly kind: "graph"; readonly plan: Plan }
  | EachBody
  | { readonly kind: "passthrough" };

/** A node that is run for each item of a list. `plan` has what is done with an item, alone. */
export interface EachBody {
  readonly kind: "each";
  readonly plan: Plan;
  /** The executor's part of it, which is in the bundle of those who use it only: gets the program of `plan`. */
  readonly modes: (items: never) => NodeModes;
}

export interface NodeModes {
  readonly invoke?: NodeFunction | undefined;
  readonly stream?: NodeFunction | undefined;
  readonly collect?: NodeFunction | undefined;
  readonly transform?: NodeFunction | undefined;
}

/** How the raw input and output of a component look to handlers: a model's are `{ messages, options }` and `{ message }`. */
export interface Payload {
  readonly input: (input: unknown, options: unknown) => unknown;
  readonly output: (output: unknown) => unknown;
}
