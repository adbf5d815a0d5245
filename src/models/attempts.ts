import type { AgenticModel, ModelContext, ModelOptions } from "../components/model.js";
import { runnable } from "../compose/component-runnable.js";
import type { RunOptions } from "../compose/options.js";
import { KumikoError } from "../errors.js";
import { Context } from "../run/context.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type ChunkSource, ended } from "../schema/stream/source.js";
import { notAnAnswer } from "./errors.js";
import { type Passed, PassingSource } from "./passing-source.js";

type Messages = readonly AgenticMessage[];

/** What an answer that failed after its first content is followed by: its error, or a chunk that voids it and a new answer. */
export type AfterContent = "throw" | "restart";

/** One try to get an answer. */
export interface ModelAttempt {
  readonly model: AttemptedModel;
  /** Names it among the runs of its call. */
  readonly key: string;
}

/** Decides what is tried. Each call of a model has its own. */
export interface ModelAttempts {
  /** What the next attempt is. */
  readonly kind: "retry" | "fallback";
  readonly first: ModelAttempt;
  readonly afterContent: AfterContent;
  /** What is tried after a failure. Rejects with what the call fails with when that is the end. */
  next(failure: unknown): Promise<ModelAttempt>;
}

/** Marks models that only repeat others: the attempts are the model runs, and not what makes them. */
export const repeatsOthers: unique symbol = Symbol("repeats other models");

export interface RepeatingModel extends AgenticModel {
  readonly [repeatsOthers]: boolean;
}

export function isRepeating(model: AgenticModel): boolean {
  return repeatsOthers in model && model[repeatsOthers] === true;
}

/** A model as what attempts call. */
export interface AttemptedModel {
  readonly type: string | undefined;
  /** What it gives may be anything: see {@link requireAnswer}. */
  generate(messages: Messages, ctx: ModelContext, key: string): Promise<unknown>;
  stream(messages: Messages, ctx: ModelContext, key: string): StreamReader<AgenticMessage>;
}

/** Each call is a model run of its own in traces; of a model that repeats others, each of its attempts is. */
export function attemptable(model: AgenticModel): AttemptedModel {
  if (isRepeating(model)) {
    return {
      type: model.type,
      generate: (messages, ctx, key) => model.generate(messages, withPrefix(ctx, key)),
      stream: (messages, ctx, key) => StreamReader.from(model.stream(messages, withPrefix(ctx, key))),
    };
  }
  const run = runnable<Messages, AgenticMessage>(model, { name: "attempt" });
  return {
    type: model.type,
    generate: (messages, ctx, key) => run.invoke(messages, optionsOf(ctx, key)),
    stream: (messages, ctx, key) =>
      new StreamReader(new CheckedAnswer(model, run.stream(messages, optionsOf(ctx, key)))),
  };
}

/** Models of one's own may give anything. */
function requireAnswer({ type = "A model" }: AttemptedModel, given: unknown): AgenticMessage {
  if (isAgenticMessage(given)) return given;
  throw notAnAnswer(type, given);
}

/** The answer of a model that is asked once. */
export async function generateOnce(
  model: AttemptedModel,
  messages: Messages,
  ctx: ModelContext,
  key: string,
): Promise<AgenticMessage> {
  return requireAnswer(model, await model.generate(messages, ctx, key));
}

/** What names the attempts of a model that is itself an attempt. */
const keyPrefix = "attemptPrefix";

/** What is called with this context has attempts of its own: they have names with this prefix. */
export function withPrefix(ctx: ModelContext, key: string): ModelContext {
  return ctx.with({ [keyPrefix]: `${prefixOf(ctx)}${key} ` }) as ModelContext;
}

function prefixOf(ctx: ModelContext): string {
  return keyPrefix in ctx ? String(ctx[keyPrefix]) : "";
}

function optionsOf(ctx: ModelContext, name: string): RunOptions {
  const given: object | undefined = ctx.options;
  const model = (given ?? {}) as ModelOptions & Readonly<Record<string, unknown>>;
  const key = `${prefixOf(ctx)}${name}`;
  for (const _ in model) return { parent: ctx, key, options: { model } };
  return { parent: ctx, key };
}

/** The answer of the first attempt that has one. */
export async function generateWith(
  attempts: ModelAttempts,
  messages: Messages,
  ctx: ModelContext,
): Promise<AgenticMessage> {
  for (let attempt = attempts.first; ; ) {
    stopOf(ctx).throwIfAborted();
    try {
      return requireAnswer(attempt.model, await attempt.model.generate(messages, ctx, attempt.key));
    } catch (error) {
      attempt = await attempts.next(failureOf(error, ctx));
    }
  }
}

/**
 * The chunks of the first attempt that comes to its end. What an attempt sends before its first content is kept back until
 * then, so that one that fails before leaves no trace.
 */
export function streamWith(
  attempts: ModelAttempts,
  messages: Messages,
  ctx: ModelContext,
): StreamReader<AgenticMessage> {
  return new StreamReader(new AttemptsStream(attempts, messages, ctx));
}

type Result = IteratorResult<AgenticMessage, undefined>;

