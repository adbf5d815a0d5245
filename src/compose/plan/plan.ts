import type { ComponentKind } from "../../callbacks/component-kind.js";
import type { GraphNodeInfo } from "../../callbacks/graph-info.js";
import type { Handler } from "../../callbacks/handler.js";
import type { RunMeta } from "../../callbacks/run-info.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { StateKey } from "../../components/state-key.js";
import type { ConcatRule } from "../../schema/concat/rule.js";
import type { Runtime } from "../runtime.js";
import type { GivenPolicies, NodePolicies } from "./policy-settings.js";

/** The entry of every graph. */
export const START = "start";
/** The exit of every graph. */
export const END = "end";
/** The index of {@link START} in `Plan.nodes`. */
export const START_INDEX = 0;
/** The index of {@link END} in `Plan.nodes`. */
export const END_INDEX = 1;

/** The index of the only node of a bare plan: see `Plan.bare`. */
export const LONE_INDEX = 2;

/** When a node runs: after any of its predecessors, or after all of them. */
export type TriggerMode = "anyPredecessor" | "allPredecessor";

/**
 * The result of a builder: frozen, untyped and checked. The executor reads nothing else. Nodes are referred to by their index in
 * `nodes`, which is their order of declaration after START and END.
 */
export interface Plan {
  readonly name: string;
  readonly component: "graph" | "chain" | "workflow" | "agent";
  /** Computes the `meta` of a run, from the value that the library keeps with it. */
  readonly meta: ((local: unknown) => RunMeta) | undefined;
  /** Makes the function that streams it as a node, for one that takes its input whole and does not stream by its nodes. */
  readonly streamed: ((run: NestedFunction) => NodeFunction) | undefined;
  /** Whether it is a single node run by itself (as by `invoke` of a lambda), without a graph in traces and addresses. */
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
  /** `undefined` where it was not given: segments save every task, other runs only when they stop. */
  readonly durability: "exit" | "step" | undefined;
  readonly keepCheckpoint: boolean;
  /** How many saves of a run are kept, and for how long; `undefined` for no history. */
  readonly history: { readonly last: number; readonly maxAgeMs?: number | undefined } | undefined;
  /** Indexes of the nodes before which, or after which, a run pauses; `undefined` if there are none. */
  readonly interruptBefore: ReadonlySet<number> | undefined;
  readonly interruptAfter: ReadonlySet<number> | undefined;
  /** Validate the input and output, if there are schemas. */
  readonly checkInput: ValueCheck | undefined;
  readonly checkOutput: ValueCheck | undefined;
}

/** Returns the validated value, or throws. */
export interface ValueCheck {
  (value: unknown): unknown;
  /** The schema that it checks with. */
  readonly schema?: object;
}

/** An edge. In a graph every edge carries both data and control; in a workflow these are separate. */
export interface PlanEdge {
  readonly from: number;
  readonly to: number;
  /** Its payload: the output of the node, or its failure. */
  readonly on: "value" | "failure";
  readonly data: boolean;
  readonly control: boolean;
  /** Of a workflow, for a stream: the target starts only once the stream has ended, even if it reads it. */
  readonly waits?: boolean | undefined;
  /** In a workflow: a label for each mapping, `path → field`. */
  readonly labels?: readonly string[] | undefined;
}

/** How a node of a workflow gets its input from the outputs of its sources. The builder provides the functions. */
export interface PlanInput {
  /** `(run, target, inbox)`: returns the input, or a promise of it; a reader in streaming runs. */
  readonly assemble: (run: never, target: never, inbox: never) => unknown;
  /** The same, with outputs that are looked up by node index. */
  readonly read: (outputs: never) => unknown;
  /** Whether it calls no user functions, so that a node that is entered again can compute its input again. */
  readonly isRepeatable: boolean;
  readonly wiring: PlanWiring;
}

/** The parts of the executor that only workflows need: their plan brings them along, so that other graphs do not carry them. */
export interface PlanWiring {
  /** Delivers the output of a node along its edges. */
  readonly deliver: (...args: never) => unknown;
  /** By node: the next one, if the nodes form a line. */
  readonly line: (...args: never) => unknown;
  /** The outputs of the nodes of a line. */
  readonly outputs: (...args: never) => unknown;
}

export interface PlanBranch {
  readonly from: number;
  readonly targets: readonly number[];
  /** Gets the value, or a reader if `stream` is set; returns one key or several, or a promise of them. */
  readonly choose: ((value: never, ctx: never) => unknown) & ChecksRest;
  readonly stream: boolean;
  /** Its payload: the output of the node, or its failure. A node has at most one error branch, which chooses one target. */
  readonly on: "value" | "failure";
  /** For a switch: the cases that lead to each target. */
  readonly labels: readonly string[] | undefined;
}

/**
 * On the function of a stream branch that chooses early: creates a check of the chunks that follow, which throws for one that
 * invalidates the choice.
 */
export const checksRest: unique symbol = Symbol("checks the rest of a stream");

export interface ChecksRest {
  readonly [checksRest]?: (() => (chunk: never) => void) | undefined;
}

export interface PlanNode {
  readonly key: string;
  /** The display name: the option `name`, or else the key. */
  readonly name: string;
  readonly component: ComponentKind | "passthrough";
  readonly type: string;
  readonly body: NodeBody;
  /** The kind whose call options it takes, if it is not its own. */
  readonly takes?: ComponentKind | undefined;
  readonly settings: NodeSettings;
  /** Retries, time limits and so on; `undefined` if there are none. */
  readonly policies?: NodePolicies | undefined;
  /** Only in workflows. */
  readonly input: PlanInput | undefined;
  /** What the description of the graph says of it beside the fields here. */
  readonly describe?: DescribeNode | undefined;
}

export type DescribeNode = () => Partial<Pick<GraphNodeInfo, "component" | "type" | "tools">>;

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

/** A function of a node. Its input is `never`, because the types were checked when it was added. */
export type NodeFunction = (input: never, ctx: never) => unknown;

/** Runs a graph that is a node of another; `local` is a value to keep with its run. */
export type NestedFunction = (input: unknown, ctx: never, local?: unknown) => unknown;

/** The work of a node. The executor derives the modes that are missing. */
export type NodeBody =
  /** A plain function. Its result decides whether it streams. */
  | { readonly kind: "function"; readonly call: NodeFunction }
  /** A function per chunk. Adjacent ones are fused. */
  | { readonly kind: "map"; readonly map: NodeFunction }
  /** At least one of the four modes. `payload` converts values for handlers. */
  | ({ readonly kind: "modes"; readonly payload?: Payload | undefined } & NodeModes)
  /** A graph, inlined. */
  | { readonly kind: "graph"; readonly plan: Plan }
  | EachBody
  | { readonly kind: "passthrough" };

/** A node that is run for each item of an array. `plan` contains that node alone. */
export interface EachBody {
  readonly kind: "each";
  readonly plan: Plan;
  /** The executor's part, passed along so that only bundles that use `each` include it. Gets the program of `plan`. */
  readonly modes: (items: never) => NodeModes;
}

export interface NodeModes {
  readonly invoke?: NodeFunction | undefined;
  readonly stream?: NodeFunction | undefined;
  readonly collect?: NodeFunction | undefined;
  readonly transform?: NodeFunction | undefined;
}

/** Converts input and output of a component for handlers: those of a model to `{ messages, options }` and `{ message }`. */
export interface Payload {
  readonly input: (input: unknown, options: unknown) => unknown;
  readonly output: (output: unknown) => unknown;
}
