import type { GraphInfo } from "../callbacks/graph-info.js";
import { randomId } from "../callbacks/random-id.js";
import type { ChainStep } from "../checkpoint/document/snapshot.js";
import { describePlan } from "../compose/plan/describe.js";
import {
  END_INDEX,
  LONE_INDEX,
  type NestedFunction,
  type NodeFunction,
  type NodeSettings,
  type Payload,
  type Plan,
  type PlanInput,
  type PlanNode,
  type PlanWiring,
  START_INDEX,
} from "../compose/plan/plan.js";
import type { Joining } from "../schema/concat/rule.js";
import { type Body, type Mode, type Natives, nativesOf, takesStreams, valueBody } from "./body.js";
import { hasStateHandlers } from "./layers.js";
import type { Local } from "./local.js";
import type { wiredLine } from "./mapping/wired-line.js";
import { heldBack } from "./policies/held-back.js";
import { withPolicies } from "./policies/load-around-node.js";
import { type Route, routesOf, sourcesOf } from "./routes.js";
import { observeNatives } from "./spans/observe.js";
import { joiningOf } from "./streams/joining.js";
import { streamBody, unjoinedBody } from "./streams/stream-body.js";
import { wrapStream } from "./streams/wrap-stream.js";
import type { Task } from "./task.js";
import { wrapValue } from "./wrap.js";

/** A node's own function with nothing around it, for observed runs in the fast lane. */
export interface Direct {
  readonly run: Body;
  readonly payload: Payload | undefined;
  readonly joining: Joining;
}

/** The output keys of a node's sources; `record` has them all, unless they are too many for the engine to copy it quickly. */
export interface KeyedInputs {
  readonly keys: number;
  readonly record: object | undefined;
}

/** In {@link Program.next}: the next node is not fixed and has to be looked up in {@link Program.routes}. */
export const ROUTED = 0;

/** Runs a graph that is a node of another. Passed in, to avoid an import cycle with `start.ts`. */
export type RunNested = (program: Program, mode: "invoke" | "transform") => NestedBody;

/** `local`: a value to keep with the run. */
type NestedBody = (input: unknown, task: Task, local?: Local) => unknown;

/** A plan made executable: functions and int-indexed arrays. Created once per compile and shared by all runs. */
export class Program {
  readonly plan: Plan;
  readonly keys: readonly string[];
  /** By node: the one node that gets its output unchanged (END is 1), or {@link ROUTED}. */
  readonly next: readonly number[];
  readonly routes: readonly Route[];
  /** By node: the output key, if the executor applies it to the delivered value rather than `wrap.ts`. */
  readonly outputKeys: readonly (string | undefined)[];
  /** The predecessors of each node, in order of declaration. */
  readonly sources: readonly (readonly number[])[];
  readonly sourceCounts: readonly number[];
  /** By node: the program of a nested graph, or of the single node that is run for each item. */
  readonly nested: ReadonlyMap<number, Program>;
  /** Whether the plan or its runtime has callbacks. */
  readonly hasHandlers: boolean;
  /** Whether a nested graph was compiled with callbacks of its own. */
  readonly nestedHandlers: boolean;
  /** Whether it is a workflow: nodes declare what they read, edges bring data or control, and branches only control. */
  readonly isWired: boolean;
  readonly wiring: PlanWiring | undefined;
  readonly inputs: readonly (PlanInput | undefined)[];
  /** Whether at most one node runs at a time. */
  readonly isLinear: boolean;
  /** Whether the fast lane can run it: with steps and one edge or branch after each node, or a workflow in a line. */
  readonly isLine: boolean;
  readonly #runNested: RunNested;
  #direct: readonly (Direct | undefined)[] | undefined = undefined;
  #cacheName: string | undefined = undefined;
  #chain: { readonly steps: readonly ChainStep[] | undefined } | undefined = undefined;
  readonly #keyedInputs: (KeyedInputs | "none")[] = [];
  /** By node: whether its stream has a reader that takes it chunk by chunk. Filled by `givesChunks`. */
  readonly chunkGivers: (boolean | undefined)[] = [];
  /** The functions of all nodes, by kind of run: see {@link bodies}. */
  readonly #bodies: (readonly Body[] | undefined)[] = [];

  /** Describes the graph. */
  readonly info = (): GraphInfo => describePlan(this.plan);

