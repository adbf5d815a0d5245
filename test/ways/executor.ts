/**
 * All that the switch knows of the inside of this library: where the executor's classes are, what a plan holds, and how values are
 * saved. When one of them moves, this file follows.
 */

import type { AnyClassCodec } from "../../src/checkpoint/values/class-codec.js";
import { ValueCodec } from "../../src/checkpoint/values/value-codec.js";
import { SharedParts } from "../../src/compose/default-runtime.js";
import type { RunOptions } from "../../src/compose/options.js";
import { type HasNodeDefinition, nodeDefinition } from "../../src/compose/plan/node-definition.js";
import type { NodeBody, Plan } from "../../src/compose/plan/plan.js";
import type { Runnable } from "../../src/compose/runnable.js";
import { BareRunnable } from "../../src/run/bare-runnable.js";
import { CompiledPlan } from "../../src/run/compiled-plan.js";
import { Program } from "../../src/run/program.js";
import type { StreamReader } from "../../src/schema/stream/reader.js";

export type { RunOptions } from "../../src/compose/options.js";
export { memoryStore, RunControl } from "../../src/index.js";
export { StreamReader } from "../../src/schema/stream/reader.js";

/** What stands in a plan that the switch may change. */
export type PlanSettings = Pick<Plan, "store" | "durability">;

export type Method = "invoke" | "stream" | "collect" | "transform" | "resume" | "resumeStream";

/** A runnable as the executor made it: its methods start a run as they are told, whatever the switch says. */
export interface Original extends Runnable<unknown, unknown> {
  resume(checkpointId: unknown, answers?: unknown, options?: RunOptions): Promise<unknown>;
  resumeStream(checkpointId: unknown, answers?: unknown, options?: RunOptions): StreamReader<unknown>;
}

/** Answers the call of a method in its place; `undefined` when the method itself is to answer. */
export type Answering = (runnable: object, method: Method, given: readonly unknown[]) => Answer | undefined;

export interface Answer {
  readonly value: unknown;
}

type Call = (...given: readonly unknown[]) => unknown;

/** Has calls of compiled graphs, lambdas and tools nodes answered by something else. */
export function answerCalls(answering: Answering): void {
  for (const [type, methods] of patched) {
    for (const [method, original] of methods) {
      const value = function (this: object, ...given: readonly unknown[]): unknown {
        const answer = answering(this, method, given);
        return answer === undefined ? Reflect.apply(original, this, given) : answer.value;
      };
      Object.defineProperty(type.prototype, method, { value, configurable: true, writable: true });
    }
  }
}

/** Has the scheduler run what the fast lane could, wherever `isClosed` says so: also graphs in graphs, and lone nodes. */
export function closeFastLane(isClosed: () => boolean): void {
  const lines = new WeakSet<Program>();
  Object.defineProperty(Program.prototype, "isLine", {
    configurable: true,
    get(this: Program) {
      return lines.has(this) && !isClosed();
    },
    set(this: Program, isLine: boolean) {
      if (isLine) lines.add(this);
    },
  });
}

type Class = typeof CompiledPlan | typeof BareRunnable;

const methodsOf = (type: Class, ...names: readonly Method[]): ReadonlyMap<Method, Call> =>
  new Map(names.map((name) => [name, Reflect.get(type.prototype, name) as Call]));

const patched: ReadonlyMap<Class, ReadonlyMap<Method, Call>> = new Map<Class, ReadonlyMap<Method, Call>>([
  [CompiledPlan, methodsOf(CompiledPlan, "invoke", "stream", "collect", "transform", "resume", "resumeStream")],
  [BareRunnable, methodsOf(BareRunnable, "invoke", "stream", "collect", "transform")],
]);

/** What a compiled graph was compiled with; `undefined` for a lambda and a tools node, which cannot be saved alone. */
export function settingsOf(runnable: object): PlanSettings | undefined {
  return runnable instanceof CompiledPlan ? planOf(runnable) : undefined;
}

/** The same runnable once more, with the methods of the executor, and other settings where some are given. */
export function originalOf(runnable: object, settings?: Partial<PlanSettings> & KeptReferences): Original {
  const { codec, ...changed } = settings ?? {};
  if (runnable instanceof CompiledPlan) {
    const plan = planOf(runnable);
    const coded = codec === undefined ? plan : withCodec(plan, codec);
    return withMethods(new CompiledPlan<unknown, unknown>(Object.freeze({ ...coded, ...changed })), CompiledPlan);
  }
  return withMethods(new BareRunnable<unknown, unknown>((runnable as HasNodeDefinition)[nodeDefinition]), BareRunnable);
}

interface KeptReferences {
  /** Saves values of one more class. */
  readonly codec?: AnyClassCodec;
}

/** Methods of its own, so that one which calls another does not ask the switch again. */
function withMethods(runnable: object, type: Class): Original {
  for (const [name, value] of patched.get(type) ?? []) Object.defineProperty(runnable, name, { value });
  return runnable as Original;
}

function planOf(graph: HasNodeDefinition): Plan {
  const { body } = graph[nodeDefinition];
  if (body.kind !== "graph") throw new Error("This compiled graph has no plan.");
  return body.plan;
}

/** Graphs in a graph have its runtime, or one of their own: those that were the same stay the same. */
function withCodec(plan: Plan, codec: AnyClassCodec): Plan {
  const runtimes = new Map<object, SharedParts>();
  const changed = (given: Plan): Plan => {
    const { runtime } = given;
    const known = runtimes.get(runtime) ?? new SharedParts({ ...runtime, codecs: [...runtime.codecs, codec] });
    runtimes.set(runtime, known);
    const nodes = given.nodes.map((node) => ({ ...node, body: changedBody(node.body) }));
    return Object.freeze({ ...given, runtime: known, nodes });
  };
  const changedBody = (body: NodeBody): NodeBody =>
    body.kind === "graph" ? { kind: "graph", plan: changed(body.plan) } : body;
  return changed(plan);
}

/** What stands in a document for a value that cannot be saved. */
export class Reference {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

const { encodeGraph, decode } = ValueCodec.prototype;

/** Where a codec for references is at hand, a value that cannot be saved becomes one. */
export function saveByReference(): void {
  ValueCodec.prototype.encodeGraph = function (this: ValueCodec, value, slot): string {
    try {
      return encodeGraph.call(this, value, slot);
    } catch (error) {
      try {
        return encodeGraph.call(this, new Reference(value), slot);
      } catch {
        throw error;
      }
    }
  };
  ValueCodec.prototype.decode = function (this: ValueCodec, json, slot): unknown {
    const decoded = decode.call(this, json, slot);
    return decoded instanceof Reference ? decoded.value : decoded;
  };
}
