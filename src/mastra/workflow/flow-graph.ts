import type { NodeContext } from "../../components/context.js";
import type { CompileOptions } from "../../compose/compile-options.js";
import type { CompiledGraph } from "../../compose/compiled-graph.js";
import { Graph } from "../../compose/graph.js";
import { END, START } from "../../compose/plan/plan.js";
import { type SleepTime, sleep } from "../../compose/sleep.js";
import type { NodeOptions } from "../../compose/types/node-options.js";
import { endsRun, messageOf } from "../../errors.js";
import { invalidMastraOption } from "../errors.js";
import { type Flow, type FlowState, flowOf, newFlowState } from "./flow.js";
import { type BranchCase, type FlowEntry, stepsOf } from "./flow-entry.js";
import { paramsFor } from "./flow-params.js";
import { keyOf } from "./node-key.js";
import { runEach } from "./run-each.js";
import { runStep, type StepNode } from "./run-step.js";
import type { AnyStep } from "./step.js";
import { StepLog } from "./step-log.js";
import { stepRetries, type WorkflowRetry } from "./step-retries.js";

/** The input of the graph of a workflow. */
export interface FlowInput {
  readonly input: unknown;
  readonly shared: Record<string, unknown>;
}

/** @internal */
export type WorkflowGraph = CompiledGraph<FlowInput, unknown>;

/** Builds the graph of a workflow, with a node for each step. */
export function flowGraph(entries: readonly FlowEntry[], retry: WorkflowRetry, options: CompileOptions): WorkflowGraph {
  const builder = new FlowGraphBuilder(
    entries.flatMap(stepsOf).map(({ id }) => id),
    retry,
  );
  for (const entry of entries) builder.add(entry);
  return builder.compile(options);
}

type Node = (value: unknown, ctx: NodeContext<FlowState>) => unknown;
type NodeSettings = NodeOptions<unknown, unknown, FlowState, undefined, string | undefined>;

class FlowGraphBuilder {
  readonly #graph = new Graph<FlowInput, unknown>().withState(newFlowState).untyped();
  readonly #taken: Set<string>;
  readonly #retry: WorkflowRetry;
  #last: string;

  constructor(ids: readonly string[], retry: WorkflowRetry) {
    this.#retry = retry;
    this.#taken = new Set(ids.map(keyOf));
    this.#last = this.node(this.#uniqueKey("input"), saveInput);
    this.#graph.addEdge(START, this.#last);
  }

  compile(options: CompileOptions): WorkflowGraph {
    this.#graph.addEdge(this.#last, END);
    return this.#graph.compile({ maxSteps: Number.MAX_SAFE_INTEGER, ...options } as never) as WorkflowGraph;
  }

  add(entry: FlowEntry): undefined {
    switch (entry.type) {
      case "step":
      case "map":
        return this.#step(entry.step);
      case "foreach": {
        const each = runEach(this.#nodeOf(entry.step), entry.concurrency);
        return this.#follow(
          keyOf(entry.step.id),
          unlessBailed((value, ctx) => each(value, ctx, flowOf(ctx))),
        );
      }
      case "sleep":
        return this.#sleep(entry);
      case "loop":
        return this.#loop(entry);
      case "parallel":
        return this.#parallel(entry);
      case "branch":
        return this.#branch(entry);
      default:
        return entry satisfies never;
    }
  }

  node(key: string, run: Node, options: NodeSettings = {}): string {
    this.#graph.addNode(key, run, options as never);
    return key;
  }

