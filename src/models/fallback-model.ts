import { checkOptions } from "../check-options.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import { messageOf } from "../errors.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { type AttemptingModel, attemptable, generateWith, repeatsOthers, streamWith } from "./attempts.js";
import { requireAfterContent } from "./check-options.js";
import { fallbackFailed, invalidModelOption, optionFunctionFailed } from "./errors.js";
import type { Model } from "./model.js";
import type { AfterContent, AttemptedModel, ModelAttempt, ModelAttempts } from "./model-attempts.js";
import { ModelsExhaustedError } from "./models-exhausted-error.js";
import { tell } from "./tell.js";
import { modelFrom } from "./to-model.js";

/** Options of {@link fallbackModel}. */
export interface FallbackModelOptions {
  /** The failures after which the next model is asked. The call fails with any other error. @default all */
  readonly fallBackOn?: ((error: unknown) => boolean) | undefined;
  /**
   * The behavior of a stream that fails after its first content: it rejects, or a chunk with `restart: true` voids what was
   * read, and the next model answers from the beginning. @default "throw"
   */
  readonly afterContent?: AfterContent | undefined;
}

/**
 * Asks the next model when one fails. Once a run has moved to a model, it stays with that model. When no model is left, the
 * call fails with a {@link ModelsExhaustedError} that contains all their errors.
 *
 * @example
 * const [primary, secondary] = [scriptedModel(new Error("overloaded")), scriptedModel(assistantMessage("Hello!"))];
 * const steady = fallbackModel([retryModel(primary), secondary]);
 */
export function fallbackModel(models: readonly Model[], options: FallbackModelOptions = {}): AgenticModel {
  if (!Array.isArray(models) || models.length === 0) {
    throw invalidModelOption("fallbackModel takes a list of at least one model: fallbackModel([first, second]).");
  }
  checkOptions("fallbackModel", options, ["fallBackOn", "afterContent"]);
  const { fallBackOn = () => true, afterContent = "throw" } = options;
  if (typeof fallBackOn !== "function") throw invalidModelOption("fallBackOn of fallbackModel must be a function.");
  requireAfterContent("fallbackModel", afterContent);
  const list = models.map((model: Model, index) => modelFrom(model, `fallbackModel (model ${index + 1})`));
  return new FallbackModel(list.map(attemptable), { fallBackOn, afterContent });
}

interface Rule {
  readonly fallBackOn: (error: unknown) => boolean;
  readonly afterContent: AfterContent;
}

class FallbackModel implements AttemptingModel {
  readonly component = "model" as const;
  readonly type = "FallbackModel";
  readonly [repeatsOthers] = true;
  readonly #models: readonly AttemptedModel[];
  readonly #rule: Rule;
  readonly #positions = new RunPositions();

  constructor(models: readonly AttemptedModel[], rule: Rule) {
    this.#models = models;
    this.#rule = rule;
  }

  generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    return generateWith(this.attempts(ctx), messages, ctx);
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    return streamWith(this.attempts(ctx), messages, ctx);
  }

  attempts(ctx: ModelContext): ModelAttempts {
    return new Fallbacks(this.#models, this.#rule, this.#positions, ctx);
  }
}

class Fallbacks implements ModelAttempts {
  readonly kind = "fallback" as const;
  readonly first: ModelAttempt;
  readonly afterContent: AfterContent;
  readonly #models: readonly AttemptedModel[];
  readonly #rule: Rule;
  readonly #positions: RunPositions;
  readonly #ctx: ModelContext;
  readonly #errors: unknown[] = [];
  #position: number;

  constructor(models: readonly AttemptedModel[], rule: Rule, positions: RunPositions, ctx: ModelContext) {
    this.#models = models;
    this.#rule = rule;
    this.#positions = positions;
    this.#ctx = ctx;
    this.#position = positions.get(ctx);
    this.afterContent = rule.afterContent;
    this.first = this.#attempt();
  }

  async next(failure: unknown): Promise<ModelAttempt> {
    if (!this.#fallsBackOn(failure)) throw this.ending(failure);
    this.#errors.push(failure);
    this.#position += 1;
    if (this.#position >= this.#models.length) throw new ModelsExhaustedError(this.#errors);
    this.#positions.set(this.#ctx, this.#position);
    tell(this.#ctx, { kind: "fallback", model: this.#position + 1, error: failure, message: messageOf(failure) });
    return this.#attempt();
  }

  ending(failure: unknown): unknown {
    return fallbackFailed(failure, this.#errors);
  }

  #fallsBackOn(failure: unknown): boolean {
    try {
      return this.#rule.fallBackOn(failure);
    } catch (cause) {
      throw optionFunctionFailed("fallBackOn", failure, cause);
    }
  }

  #attempt(): ModelAttempt {
    const model = this.#models[this.#position] as AttemptedModel;
    return { model, key: `model ${this.#position + 1}` };
  }
}

/** The maximum number of remembered runs. A run that is forgotten starts with the first model again. */
const mostRuns = 1_000;

/** The current model of each run that has fallen back. */
class RunPositions {
  readonly #byRun = new Map<string, number>();

  get(ctx: ModelContext): number {
    return this.#byRun.size === 0 ? 0 : (this.#byRun.get(runOf(ctx)) ?? 0);
  }

  set(ctx: ModelContext, position: number): void {
    const run = runOf(ctx);
    this.#byRun.delete(run);
    this.#byRun.set(run, position);
    const [oldest] = this.#byRun.keys();
    if (this.#byRun.size > mostRuns && oldest !== undefined) this.#byRun.delete(oldest);
  }
}

/** The run that a context belongs to. Task keys begin with the key of their run, which is stable across resumes. */
function runOf({ taskKey }: ModelContext): string {
  return taskKey.slice(0, taskKey.indexOf(":"));
}
