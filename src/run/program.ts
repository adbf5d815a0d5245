import type { ChainStep } from "../checkpoint/document/snapshot.js";
import {
  END_INDEX,
  LONE_INDEX,
  type NodeSettings,
  type Payload,
  type Plan,
  type PlanNode,
  START_INDEX,
} from "../compose/plan/plan.js";
import type { Joining } from "../schema/concat/rule.js";
import { type Body, deriveMode, deriveUnjoined, type Mode, type Natives, nativesOf, takesStreams } from "./body.js";
import { observeNatives } from "./observe.js";
import { heldBack, withPolicies } from "./policies/load-around-node.js";
import { type Route, routesOf, sourcesOf } from "./routes.js";
import { type DeclaredJoining, joiningOf } from "./streams/joining.js";
import { joiningAt, joiningOfInput, takesChunks } from "./streams/stream-ports.js";
import type { Task } from "./task.js";
import { wiredLine } from "./wired-line.js";
import { hasHandlers, wrapStream, wrapValue } from "./wrap.js";

/** A node's own function with nothing around it, for the fast lane of watched runs. */
export interface Direct {
  readonly run: Body;
  readonly payload: Payload | undefined;
  readonly joining: Joining;
}

/** `Route` of one node in the array `Program.next`: read the route; its output has more than one way to go, or none. */
export const ROUTED = 0;

/** Runs a graph that is nested in another as one of its nodes. Given by the run, which this file does not know. */
export type RunNested = (program: Program, mode: "invoke" | "transform") => Body;

/** A plan, made ready to run: functions and int-indexed arrays. Made once per compile and shared by all runs. */
export class Program {
  readonly plan: Plan;
  readonly keys: readonly string[];
  /** The node that gets the output of a node as it is (END is 1), or {@link ROUTED}. */
  readonly next: readonly number[];
  readonly routes: readonly Route[];
  /** Output keys that the scheduler puts on itself, in runs on values. */
  readonly outputKeys: readonly (string | undefined)[];
  /** The predecessors of each node, in order of declaration. */
  readonly sources: readonly (readonly number[])[];
  readonly sourceCounts: readonly number[];
  /** Programs of nested graphs, by node; of a node that runs another for each item, that one alone. */
  readonly nested: ReadonlyMap<number, Program>;
  /** Whether it was compiled with handlers, or its runtime has some. */
  readonly hasHandlers: boolean;
  /** Whether a nested graph was compiled with handlers of its own. */
  readonly nestedHandlers: boolean;
  /** Whether its nodes say what they read: edges bring data or control, and branches control only. */
  readonly isWired: boolean;
  /** Whether never more than one node runs at a time. */
  readonly isLinear: boolean;
  /** Whether the fast lane can run it: by steps, and one edge or one branch behind each node; or a workflow that is a line. */
  readonly isLine: boolean;
  readonly #runNested: RunNested;
  #direct: readonly (Direct | undefined)[] | undefined = undefined;
  #chain: { readonly steps: readonly ChainStep[] | undefined } | undefined = undefined;
  readonly #keyedInputs: { readonly record: object | undefined }[] = [];
  readonly #givesChunks: boolean[] = [];
  readonly #bodies: BodiesByMode = emptyBodies();
  readonly #observed: BodiesByMode = emptyBodies();
  /** The same for runs that limit how many bodies run at a time. */
  readonly #limited: BodiesByMode = emptyBodies();
  readonly #limitedObserved: BodiesByMode = emptyBodies();

