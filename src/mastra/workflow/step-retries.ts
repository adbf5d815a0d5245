import type { RetryPolicy } from "../../components/policies.js";
import type { AnyStep } from "./step.js";

/** How steps of a workflow are tried again that do not say it themselves. */
export interface WorkflowRetry {
  readonly attempts: number;
  readonly delayMs: number;
}

/** The retries of one step: a policy of its node. */
export interface StepRetries {
  /** `undefined`: it is tried once. */
  readonly policy: RetryPolicy | undefined;
  /** Whether an attempt that has failed is the last one. */
  isLast(attempt: number, error: unknown): boolean;
  /** With this error it is not tried again. */
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

/** Mastra tries again after any failure, each time after the same delay. */
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
