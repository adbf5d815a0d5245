import { clockOf } from "../components/clock.js";
import type { ModelContext } from "../components/model.js";
import { pause } from "../components/pause.js";
import type { RetryPolicy } from "../components/policies.js";
import { messageOf } from "../errors.js";
import { type Delays, delayAfter } from "../run/policies/retry-delay.js";
import { optionFunctionFailed } from "./errors.js";
import { isRetryableModelError } from "./is-retryable-model-error.js";
import { randomOf } from "./runtime-parts.js";
import { tell } from "./tell.js";

/** A failed attempt. */
interface FailedAttempt {
  readonly attempt: number;
  readonly policy: Delays & Pick<RetryPolicy, "retryOn">;
  /** The error of the call if there is no further attempt. */
  readonly ending: (why: string) => unknown;
}

/** Waits until the next attempt. Rejects if the policy allows none. */
export async function awaitRetry(
  failure: unknown,
  { attempt, policy, ending }: FailedAttempt,
  ctx: ModelContext,
): Promise<void> {
  if (!isRetried(failure, attempt, policy)) throw ending("");
  const clock = clockOf(ctx);
  const delayMs = delayAfter(failure, attempt, policy, { clock, random: randomOf(ctx) });
  if (delayMs === undefined) {
    throw ending(`The service asks to wait longer than maxDelayMs (${policy.maxDelayMs}) before the next attempt.`);
  }
  tell(ctx, { kind: "retry", attempt, error: failure, delayMs, message: messageOf(failure) });
  if (delayMs > 0) await pause(delayMs, clock, ctx.signal);
}

function isRetried(
  failure: unknown,
  attempt: number,
  { retryOn = isRetryableModelError }: FailedAttempt["policy"],
): boolean {
  try {
    return retryOn(failure, { attempt });
  } catch (cause) {
    throw optionFunctionFailed("retryOn", failure, cause);
  }
}