  #follow(key: string, run: Node, options?: NodeSettings): undefined {
    this.#append(this.node(key, run, options));
  }

  #append(node: string): undefined {
    this.#graph.addEdge(this.#last, node);
    this.#last = node;
  }

  #nodeOf(step: AnyStep): StepNode {
    return { step, retries: stepRetries(step, this.#retry) };
  }

  #step(step: AnyStep): undefined {
    const node = this.#nodeOf(step);
    const run = unlessBailed((value, ctx) => runStep(node, value, ctx, flowOf(ctx)));
    return this.#follow(keyOf(step.id), run, { retry: node.retries.policy });
  }

  #sleep(entry: FlowEntry & { readonly type: "sleep" }): undefined {
    const logWith =
      (write: (log: StepLog, value: unknown) => void) => (value: unknown, _state: FlowState, ctx: NodeContext) => {
        const flow = flowOf(ctx);
        if (flow.state.bailed === undefined) write(new StepLog(flow, entry.id), value);
        return value;
      };
    const time = (value: unknown, ctx: NodeContext) => {
      const flow = flowOf(ctx as NodeContext<FlowState>);
      return flow.state.bailed === undefined ? sleepTimeOf(entry, value, ctx, flow) : 0;
    };
    const key = this.#uniqueKey(entry.id);
    this.#graph.addNode(key, sleep<unknown>(time), {
      before: logWith((log, value) => log.waits(value)) as never,
      after: logWith((log, value) => log.succeeded(value)),
    });
    return this.#append(key);
  }

  /** A cycle of one node: each iteration of the loop runs it once. */
  #loop(entry: FlowEntry & { readonly type: "loop" }): undefined {
    const { step } = entry;
    const key = keyOf(step.id);
    const stepNode = this.#nodeOf(step);
    const turn = this.node(
      key,
      unlessBailed((value, ctx) => runStep(stepNode, value, ctx, flowOf(ctx))),
      {
        retry: stepNode.retries.policy,
        after: async (output, state, ctx) => {
          if (state.bailed === undefined) await evaluateLoop(entry, output, ctx, flowOf(ctx));
          return output;
        },
      },
    );
    const after = this.node(this.#uniqueKey(`after ${step.id}`), (value) => value);
    this.#graph.addEdge(this.#last, turn);
    this.#graph.addBranch(turn, [turn, after], (_value, { state }) =>
      state.bailed === undefined && state.repeats[step.id] === true ? turn : after,
    );
    this.#last = after;
  }

  #parallel({ id, steps }: FlowEntry & { readonly type: "parallel" }): undefined {
    const from = this.#last;
    const join = this.node(this.#uniqueKey(id), joinMembers(steps.map((step) => this.#nodeOf(step))));
    for (const step of steps) {
      const member = this.#member(step, (value) => value);
      this.#graph.addEdge(from, member).addEdge(member, join);
    }
    if (steps.length === 0) this.#graph.addEdge(from, join);
    this.#last = join;
  }

  #branch({ id, cases }: FlowEntry & { readonly type: "branch" }): undefined {
    const choose = this.node(
      this.#uniqueKey(id),
      unlessBailed(
        (value, ctx) => chooseCases(cases, value, ctx, flowOf(ctx)),
        (value) => ({ value, chosen: [] }),
      ),
    );
    this.#graph.addEdge(this.#last, choose);
    const members = cases.map(({ step }) => this.#member(step, (given) => chosenOf(given).value));
    const join = this.node(this.#uniqueKey(`after ${id}`), joinMembers(cases.map(({ step }) => this.#nodeOf(step))));
    for (const member of members) this.#graph.addEdge(member, join);
    this.#graph.addBranch(choose, [...members, join], (value) => {
      const { chosen } = chosenOf(value);
      return chosen.length === 0 ? [join] : members.filter((_member, index) => chosen.includes(index));
    });
    this.#last = join;
  }

  /** A step that runs in parallel with others. A failure is thrown only where they join, so that the others finish. */
  #member(step: AnyStep, inputOf: (value: unknown) => unknown): string {
    const node = this.#nodeOf(step);
    const run: Node = async (value, ctx) => {
      const flow = flowOf(ctx);
      const input = inputOf(value);
      if (flow.state.bailed !== undefined) return input;
      try {
        return await runStep(node, input, ctx, flow, { isMember: true });
      } catch (error) {
        if (flow.state.steps[step.id]?.status !== "failed" || endsRun(error)) throw error;
        return undefined;
      }
    };
    return this.node(keyOf(step.id), run, { outputKey: step.id, retry: node.retries.policy });
  }

  #uniqueKey(name: string): string {
    let key = keyOf(name);
    for (let count = 2; this.#taken.has(key); count++) key = `${keyOf(name)} ${count}`;
    this.#taken.add(key);
    return key;
  }
}

