import type { NodeContext } from "../../components/context.js";
import type { SleepTime } from "../../compose/sleep.js";
import { invalidMastraOption } from "../errors.js";
import type { Flow } from "./flow.js";
import type { FlowEntry } from "./flow-entry.js";
import { paramsFor } from "./flow-params.js";

/** How long an entry of a workflow sleeps, or until when. */
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
    `"${id}" of workflow "${flow.live.workflowId}" needs milliseconds or a date (got ${String(given)}).`,
  );
}
