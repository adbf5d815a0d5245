import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import { runnable } from "../compose/component-runnable.js";
import type { KindOptions } from "../compose/options.js";
import { KumikoError } from "../errors.js";
import { Context } from "../run/context.js";
import { ChildOptions } from "../run/options/child-options.js";
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

/** A model in the form that attempts call. Its answers are unchecked. */
export interface AttemptedModel {
  readonly type: string | undefined;
  generate(messages: Messages, ctx: ModelContext, key: string, call?: CallOfAttempts): Promise<unknown>;
  stream(messages: Messages, ctx: ModelContext, key: string, call?: CallOfAttempts): StreamReader<unknown>;
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
    stream: (messages, ctx, key, call) => run.stream(messages, optionsOf(ctx, key, call)),
  };
}

/** The attempts of a model that is asked once. */
export function onlyAttempt(model: AttemptedModel): ModelAttempts {
  return {
    kind: "retry",
    first: { model, key: "attempt 1" },
    afterContent: "throw",
    next: (failure) => Promise.reject(failure),
  };
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

function optionsOf(ctx: ModelContext, name: string, call: CallOfAttempts | undefined): ChildOptions {
  const model = (call?.options ?? ctx.options) as KindOptions["model"];
  return new ChildOptions(ctx, `${prefixOf(ctx, call)}${name}`, { model });
}

/** Returns the answer of the first attempt that succeeds. */
export function generateWith(
  attempts: ModelAttempts,
  messages: Messages,
  ctx: ModelContext,
  call?: CallOfAttempts,
): Promise<AgenticMessage> {
  const ask = ({ model, key }: ModelAttempt): Promise<AgenticMessage> => {
    const { aborted, reason } = abortStateOf(ctx);
    if (aborted) return Promise.reject(reason);
    const take = (given: unknown): AgenticMessage | Promise<AgenticMessage> =>
      isAgenticMessage(given) ? given : goOn(notAnAnswer(model.type, given));
    return model.generate(messages, ctx, key, call).then(take, goOn);
  };
  const goOn = async (error: unknown): Promise<AgenticMessage> => ask(await attempts.next(failureOf(error, ctx)));
  return ask(attempts.first);
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
  #attempt: ModelAttempt;
  #hasContent = false;
  #hasEnded = false;
  /** The chunks of this attempt before its first content. */
  #held: AgenticMessage[] = [];
  /** Chunks to return next. */
  #ready: AgenticMessage[] = [];

  constructor(attempts: ModelAttempts, messages: Messages, ctx: ModelContext, call: CallOfAttempts | undefined) {
    super();
    this.#attempts = attempts;
    this.#attempt = attempts.first;
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
    if (!isAgenticMessage(result.value)) return this.#refused(result.value);
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
      this.#attempt = await this.#attempts.next(failure);
      this.checkOpen();
      this.#held = [];
      this.#hasContent = false;
      this.goOn(this.#open(this.#attempt));
      return isSeen ? { done: false, value: restarts[this.#attempts.kind] } : undefined;
    } catch (thrown) {
      this.finish();
      throw thrown;
    }
  }

  protected override open(): ChunkSource<AgenticMessage> {
    return this.#open(this.#attempt);
  }

  /** A chunk of a custom model that is not a message ends its attempt. */
  #refused(given: unknown): Promise<Result | undefined> {
    const error = notAnAnswer(this.#attempt.model.type, given);
    this.stop(error);
    return this.failed(error);
  }

  /** Releases the held chunks: returns the first one, and queues the others. */
  #release(): AgenticMessage | undefined {
    const [first, ...others] = this.#held;
    this.#held = [];
    this.#ready = others;
    return first;
  }

  #open({ model, key }: ModelAttempt): ChunkSource<AgenticMessage> {
    abortStateOf(this.#ctx).throwIfAborted();
    return model.stream(this.#messages, this.#ctx, key, this.#call).takeSource() as ChunkSource<AgenticMessage>;
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
export function abortStateOf(ctx: ModelContext): Pick<AbortSignal, "aborted" | "reason" | "throwIfAborted"> {
  return ctx instanceof Context && !Object.hasOwn(ctx, "signal") ? ctx.scope : ctx.signal;
}
