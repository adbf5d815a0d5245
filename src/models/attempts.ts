import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelContext, ModelOptions } from "../components/model.js";
import { runnable } from "../compose/component-runnable.js";
import type { RunOptions } from "../compose/options.js";
import { KumikoError } from "../errors.js";
import { Context } from "../run/context.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type ChunkSource, ended } from "../schema/stream/source.js";
import type { Passed, SplitReader } from "../schema/stream/split-source.js";
import { notAnAnswer } from "./errors.js";
import { PassingSource } from "./passing-source.js";

type Messages = readonly AgenticMessage[];

/** What happens if a stream fails after its first content: it throws, or sends a chunk that voids it and starts a new answer. */
export type AfterContent = "throw" | "restart";

/** One attempt to get an answer. */
export interface ModelAttempt {
  readonly model: AttemptedModel;
  /** The key of its child run. */
  readonly key: string;
}

/** The sequence of attempts of one model call. */
export interface ModelAttempts {
  /** Whether the next attempt is a retry or another model. */
  readonly kind: "retry" | "fallback";
  readonly first: ModelAttempt;
  readonly afterContent: AfterContent;
  /** Returns the attempt after a failure, or rejects with the error of the call if there is none. */
  next(failure: unknown): Promise<ModelAttempt>;
}

/** What a call passes to its attempts in place of fields of its context. */
export interface CallOfAttempts {
  readonly options: object;
  /** Names it among the calls of its context: its attempts have names with this prefix. */
  readonly name: string | undefined;
}

/** Marks models that delegate to other models, such as `retryModel`: only the attempts are model runs in traces. */
export const repeatsOthers: unique symbol = Symbol("repeats other models");

export interface RepeatingModel extends AgenticModel {
  readonly [repeatsOthers]: boolean;
}

/** A model that decides what is tried. */
export interface AttemptingModel extends RepeatingModel {
  attempts(ctx: ModelContext): ModelAttempts;
}

export function isAttempting(model: AgenticModel): model is AttemptingModel {
  return "attempts" in model && isRepeating(model);
}

export function isRepeating(model: AgenticModel): boolean {
  return repeatsOthers in model && model[repeatsOthers] === true;
}

/** A model in the form that attempts call. */
export interface AttemptedModel {
  readonly type: string | undefined;
  /** The result is unchecked: see {@link requireAnswer}. */
  generate(messages: Messages, ctx: ModelContext, key: string, call?: CallOfAttempts): Promise<unknown>;
  stream(messages: Messages, ctx: ModelContext, key: string, call?: CallOfAttempts): StreamReader<AgenticMessage>;
}

/** Makes each call a separate model run in traces. For a model that delegates, each of its attempts is one. */
export function attemptable(model: AgenticModel): AttemptedModel {
  if (isRepeating(model)) {
    return {
      type: model.type,
      generate: (messages, ctx, key, call) => model.generate(messages, inside(ctx, key, call)),
      stream: (messages, ctx, key, call) => StreamReader.from(model.stream(messages, inside(ctx, key, call))),
    };
  }
  const run = runnable<Messages, AgenticMessage>(model, { name: "attempt" });
  return {
    type: model.type,
    generate: (messages, ctx, key, call) => run.invoke(messages, optionsOf(ctx, key, call)),
    stream: (messages, ctx, key, call) =>
      new StreamReader(new CheckedAnswer(model, run.stream(messages, optionsOf(ctx, key, call)))),
  };
}

/** Throws if a custom model returned something that is not a message. */
function requireAnswer({ type = "A model" }: AttemptedModel, given: unknown): AgenticMessage {
  if (isAgenticMessage(given)) return given;
  throw notAnAnswer(type, given);
}

/** Asks a model once, without further attempts. */
export async function generateOnce(
  model: AttemptedModel,
  messages: Messages,
  ctx: ModelContext,
  key: string,
  call?: CallOfAttempts,
): Promise<AgenticMessage> {
  return requireAnswer(model, await model.generate(messages, ctx, key, call));
}

/** The context field that prefixes the keys of nested attempts. */
const keyPrefix = "attemptPrefix";

/** A context in which the keys of attempts begin with a prefix, for a model that makes further attempts. */
function inside(ctx: ModelContext, key: string, call: CallOfAttempts | undefined): ModelContext {
  const prefix = { [keyPrefix]: `${prefixOf(ctx, call)}${key} ` };
  return ctx.with(call === undefined ? prefix : { ...prefix, options: call.options }) as ModelContext;
}

/** A context with what a call passes to its attempts, for a model that makes them itself. */
export function withCall(ctx: NodeContext, call: CallOfAttempts): ModelContext {
  const own = ctx as ModelContext;
  const { options, name } = call;
  return own.with(name === undefined ? { options } : { options, [keyPrefix]: prefixOf(own, call) }) as ModelContext;
}

