import type { NodeContext } from "../../components/context.js";
import type { SleepTime } from "../../compose/sleep.js";
import { invalidMastraOption } from "../errors.js";
import type { Flow } from "./flow.js";
import type { FlowEntry } from "./flow-entry.js";
import { paramsFor } from "./flow-params.js";

/** The duration or end of a sleep. */
export async function sleepTimeOf(
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
