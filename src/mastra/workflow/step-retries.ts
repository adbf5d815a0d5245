import type { RetryPolicy } from "../../components/policies.js";
import type { AnyStep } from "./step.js";

/** The retries of steps without `retries` of their own. */
export interface WorkflowRetry {
  readonly attempts: number;
  readonly delayMs: number;
}

/** The retries of one step. */
export interface StepRetries {
  /** The retry policy of its node; `undefined` for no retries. */
  readonly policy: RetryPolicy | undefined;
  /** Whether a failed attempt is the last one. */
  isLast(attempt: number, error: unknown): boolean;
  /** Prevents retries after this error. */
  giveUpOn(error: unknown): void;
}

export function stepRetries({ retries }: AnyStep, { attempts, delayMs }: WorkflowRetry): StepRetries {
  const limit = (retries ?? attempts) + 1;
  const final = new WeakSet<object>();
  const isFinal = (error: unknown): boolean => typeof error === "object" && error !== null && final.has(error);
  return {
    policy: limit === 1 ? undefined : retryPolicy(limit, delayMs, isFinal),
    isLast: (attempt, error) => attempt >= limit || isFinal(error),
    giveUpOn: (error) => void (typeof error === "object" && error !== null && final.add(error)),
  };
}

/** As in Mastra, retries any failure, always after the same delay. */
function retryPolicy(attempts: number, delayMs: number, isFinal: (error: unknown) => boolean): RetryPolicy {
  return {
    attempts,
    delayMs,
    maxDelayMs: Number.POSITIVE_INFINITY,
    factor: 1,
    jitter: false,
    retryOn: (error) => !isFinal(error),
  };
}
