import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import { each } from "../../compose/each.js";
import { Graph } from "../../compose/graph.js";
import { END, START } from "../../compose/plan/plan.js";
import type { NodeLike } from "../../compose/types/node-like.js";
import { notAnArray } from "../errors.js";
import { type Flow, flowOf } from "./flow.js";
import { keyOf } from "./node-key.js";
import { payloadOf, runStep, type StepNode, waitsAgain } from "./run-step.js";
import { StepLog } from "./step-log.js";

type RunEach = (input: unknown, ctx: NodeContext, flow: Flow) => Promise<unknown>;

/** The progress of all items while they run. */
interface ItemProgress {
  readonly log: StepLog;
  readonly length: number;
  /** The number of items that have succeeded. */
  done: number;
  /** The first failure. */
  failure: { readonly error: unknown } | undefined;
}

/** Runs a step for each item of an array, and logs the result of the whole. */
export function runEach(node: StepNode, concurrency: number): RunEach {
  const { step } = node;
  const items = each(itemNode(node), { concurrency });
  return async (input, ctx, flow) => {
    const log = new StepLog(flow, step.id);
    log.began(input);
    const list: ItemProgress = { log, length: lengthOf(input), done: 0, failure: undefined };
    try {
      if (!Array.isArray(input)) throw notAnArray(flow.live.workflowId, step.id, input);
      const outputs = await items.invoke(input, {
        parent: ctx,
        key: "items",
        options: { lambda: { run: flow.live, list } },
      });
      const { bailed } = flow.state;
      const output = bailed === undefined ? outputs : bailed.value;
      log.succeeded(output);
      return output;
    } catch (thrown) {
      const error = list.failure?.error ?? thrown;
      if (causedByInterrupt(error)) log.suspended(payloadOf(error));
      else if (waitsAgain(error, flow.live)) log.suspended(flow.state.steps[step.id]?.suspendPayload);
      else if (!ctx.signal.aborted) {
        log.failed(error);
        flow.live.failure ??= { error };
      }
      throw error;
    }
  };
}

/** Runs one item: a function, or a graph whose node retries the step. */
function itemNode({ step, retries }: StepNode): NodeLike<unknown, unknown, undefined, unknown> {
  const run = async (value: unknown, ctx: NodeContext): Promise<unknown> => {
    const { list } = ctx.options as { readonly list: ItemProgress };
    const flow = flowOf(ctx);
    if (flow.state.bailed !== undefined) return undefined;
    const index = itemIndexOf(ctx);
    try {
      const output = await runStep({ step, retries }, value, ctx, flow, { item: { index } });
      list.log.progressed(++list.done, list.length);
      return output;
    } catch (error) {
      if (!causedByInterrupt(error) && retries.isLast(ctx.attempt, error)) list.failure ??= { error };
      throw error;
    }
  };
  // handlers see the name
  if (retries.policy === undefined) return Object.defineProperty(run, "name", { value: step.id }) as never;
  const key = keyOf(step.id);
  return new Graph<unknown, unknown>()
    .untyped()
    .addNode(key, run, { retry: retries.policy })
    .addEdge(START, key)
    .addEdge(key, END)
    .compile({ name: "foreach" });
}

function lengthOf(input: unknown): number {
  return Array.isArray(input) ? input.length : 0;
}

/** The index of the innermost item that a node runs for. */
function itemIndexOf({ address }: NodeContext): number {
  return Number(/.*;item:(\d+)(?:;|$)/.exec(address)?.[1]);
}