  constructor(plan: Plan, runNested: RunNested) {
    this.plan = plan;
    this.#runNested = runNested;
    this.keys = plan.nodes.map((node) => node.key);
    this.routes = routesOf(plan);
    this.outputKeys = plan.nodes.map(({ settings }) =>
      hasStateHandlers(settings) ? undefined : intern(settings.outputKey),
    );
    this.sources = sourcesOf(this.routes);
    this.sourceCounts = this.sources.map((sources) => sources.length);
    this.isWired = plan.component === "workflow";
    this.wiring = plan.nodes[END_INDEX]?.input?.wiring;
    const lineOf = this.wiring?.line as typeof wiredLine | undefined;
    const line = lineOf?.(this.routes, this.sourceCounts);
    const next = this.routes.map(({ plain, branches }, index) => {
      const isDirect = branches.length === 0 && plain.length === 1 && this.outputKeys[index] === undefined;
      return isDirect ? (plain[0] ?? ROUTED) : ROUTED;
    });
    this.inputs = plan.nodes.map(({ input }) => input);
    this.next = line ?? next;
    this.isLinear =
      !this.isWired &&
      this.routes.every(({ all, plain, branches }) => all.length < 2 || (plain.length === 0 && branches.length === 1));
    const isStepwise = plan.triggerMode === "anyPredecessor" && this.isLinear;
    this.isLine =
      (line !== undefined || isStepwise) &&
      this.routes.every(({ failure }) => failure === undefined) &&
      (plan.interruptBefore ?? plan.interruptAfter) === undefined;
    this.hasHandlers = plan.callbacks.length + plan.runtime.callbacks.length > 0;
    this.nested = nestedPrograms(plan, runNested);
    this.nestedHandlers = [...this.nested.values()].some(
      (inner) =>
        inner.nestedHandlers ||
        inner.plan.callbacks.length > 0 ||
        (inner.plan.runtime !== plan.runtime && inner.plan.runtime.callbacks.length > 0),
    );
  }

  /** The functions of all nodes for runs of one mode; `observed` ones call handlers, `limited` ones keep `maxConcurrency`. */
  bodies(mode: Mode, observed: boolean, limited = false): readonly Body[] {
    const kind = modeNumbers[mode] * 4 + (observed ? 2 : 0) + (limited ? 1 : 0);
    let bodies = this.#bodies[kind];
    if (bodies === undefined) {
      bodies = this.plan.nodes.map((node, index) => this.#body(node, index, mode, observed, limited));
      this.#bodies[kind] = bodies;
    }
    return bodies;
  }

  /** By node: its own function, if the fast lane can call it and its handlers without a wrapper. */
  get direct(): readonly (Direct | undefined)[] {
    this.#direct ??= this.plan.nodes.map((node, index) => this.#directOf(node, index));
    return this.#direct;
  }

  #directOf(node: PlanNode, index: number): Direct | undefined {
    if (index <= END_INDEX || node.component === "passthrough" || !isBare(node.settings)) return undefined;
    if (this.#isGuarded(node, index)) return undefined;
    const { call, invoke }: Natives = this.#natives(node, index);
    const run = call ?? invoke;
    const payload = node.body.kind === "modes" ? node.body.payload : undefined;
    return run && { run: run as Body, payload, joining: joiningOf(node, this.plan.runtime) };
  }

  /**
   * A record with the output keys of a node's sources, if each source has a key of its own and feeds only this node: then one
   * record is built for all sources instead of one for each.
   */
  keyedInputs(target: number): KeyedInputs | undefined {
    let keyed = this.#keyedInputs[target];
    if (keyed === undefined) {
      keyed = this.#makeKeyedInputs(target) ?? "none";
      this.#keyedInputs[target] = keyed;
    }
    return keyed === "none" ? undefined : keyed;
  }

  #makeKeyedInputs(target: number): KeyedInputs | undefined {
    const sources = this.sources[target] ?? [];
    const keys = sources.map((source) => this.outputKeys[source]);
    const feedOnlyThis = sources.every((source) => {
      const route = this.routes[source];
      return route?.branches.length === 0 && route.plain.length === 1 && route.failure === undefined;
    });
    const isKeyed = feedOnlyThis && !keys.includes(undefined) && new Set(keys).size === keys.length;
    if (!isKeyed || keys.length < 2 || this.plan.nodes[target]?.settings.merge !== undefined) return undefined;
    const record = keys.length > 1000 ? undefined : Object.fromEntries(keys.map((key) => [key, undefined]));
    return { keys: keys.length, record };
  }

