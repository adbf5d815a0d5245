import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import { Graph } from "../../compose/graph.js";
import { notAList } from "../errors.js";
import { type Flow, flowOf, type LiveRun } from "./flow.js";
import { ownError } from "./own-error.js";
import { payloadOf, runStep } from "./run-step.js";
import type { AnyStep } from "./step.js";
import { StepLog } from "./step-log.js";

type RunEach = (input: unknown, ctx: NodeContext, flow: Flow) => Promise<unknown>;

interface Item {
  readonly value: unknown;
  readonly index: number;
}

/** Runs a step once per item of a list. Items that are suspended hold up no others. */
export function runEach(step: AnyStep, concurrency: number): RunEach {
  const graph = new Graph<Item, unknown>();
  const node = graph.node(step.id.replaceAll("/", "%2F"), ({ value, index }: Item, ctx) =>
    runStep(step, value, ctx, flowOf(ctx), { item: { index, batch: Math.floor(index / concurrency) } }),
  );
  const app = graph.connect(graph.start, node).connect(node, graph.end).compile({ name: "foreach" });
  const runItem = (item: Item, ctx: NodeContext, run: LiveRun): Promise<unknown> =>
    app.invoke(item, { parent: ctx, key: `item:${item.index}`, options: { lambda: { run } } });

  return async (input, ctx, flow) => {
    const log = new StepLog(flow, step.id);
    log.began(input);
    try {
      if (!Array.isArray(input)) throw notAList(flow.live.workflowId, step.id, input);
      const outputs = await new Items(input, concurrency, (item) => runItem(item, ctx, flow.live), flow, log).run();
      const { bailed } = flow.state;
      log.succeeded(bailed === undefined ? outputs : bailed.value);
      return outputs;
    } catch (error) {
      if (causedByInterrupt(error)) log.suspended(payloadOf(error));
      else if (!ctx.signal.aborted) {
        log.failed(error);
        flow.live.failure ??= { error };
      }
      throw error;
    }
  };
}

class Items {
  readonly #values: readonly unknown[];
  readonly #concurrency: number;
  readonly #runItem: (item: Item) => Promise<unknown>;
  readonly #flow: Flow;
  readonly #log: StepLog;
  readonly #outputs: unknown[];
  #next = 0;
  #done = 0;
  #failed: { readonly error: unknown } | undefined;
  #waiting: { readonly error: unknown; readonly index: number } | undefined;

  constructor(
    values: readonly unknown[],
    concurrency: number,
    runItem: (item: Item) => Promise<unknown>,
    flow: Flow,
    log: StepLog,
  ) {
    this.#values = values;
    this.#concurrency = concurrency;
    this.#runItem = runItem;
    this.#flow = flow;
    this.#log = log;
    this.#outputs = new Array<unknown>(values.length);
  }

  async run(): Promise<readonly unknown[]> {
    const workers = Math.min(this.#concurrency, this.#values.length);
    await Promise.all(Array.from({ length: workers }, () => this.#work()));
    if (this.#flow.state.bailed !== undefined) return this.#outputs;
    const stopped = this.#failed ?? this.#waiting;
    if (stopped !== undefined) throw stopped.error;
    return this.#outputs;
  }

  async #work(): Promise<void> {
    while (this.#next < this.#values.length && this.#failed === undefined && this.#flow.state.bailed === undefined) {
      const index = this.#next++;
      try {
        this.#outputs[index] = await this.#runItem({ value: this.#values[index], index });
        this.#done += 1;
        this.#log.progressed(this.#done, this.#values.length);
      } catch (error) {
        if (!causedByInterrupt(error)) this.#failed ??= { error: ownError(error) };
        else if (this.#waiting === undefined || index < this.#waiting.index) this.#waiting = { error, index };
      }
    }
  }
}