class AttemptsStream extends PassingSource<AgenticMessage> {
  readonly #attempts: ModelAttempts;
  readonly #messages: Messages;
  readonly #ctx: ModelContext;
  #hasContent = false;
  #hasEnded = false;
  /** Of this attempt, without content so far. */
  #held: AgenticMessage[] = [];
  /** To be read next. */
  #ready: AgenticMessage[] = [];

  constructor(attempts: ModelAttempts, messages: Messages, ctx: ModelContext) {
    super();
    this.#attempts = attempts;
    this.#messages = messages;
    this.#ctx = ctx;
  }

  override begun(): Promise<Result> {
    return this.#ready.length > 0 || this.#hasEnded ? ended() : super.begun();
  }

  override pass(result: Result): Passed<AgenticMessage> {
    if (this.#ready.length === 0 && !this.#hasEnded) return super.pass(result);
    const value = this.#ready.shift();
    if (value !== undefined) return { done: false, value };
    this.finish();
    return { done: true, value: undefined };
  }

  protected override passed(result: Result): Passed<AgenticMessage> {
    if (!this.isOpen) return this.closed();
    if (result.done === true) {
      this.#hasEnded = true;
      const value = this.#release();
      if (value !== undefined) return { done: false, value };
      this.finish();
      return result;
    }
    if (this.#hasContent) return result;
    if (result.value.contentBlocks.length > 0) {
      this.#hasContent = true;
      if (this.#held.length === 0) return result;
      this.#held.push(result.value);
      return { done: false, value: this.#release() ?? result.value };
    }
    this.#held.push(result.value);
    return undefined;
  }

  /** Goes on with the next attempt. What was read so far is void then. */
  protected override async failed(error: unknown): Promise<Result | undefined> {
    try {
      this.checkOpen();
      const failure = failureOf(error, this.#ctx);
      const isSeen = this.#hasContent;
      if (isSeen && this.#attempts.afterContent === "throw") throw failure;
      const attempt = await this.#attempts.next(failure);
      this.checkOpen();
      this.#held = [];
      this.#hasContent = false;
      this.source = this.#open(attempt);
      return isSeen ? { done: false, value: restarts[this.#attempts.kind] } : undefined;
    } catch (thrown) {
      this.finish();
      throw thrown;
    }
  }

  protected override open(): ChunkSource<AgenticMessage> {
    return this.#open(this.#attempts.first);
  }

  /** What was kept back. */
  #release(): AgenticMessage | undefined {
    const [first, ...others] = this.#held;
    this.#held = [];
    this.#ready = others;
    return first;
  }

  #open(attempt: ModelAttempt): ChunkSource<AgenticMessage> {
    stopOf(this.#ctx).throwIfAborted();
    return attempt.model.stream(this.#messages, this.#ctx, attempt.key).takeSource();
  }
}

/** The same, as long as they are messages. */
class CheckedAnswer extends PassingSource<AgenticMessage> {
  readonly #model: AgenticModel;
  readonly #given: ChunkSource<AgenticMessage>;

  constructor(model: AgenticModel, given: StreamReader<AgenticMessage>) {
    super();
    this.#model = model;
    this.#given = given.takeSource();
  }

  protected override open(): ChunkSource<AgenticMessage> {
    return this.#given;
  }

  protected override passed(result: Result): Passed<AgenticMessage> {
    if (!this.isOpen) return this.closed();
    if (result.done === true) this.finish();
    else if (!isAgenticMessage(result.value)) return this.#refused(result.value);
    return result;
  }

  protected override async failed(error: unknown): Promise<never> {
    this.checkOpen();
    this.finish();
    throw error;
  }

  protected override stop(reason: unknown): void {
    this.#given.cancel(reason);
  }

  async #refused(given: unknown): Promise<never> {
    const error = notAnAnswer(this.#model.type ?? "A model", given);
    this.finish();
    this.#given.cancel(error);
    throw error;
  }
}

/** The chunk that voids what was streamed, for each reason to begin again. */
const restarts = { retry: restartChunk(), fallback: restartChunk() };

function restartChunk(): AgenticMessage {
  return Object.freeze({ role: "assistant", contentBlocks: Object.freeze([]), restart: true });
}

/** Why an answer begins again; models of one's own do not say. */
export function restartReasonOf(chunk: AgenticMessage): keyof typeof restarts {
  return chunk === restarts.fallback ? "fallback" : "retry";
}

/** What the model itself failed with. A call that was stopped has not failed, nor has one that was interrupted. */
function failureOf(error: unknown, ctx: ModelContext): unknown {
  stopOf(ctx).throwIfAborted();
  if (!KumikoError.is(error)) return error;
  if (error.code === "INTERRUPTED") throw error;
  return error.code === "NODE_FAILED" && error.cause !== undefined ? error.cause : error;
}

/** What tells whether a call was stopped: its signal, which is not made for that where nothing else has asked for it. */
export function stopOf(ctx: ModelContext): { throwIfAborted(): void } {
  return ctx instanceof Context && !Object.hasOwn(ctx, "signal") ? ctx.scope : ctx.signal;
}
