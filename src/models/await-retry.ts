import { clockOf } from "../components/clock.js";
import type { ModelContext } from "../components/model.js";
import { pause } from "../components/pause.js";
import type { RetryPolicy } from "../components/policies.js";
import { messageOf } from "../errors.js";
import { type Delays, delayAfter } from "../run/policies/retry-delay.js";
import { isRetryableModelError } from "./is-retryable-model-error.js";
import { randomOf } from "./runtime-parts.js";
import { tell } from "./tell.js";

/** Waits until the next attempt. Rejects with the failure if the policy allows none. */
export async function awaitRetry(
  failure: unknown,
  attempt: number,
  policy: Delays & Pick<RetryPolicy, "retryOn">,
  ctx: ModelContext,
): Promise<void> {
  const { retryOn = isRetryableModelError } = policy;
  if (!retryOn(failure, { attempt })) throw failure;
  const clock = clockOf(ctx);
  const delayMs = delayAfter(failure, attempt, policy, { clock, random: randomOf(ctx) });
  if (delayMs === undefined) throw failure;
  tell(ctx, { kind: "retry", attempt, error: failure, delayMs, message: messageOf(failure) });
  if (delayMs > 0) await pause(delayMs, clock, ctx.signal);
}
