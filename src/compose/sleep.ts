import { type Clock, clockOf } from "../components/clock.js";
import type { NodeContext } from "../components/context.js";
import { pause } from "../components/pause.js";
import { bareRunnable } from "../run/bare-runnable.js";
import { kindOf } from "../wording.js";
import { invalidOption } from "./errors.js";
import type { Passthrough } from "./lambda.js";
import type { Runnable } from "./runnable.js";

/** How long to sleep: milliseconds from the start of the node, or until a date. */
export type SleepTime = number | Date;

/**
 * A node that waits and then returns its input. A negative time, or a date in the past, does not wait. The end time is saved: a
 * resumed run waits only for the rest.
 *
 * The run stays in memory meanwhile. To wait for days, pause the run with `ctx.ask` instead.
 *
 * @example
 * const app = new Chain<string>()
 *   .append(sleep(1_000))
 *   .append((text) => text.toUpperCase())
 *   .compile();
 */
export function sleep(time: SleepTime): Passthrough;
export function sleep<T>(
  time: SleepTime | ((input: T, ctx: NodeContext) => SleepTime | Promise<SleepTime>),
): Runnable<T, T>;
export function sleep(
  time: SleepTime | ((input: never, ctx: NodeContext) => SleepTime | Promise<SleepTime>),
): Runnable<never, unknown> {
  if (typeof time !== "function") checkTime(time);
  const wait = async (input: never, ctx: NodeContext): Promise<unknown> => {
    const clock = clockOf(ctx);
    const end = await ctx.once(endKey, async () =>
      endOf(typeof time === "function" ? await time(input, ctx) : time, clock),
    );
    const left = end - clock.now();
    if (left > 0) await pause(left, clock, ctx.signal);
    return input;
  };
  return bareRunnable({ component: "lambda", type: "sleep", body: { kind: "function", call: wait } });
}

const endKey = "kumiko: end of sleep";

function checkTime(time: unknown): asserts time is SleepTime {
  if (typeof time === "number" && !Number.isNaN(time)) return;
  if (time instanceof Date && !Number.isNaN(time.getTime())) return;
  throw invalidOption(
    `sleep needs milliseconds, a valid date, or a function that returns one of them (got ${kindOf(time)}).`,
  );
}

function endOf(time: unknown, clock: Clock): number {
  checkTime(time);
  return typeof time === "number" ? clock.now() + Math.max(0, time) : time.getTime();
}