interface Chosen {
  readonly value: unknown;
  /** The indexes of the cases that run. */
  readonly chosen: readonly number[];
}

function chosenOf(value: unknown): Chosen {
  return value as Chosen;
}

/** Saves the input and the shared values in the state. */
const saveInput: Node = (value, ctx) => {
  const { input, shared } = value as FlowInput;
  const { state } = flowOf(ctx);
  state.input = input;
  state.shared = shared;
  return input;
};

/** Skips a node, passing its input on, once `bail` has ended the workflow. */
function unlessBailed(run: Node, pass: (value: unknown) => unknown = (value) => value): Node {
  return (value, ctx) => (flowOf(ctx).state.bailed === undefined ? run(value, ctx) : pass(value));
}

/**
 * Joins the outputs of the steps that ran into a record by step id. Throws if one of them failed; when that run is tried
 * again, the step runs here.
 */
function joinMembers(members: readonly StepNode[]): Node {
  return async (value, ctx) => {
    const flow = flowOf(ctx);
    const { live, state } = flow;
    if (state.bailed !== undefined) return state.bailed.value;
    const isRecord = typeof value === "object" && value !== null && !("chosen" in value && "value" in value);
    const outputs = new Map(Object.entries(isRecord ? value : {}));
    for (const node of members) {
      const { id } = node.step;
      const result = outputs.has(id) ? state.steps[id] : undefined;
      const isAgain = live.isRetry && !live.errors.has(id);
      if (result?.status === "failed" && !isAgain) {
        const error = live.errors.get(id) ?? result.error;
        live.failure ??= { error };
        throw error;
      }
      if (result?.status === "failed" || result?.status === "suspended")
        outputs.set(id, await runStep(node, result.payload, ctx, flow, { isMember: true }));
      else if (result?.status === "success") outputs.set(id, result.output);
    }
    return Object.fromEntries(members.flatMap(({ step: { id } }) => (outputs.has(id) ? [[id, outputs.get(id)]] : [])));
  };
}

/** Chooses the cases of a branch whose condition is true. A condition that throws is logged and counts as false. */
async function chooseCases(
  cases: readonly BranchCase[],
  value: unknown,
  ctx: NodeContext,
  flow: Flow,
): Promise<{ readonly value: unknown; readonly chosen: readonly number[] }> {
  const params = Object.assign(paramsFor(value, ctx, flow), { iterationCount: 0 });
  const holds = await Promise.all(
    cases.map(async ({ condition, step }) => {
      try {
        return Boolean(await condition(params as never));
      } catch (error) {
        if (endsRun(error)) throw error;
        flow.live.mastra
          .getLogger()
          .error(
            `The condition of step "${step.id}" in workflow "${flow.live.workflowId}" failed, so the step is skipped: ${messageOf(error)}`,
          );
        return false;
      }
    }),
  );
  return { value, chosen: holds.flatMap((isTrue, index) => (isTrue ? [index] : [])) };
}

/** Evaluates the condition of a loop, and saves for the branch after it whether the step runs again. */
async function evaluateLoop(
  { step, until, condition }: FlowEntry & { readonly type: "loop" },
  output: unknown,
  ctx: NodeContext,
  flow: Flow,
): Promise<void> {
  const { state } = flow;
  const iterationCount = (state.turns[step.id] ?? 0) + 1;
  state.turns[step.id] = iterationCount;
  const params = Object.assign(paramsFor(output, ctx, flow), { iterationCount });
  const holds = Boolean(await condition(params as never));
  state.repeats[step.id] = holds !== until;
}

/** The duration or end of a sleep. */
async function sleepTimeOf(
  { id, until }: FlowEntry & { readonly type: "sleep" },
  value: unknown,
  ctx: NodeContext,
  flow: Flow,
): Promise<SleepTime> {
  const given: unknown = typeof until === "function" ? await until(paramsFor(value, ctx, flow) as never) : until;
  const time = given instanceof Date ? given.getTime() : given;
  if (typeof time === "number" && !Number.isNaN(time)) return given as SleepTime;
  throw invalidMastraOption(
    `"${id}" of workflow "${flow.live.workflowId}" needs a number of milliseconds or a Date (got ${String(given)}).`,
  );
}