  /** The steps of a chain, if some have automatic keys: a resume checks that those have not moved. */
  get chain(): readonly ChainStep[] | undefined {
    if (this.#chain === undefined) this.#chain = { steps: chainOf(this.plan) };
    return this.#chain.steps;
  }

  /** The graph inside a node, where a path of node keys continues; also one that is run for each item. */
  inside(index: number): Program | undefined {
    const program = this.nested.get(index);
    return program?.plan.bare === true ? program.inside(LONE_INDEX) : program;
  }

  /** Tells cached outputs of this graph from those of others: its name, or for an unnamed graph what no other graph has. */
  get cacheName(): string {
    this.#cacheName ??= this.plan.name === "" ? `~${randomId()}` : this.plan.name;
    return this.#cacheName;
  }

  /** The index of the node with a key; `undefined` if there is none, and for START and END. */
  indexOf(key: string): number | undefined {
    const index = this.keys.indexOf(key, END_INDEX + 1);
    return index === -1 ? undefined : index;
  }

  /** Whether policies or an error branch apply to a node. */
  #isGuarded({ policies }: PlanNode, index: number): boolean {
    return policies !== undefined || this.routes[index]?.failure !== undefined;
  }

  #body(node: PlanNode, index: number, mode: Mode, observed: boolean, limited: boolean): Body {
    if (index === START_INDEX || index === END_INDEX) return identity;
    const isGuarded = node.component !== "passthrough" && (limited || this.#isGuarded(node, index));
    const body = this.#wrapped(node, index, mode, observed, isGuarded);
    // a failure must reach the error branch before anyone reads the stream
    return mode !== "invoke" && this.routes[index]?.failure !== undefined
      ? (input, task) => heldBack(body, input, task)
      : body;
  }

  #wrapped(node: PlanNode, index: number, mode: Mode, observed: boolean, isGuarded: boolean): Body {
    if (!isGuarded && mode === "invoke" && !observed && node.body.kind === "function" && isBare(node.settings)) {
      return node.body.call as Body;
    }
    const joining = joiningOf(node, this.plan.runtime);
    const bare = this.#natives(node, index);
    const natives = isGuarded ? withPolicies(bare, takesStreams(bare), { node, joining }) : bare;
    const isWatched = observed && node.component !== "passthrough";
    const payload = node.body.kind === "modes" ? node.body.payload : undefined;
    const own = isWatched ? observeNatives(natives, payload, joining) : natives;
    const { settings } = node;
    if (mode !== "invoke") return wrapStream(streamBody(mode, own, joining), settings);
    if (isBare(settings)) return valueBody(own, joining);
    const isUnjoined = settings.streamAfter !== undefined && settings.after === undefined;
    const core = isUnjoined ? unjoinedBody(own, joining) : valueBody(own, joining);
    return wrapValue(core, settings, { program: this, index });
  }

  #natives(node: PlanNode, index: number): Natives {
    const { body } = node;
    if (body.kind !== "graph" && body.kind !== "each") return nativesOf(body);
    const program = this.nested.get(index);
    if (program === undefined) throw new TypeError(`No program for the graph "${node.key}".`);
    if (body.kind === "each") return body.modes(program as never);
    const { streamed } = program.plan;
    if (streamed !== undefined) {
      const invoke = this.#runNested(program, "invoke");
      const stream = streamed(invoke as NestedFunction);
      return node.settings.concat === undefined ? { invoke: invoke as NodeFunction, stream } : { stream };
    }
    const transform = this.#runNested(program, "transform");
    // a declared `concat` applies to chunks, so it needs the stream
    return node.settings.concat === undefined
      ? { invoke: this.#runNested(program, "invoke"), transform }
      : { transform };
  }
}

/** Whether a node's function is called as it is: no input key, no options to make, no state handlers. The executor applies an output key. */
function isBare(settings: NodeSettings): boolean {
  return settings.inputKey === undefined && typeof settings.options !== "function" && !hasStateHandlers(settings);
}

/** Interns a key: a computed string is slow as a property name until the engine has used it as one. */
function intern(key: string | undefined): string | undefined {
  return key === undefined ? undefined : Object.keys({ [key]: 0 })[0];
}

const modeNumbers: Readonly<Record<Mode, number>> = { invoke: 0, stream: 1, collect: 2, transform: 3 };

const identity: Body = (input: unknown, _task: Task) => input;

function nestedPrograms(plan: Plan, runNested: RunNested): ReadonlyMap<number, Program> {
  const programs = new Map<number, Program>();
  plan.nodes.forEach((node, index) => {
    if ("plan" in node.body) programs.set(index, new Program(node.body.plan, runNested));
  });
  return programs;
}

/** The automatic keys of a chain's steps, by position. */
export const automaticKey = /^node_\d+(?:_|$)/;

/** See {@link Program.chain}. */
function chainOf({ component, nodes }: Plan): readonly ChainStep[] | undefined {
  if (component !== "chain") return undefined;
  const steps = nodes.slice(END_INDEX + 1);
  if (!steps.some(({ key }) => automaticKey.test(key))) return undefined;
  return steps.map(({ key, component, body }) => [key, component, body.kind === "function" ? body.call.name : ""]);
}
