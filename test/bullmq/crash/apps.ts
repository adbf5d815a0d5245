import { Chain, each, type NodeContext } from "kumiko";
import type { CheckpointStore } from "kumiko/compose";

/** What happened in one process. */
export interface LogLine {
  readonly kind: "begin" | "end";
  readonly run: string;
  readonly task: string;
}

export interface Order {
  readonly run: string;
  readonly done: readonly string[];
}

const goods = ["item 0", "item 1", "item 2"];

/** Every task of a run, once. */
export const allTasks: readonly string[] = ["check", "price", "pay", ...goods, "pack", "ship", "tell"];

/** What a run returns of what it has done. */
export const lastTasks: readonly string[] = [...goods, "pack", "ship", "tell"];

/** Some steps, a question in runs whose ids end with `asked`, a batch, and some steps more. */
export function makeApps(store: CheckpointStore, log: (line: LogLine) => void) {
  const work = async (run: string, task: string): Promise<string> => {
    log({ kind: "begin", run, task });
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 25));
    log({ kind: "end", run, task });
    return task;
  };
  const step = (task: string) => async (order: Order) => ({
    run: order.run,
    done: [...order.done, await work(order.run, task)],
  });
  const ask = async (order: Order, ctx: NodeContext) => {
    if (order.run.endsWith("asked") && (await ctx.ask("approve", `Send ${order.run}?`)) !== "yes")
      throw new Error("no");
    return order;
  };
  const order = new Chain<Order>()
    .append(step("check"))
    .append(step("price"))
    .append(ask)
    .append(step("pay"))
    .append(({ run }) => goods.map((task) => ({ run, task })))
    .append(
      each(async ({ run, task }: { readonly run: string; readonly task: string }) => ({
        run,
        task: await work(run, task),
      })),
    )
    .append((done) => ({ run: done[0]?.run ?? "", done: done.map(({ task }) => task) }))
    .append(step("pack"))
    .append(step("ship"))
    .append(step("tell"))
    .compile({ name: "order", store });
  return { order };
}