  constructor(plan: Plan, runNested: RunNested) {
    this.plan = plan;
    this.#runNested = runNested;
    this.keys = plan.nodes.map((node) => node.key);
    this.routes = routesOf(plan);
    this.outputKeys = plan.nodes.map(({ settings }) =>
      hasHandlers(settings) ? undefined : intern(settings.outputKey),
    );
    this.sources = sourcesOf(this.routes);
    this.sourceCounts = this.sources.map((sources) => sources.length);
    this.isWired = plan.component === "workflow";
    const line = this.isWired ? wiredLine(this.routes, this.sourceCounts) : undefined;
    const next = this.routes.map(({ plain, branches }, index) => {
      const isDirect = branches.length === 0 && plain.length === 1 && this.outputKeys[index] === undefined;
      return isDirect ? (plain[0] ?? ROUTED) : ROUTED;
    });
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

  /** The functions of all nodes for runs of one mode; those of watched runs call the handlers. */
  bodies(mode: Mode, observed: boolean, limited = false): readonly Body[] {
    if (limited) return this.#limitedBodies(mode, observed);
    const kept = observed ? this.#observed : this.#bodies;
    kept[mode] ??= this.plan.nodes.map((node, index) => this.#body(node, index, mode, observed));
    return kept[mode];
  }

  #limitedBodies(mode: Mode, observed: boolean): readonly Body[] {
    const kept = observed ? this.#limitedObserved : this.#limited;
    kept[mode] ??= this.plan.nodes.map((node, index) => this.#body(node, index, mode, observed, true));
    return kept[mode];
  }

  /** For nodes that a watched run can call without a wrapper: their function, and what handlers see. */
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
   * The keys of a node's sources, if each has one of its own and feeds this node only: then the record is made in one go, and
   * none per source.
   */
  keyedInputs(target: number): object | undefined {
    let keyed = this.#keyedInputs[target];
    if (keyed === undefined) {
      keyed = { record: this.#makeKeyedInputs(target) };
      this.#keyedInputs[target] = keyed;
    }
    return keyed.record;
  }

  #makeKeyedInputs(target: number): object | undefined {
    const sources = this.sources[target] ?? [];
    const keys = sources.map((source) => this.outputKeys[source]);
    const feedOnlyThis = sources.every((source) => {
      const route = this.routes[source];
      return route?.branches.length === 0 && route.plain.length === 1 && route.failure === undefined;
    });
    const isKeyed = feedOnlyThis && !keys.includes(undefined) && new Set(keys).size === keys.length;
    if (!isKeyed || keys.length < 2 || this.plan.nodes[target]?.settings.merge !== undefined) return undefined;
    return Object.fromEntries(keys.map((key) => [key, undefined]));
  }

  /** Whether some reader of what a node streams takes it chunk by chunk. */
  givesChunks(index: number): boolean {
    this.#givesChunks[index] ??= takesChunks(this, index);
    return this.#givesChunks[index];
  }

  /** How the stream of a node joins, if that is the same whatever is delivered to it. */
  joiningAt(index: number): DeclaredJoining | undefined {
    return joiningAt(this, index);
  }

  /** What the steps of a chain are, if some of them were named by their position. */
  get chain(): readonly ChainStep[] | undefined {
    if (this.#chain === undefined) this.#chain = { steps: chainOf(this.plan) };
    return this.#chain.steps;
  }

  /** Where paths go on behind a node: in the graph that it is, or that it runs for each item. */
  inside(index: number): Program | undefined {
    const program = this.nested.get(index);
    return program?.plan.bare === true ? program.inside(LONE_INDEX) : program;
  }

  /** The index of a node by its key; `undefined` when there is none (START and END are none). */
  indexOf(key: string): number | undefined {
    const index = this.keys.indexOf(key, END_INDEX + 1);
    return index === -1 ? undefined : index;
  }

  /** Whether something stands around its function besides handlers. */
  #isGuarded({ policies }: PlanNode, index: number): boolean {
    return policies !== undefined || this.routes[index]?.failure !== undefined;
  }

  #body(node: PlanNode, index: number, mode: Mode, observed: boolean, limited = false): Body {
    if (index === START_INDEX || index === END_INDEX) return same;
    const isGuarded = node.component !== "passthrough" && (limited || this.#isGuarded(node, index));
    const body = this.#wrapped(node, index, mode, observed, isGuarded);
    // whoever handles its failure must know of it before its stream is read
    return mode !== "invoke" && this.routes[index]?.failure !== undefined ? heldBack(body) : body;
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
    if (mode !== "invoke") return wrapStream(deriveMode(mode, own, joining), settings);
    if (isBare(settings)) return deriveMode(mode, own, joining);
    const isUnjoined = settings.streamAfter !== undefined && settings.after === undefined;
    const core = isUnjoined ? deriveUnjoined(own, joining) : deriveMode(mode, own, joining);
    return wrapValue(core, settings, settings.streamBefore === undefined ? undefined : joiningOfInput(this, index));
  }

  #natives(node: PlanNode, index: number): Natives {
    const { body } = node;
    if (body.kind !== "graph" && body.kind !== "each") return nativesOf(body);
    const program = this.nested.get(index);
    if (program === undefined) throw new TypeError(`No program for the graph "${node.key}".`);
    if (body.kind === "each") return body.modes(program as never);
    const transform = this.#runNested(program, "transform");
    // what it declares is about its chunks
    return node.settings.concat === undefined
      ? { invoke: this.#runNested(program, "invoke"), transform }
      : { transform };
  }
}

/** Without an input key and functions around it a function is called as it is; the scheduler adds the output key. */
function isBare(settings: NodeSettings): boolean {
  return settings.inputKey === undefined && typeof settings.options !== "function" && !hasHandlers(settings);
}

/** A computed string is slow as a key until the engine has seen it as one. */
function intern(key: string | undefined): string | undefined {
  return key === undefined ? undefined : Object.keys({ [key]: 0 })[0];
}

type BodiesByMode = Record<Mode, readonly Body[] | undefined>;

const emptyBodies = (): BodiesByMode => ({
  invoke: undefined,
  stream: undefined,
  collect: undefined,
  transform: undefined,
});

const same: Body = (input: unknown, _task: Task) => input;

function nestedPrograms(plan: Plan, runNested: RunNested): ReadonlyMap<number, Program> {
  const programs = new Map<number, Program>();
  plan.nodes.forEach((node, index) => {
    if ("plan" in node.body) programs.set(index, new Program(node.body.plan, runNested));
  });
  return programs;
}

/** The keys that a chain gives to steps without one: by their position. */
export const automaticKey = /^node_\d+(?:_|$)/;

/** What the steps of a chain are, if some of them were named by their position. */
function chainOf({ component, nodes }: Plan): readonly ChainStep[] | undefined {
  if (component !== "chain") return undefined;
  const steps = nodes.slice(END_INDEX + 1);
  if (!steps.some(({ key }) => automaticKey.test(key))) return undefined;
  return steps.map(({ key, component, body }) => [key, component, body.kind === "function" ? body.call.name : ""]);
}
