import { clockOf } from "../../components/clock.js";
import type { NodeContext } from "../../components/context.js";
import { pause } from "../../components/pause.js";
import { invalidOption } from "../errors.js";
import type { Flow } from "./flow.js";
import type { Duration, FlowEntry } from "./flow-entry.js";
import { paramsFor } from "./flow-params.js";
import { StepLog } from "./step-log.js";

/** What a timer can wait at once. */
const longest = 2_000_000_000;

/** Waits, and passes its input on. A resumed run waits the rest. */
export async function runSleep(
  { id, until }: FlowEntry & { readonly type: "sleep" },
  value: unknown,
  ctx: NodeContext,
  flow: Flow,
): Promise<unknown> {
  const log = new StepLog(flow, id);
  log.waits(value);
  const end = await ctx.once("end", () => endOf(id, until, value, ctx, flow));
  for (let left = end - Date.now(); left > 0; left = end - Date.now())
    await pause(Math.min(left, longest), clockOf(ctx), ctx.signal);
  log.succeeded(value);
  return value;
}

async function endOf(id: string, until: Duration, value: unknown, ctx: NodeContext, flow: Flow): Promise<number> {
  const given = typeof until === "function" ? await until(paramsFor(value, ctx, flow) as never) : until;
  const end = given instanceof Date ? given.getTime() : typeof given === "number" ? Date.now() + given : Number.NaN;
  if (Number.isNaN(end)) {
    throw invalidOption(
      `"${id}" of workflow "${flow.live.workflowId}" needs milliseconds or a date (got ${String(given)}).`,
    );
  }
  return end;
}
