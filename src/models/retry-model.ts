import { checkOptions } from "../check-options.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import type { RetryPolicy } from "../components/policies.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { type AttemptingModel, attemptable, generateWith, repeatsOthers, streamWith } from "./attempts.js";
import { requireAfterContent, requireNumber, requireWhole } from "./check-options.js";
import { attemptsFailed, invalidModelOption } from "./errors.js";
import type { Model } from "./model.js";
import type { AfterContent, ModelAttempt, ModelAttempts } from "./model-attempts.js";
import { modelFrom } from "./to-model.js";

/**
 * When to retry a model call, and after what delay: the retry policy of a node, with defaults for models.
 *
 * @example
 * const policy: ModelRetryPolicy = {
 *   attempts: 5,
 *   maxDelayMs: 60_000,
 *   retryOn: (error, { attempt }) => isRetryableModelError(error) && attempt < 4,
 * };
 * const agent = createAgent({ model, retry: policy });
 */
export interface ModelRetryPolicy extends Pick<RetryPolicy, "attempts" | "factor" | "maxDelayMs" | "jitter"> {
  /** How long to wait before the second attempt. @default 1_000 */
  readonly delayMs?: number | undefined;
  /** Which failures to retry; `attempt` is the number of the one that failed. @default isRetryableModelError */
  readonly retryOn?: RetryPolicy["retryOn"];
  /**
   * The behavior of a stream that fails after its first content: it rejects, or a chunk with `restart: true` voids what was
   * read, and the answer begins again. @default "throw"
   */
  readonly afterContent?: AfterContent | undefined;
}

const names = ["attempts", "delayMs", "factor", "maxDelayMs", "jitter", "retryOn", "afterContent"] as const;

/**
 * Retries a model when it fails in a way that may be temporary. Waits at least as long as the service asks for. Each
 * attempt is a separate model run in traces. If a stream fails before its first content, readers do not notice the retry.
 *
 * @example
 * const patient = retryModel(model, { attempts: 5, maxDelayMs: 60_000 });
 * const app = new Chain<AgenticMessage[]>().appendModel(patient).compile();
 */
export function retryModel(model: Model, policy: ModelRetryPolicy = {}): AgenticModel {
  return new RetriedModel(modelFrom(model, "retryModel"), checkedPolicy(policy));
}

type Defaulted = Exclude<keyof ModelRetryPolicy, "retryOn">;
type Policy = { readonly [Name in Defaulted]-?: NonNullable<ModelRetryPolicy[Name]> } & Pick<
  ModelRetryPolicy,
  "retryOn"
>;

/** Fills in the defaults of a policy. Throws if it is invalid. */
export function checkedPolicy(policy: ModelRetryPolicy, where = "retryModel"): Policy {
  checkOptions(where, policy, names);
  const {
    attempts = 3,
    delayMs = 1_000,
    factor = 2,
    maxDelayMs = 30_000,
    jitter = true,
    retryOn,
    afterContent = "throw",
  } = policy;
  requireNumber(where, { attempts }, 1);
  requireWhole(where, "attempts", attempts);
  requireNumber(where, { delayMs, maxDelayMs }, 0);
  requireNumber(where, { factor }, 1);
  if (retryOn !== undefined && typeof retryOn !== "function")
    throw invalidModelOption(`retryOn of ${where} must be a function.`);
  requireAfterContent(where, afterContent);
  return { attempts, delayMs, factor, maxDelayMs, jitter, retryOn, afterContent };
}

class RetriedModel implements AttemptingModel {
  readonly component = "model" as const;
  readonly type = "RetryModel";
  readonly [repeatsOthers] = true;
  readonly #policy: Policy;
  readonly #model: ModelAttempt["model"];

  constructor(model: AgenticModel, policy: Policy) {
    this.#policy = policy;
    this.#model = attemptable(model);
  }

  generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    return generateWith(this.attempts(ctx), messages, ctx);
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    return streamWith(this.attempts(ctx), messages, ctx);
  }

  attempts(ctx: ModelContext): ModelAttempts {
    return new Retries(this.#model, this.#policy, ctx);
  }
}

class Retries implements ModelAttempts {
  readonly kind = "retry" as const;
  readonly first: ModelAttempt;
  readonly afterContent: AfterContent;
  readonly #policy: Policy;
  readonly #ctx: ModelContext;
  #number = 1;

  constructor(model: ModelAttempt["model"], policy: Policy, ctx: ModelContext) {
    this.first = { model, key: "attempt 1" };
    this.afterContent = policy.afterContent;
    this.#policy = policy;
    this.#ctx = ctx;
  }

  async next(failure: unknown): Promise<ModelAttempt> {
    if (this.#number >= this.#policy.attempts) throw this.ending(failure);
    const ending = (why: string): unknown => attemptsFailed(failure, this.#number, why);
    const { awaitRetry } = await import("./await-retry.js");
    await awaitRetry(failure, { attempt: this.#number, policy: this.#policy, ending }, this.#ctx);
    this.#number += 1;
    return { model: this.first.model, key: `attempt ${this.#number}` };
  }

  ending(failure: unknown): unknown {
    return attemptsFailed(failure, this.#number);
  }
}