function prefixOf(ctx: ModelContext, call: CallOfAttempts | undefined): string {
  const around = keyPrefix in ctx ? String(ctx[keyPrefix]) : "";
  return call?.name === undefined ? around : `${around}${call.name} `;
}

function optionsOf(ctx: ModelContext, name: string, call: CallOfAttempts | undefined): RunOptions {
  const given: object | undefined = call === undefined ? ctx.options : call.options;
  const model = (given ?? {}) as ModelOptions & Readonly<Record<string, unknown>>;
  const key = `${prefixOf(ctx, call)}${name}`;
  for (const _ in model) return { parent: ctx, key, options: { model } };
  return { parent: ctx, key };
}

/** Returns the answer of the first attempt that succeeds. */
export async function generateWith(
  attempts: ModelAttempts,
  messages: Messages,
  ctx: ModelContext,
  call?: CallOfAttempts,
): Promise<AgenticMessage> {
  for (let attempt = attempts.first; ; ) {
    abortStateOf(ctx).throwIfAborted();
    try {
      return requireAnswer(attempt.model, await attempt.model.generate(messages, ctx, attempt.key, call));
    } catch (error) {
      attempt = await attempts.next(failureOf(error, ctx));
    }
  }
}

/**
 * Streams the first attempt that succeeds. Chunks before the first content are held back, so that an attempt that fails earlier
 * leaves no trace.
 */
export function streamWith(
  attempts: ModelAttempts,
  messages: Messages,
  ctx: ModelContext,
  call?: CallOfAttempts,
): StreamReader<AgenticMessage> {
  return new StreamReader(new AttemptsStream(attempts, messages, ctx, call));
}

type Result = IteratorResult<AgenticMessage, undefined>;

class AttemptsStream extends PassingSource<AgenticMessage> {
  readonly #attempts: ModelAttempts;
  readonly #messages: Messages;
  readonly #ctx: ModelContext;
  readonly #call: CallOfAttempts | undefined;
  #hasContent = false;
  #hasEnded = false;
  /** The chunks of this attempt before its first content. */
  #held: AgenticMessage[] = [];
  /** Chunks to return next. */
  #ready: AgenticMessage[] = [];

  constructor(attempts: ModelAttempts, messages: Messages, ctx: ModelContext, call: CallOfAttempts | undefined) {
    super();
    this.#attempts = attempts;
    this.#messages = messages;
    this.#ctx = ctx;
    this.#call = call;
  }

  override begun(reader?: SplitReader): Promise<Result> {
    return this.#ready.length > 0 || this.#hasEnded ? ended() : super.begun(reader);
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

  /** Continues with the next attempt, which voids what was read so far. */
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
      this.goOn(this.#open(attempt));
      return isSeen ? { done: false, value: restarts[this.#attempts.kind] } : undefined;
    } catch (thrown) {
      this.finish();
      throw thrown;
    }
  }

  protected override open(): ChunkSource<AgenticMessage> {
    return this.#open(this.#attempts.first);
  }

  /** Releases the held chunks: returns the first one, and queues the others. */
  #release(): AgenticMessage | undefined {
    const [first, ...others] = this.#held;
    this.#held = [];
    this.#ready = others;
    return first;
  }

  #open(attempt: ModelAttempt): ChunkSource<AgenticMessage> {
    abortStateOf(this.#ctx).throwIfAborted();
    return attempt.model.stream(this.#messages, this.#ctx, attempt.key, this.#call).takeSource();
  }
}

/** Passes on the chunks of a custom model, and throws if one is not a message. */
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

/** The chunks that void what was streamed, by reason. */
const restarts = { retry: restartChunk(), fallback: restartChunk() };

function restartChunk(): AgenticMessage {
  return Object.freeze({ role: "assistant", contentBlocks: Object.freeze([]), restart: true });
}

/** Why an answer restarts. Restart chunks of custom models count as a retry. */
export function restartReasonOf(chunk: AgenticMessage): keyof typeof restarts {
  return chunk === restarts.fallback ? "fallback" : "retry";
}

/** The error of the model itself. Rethrows aborts and interrupts, which are not failures. */
function failureOf(error: unknown, ctx: ModelContext): unknown {
  abortStateOf(ctx).throwIfAborted();
  if (!KumikoError.is(error)) return error;
  if (error.code === "INTERRUPTED") throw error;
  return error.code === "NODE_FAILED" && error.cause !== undefined ? error.cause : error;
}

/** Checks for aborts without creating the signal of the context, if nothing else has read it. */
export function abortStateOf(ctx: ModelContext): { throwIfAborted(): void } {
  return ctx instanceof Context && !Object.hasOwn(ctx, "signal") ? ctx.scope : ctx.signal;
}
