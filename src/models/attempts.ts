import type { AgenticModel, ModelContext, ModelOptions } from "../components/model.js";
import { runnable } from "../compose/component-runnable.js";
import type { RunOptions } from "../compose/options.js";
import { KumikoError } from "../errors.js";
import { Context } from "../run/context.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { SerialSource } from "../schema/stream/serial-source.js";
import type { ChunkSource } from "../schema/stream/source.js";
import { notAnAnswer } from "./errors.js";

type Messages = readonly AgenticMessage[];

/** What an answer that failed after its first content is followed by: its error, or a chunk that voids it and a new answer. */
export type AfterContent = "throw" | "restart";

/** One try to get an answer. */
export interface Attempt {
  readonly model: AttemptedModel;
  /** Names it among the runs of its call. */
  readonly key: string;
}

/** Decides what is tried. Each call of a model has its own. */
export interface Attempts {
  readonly first: Attempt;
  readonly afterContent: AfterContent;
  /** What is tried after a failure. Rejects with what the call fails with when that is the end. */
  next(failure: unknown): Promise<Attempt>;
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
  generate(messages: Messages, ctx: ModelContext, key: string): Promise<AgenticMessage>;
  stream(messages: Messages, ctx: ModelContext, key: string): StreamReader<AgenticMessage>;
}

/** Each call is a model run of its own in traces; of a model that repeats others, each of its attempts is. */
export function attemptable(model: AgenticModel): AttemptedModel {
  if (isRepeating(model)) {
    return {
      generate: (messages, ctx, key) => model.generate(messages, withPrefix(ctx, key)),
      stream: (messages, ctx, key) => StreamReader.from(model.stream(messages, withPrefix(ctx, key))),
    };
  }
  const run = runnable<Messages, AgenticMessage>(model, { name: "attempt" });
  return {
    generate: async (messages, ctx, key) => asMessage(model, await run.invoke(messages, optionsOf(ctx, key))),
    stream: (messages, ctx, key) => {
      const reader = run.stream(messages, optionsOf(ctx, key));
      return reader.filter((chunk) => asMessage(model, chunk) !== undefined);
    },
  };
}

/** Models of one's own may give anything. */
function asMessage({ type = "A model" }: AgenticModel, given: unknown): AgenticMessage {
  if (isAgenticMessage(given)) return given;
  throw notAnAnswer(type, given);
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
export async function generateWith(attempts: Attempts, messages: Messages, ctx: ModelContext): Promise<AgenticMessage> {
  for (let attempt = attempts.first; ; ) {
    stopOf(ctx).throwIfAborted();
    try {
      return await attempt.model.generate(messages, ctx, attempt.key);
    } catch (error) {
      attempt = await attempts.next(failureOf(error, ctx));
    }
  }
}

/**
 * The chunks of the first attempt that comes to its end. What an attempt sends before its first content is kept back until
 * then, so that one that fails before leaves no trace.
 */
export function streamWith(attempts: Attempts, messages: Messages, ctx: ModelContext): StreamReader<AgenticMessage> {
  return new StreamReader(new AttemptsStream(attempts, messages, ctx));
}

class AttemptsStream extends SerialSource<AgenticMessage> {
  readonly #attempts: Attempts;
  readonly #messages: Messages;
  readonly #ctx: ModelContext;
  #source: ChunkSource<AgenticMessage> | undefined;
  #hasContent = false;
  #hasEnded = false;
  /** Of this attempt, without content so far. */
  #held: AgenticMessage[] = [];
  /** To be read next. */
  #ready: AgenticMessage[] = [];

  constructor(attempts: Attempts, messages: Messages, ctx: ModelContext) {
    super();
    this.#attempts = attempts;
    this.#messages = messages;
    this.#ctx = ctx;
  }

  /** One promise per chunk: what goes through here is every word of an answer. */
  protected override async pull(): Promise<IteratorResult<AgenticMessage, undefined>> {
    try {
      let value = this.#ready.shift();
      this.#source ??= this.#open(this.#attempts.first);
      while (value === undefined && !this.#hasEnded) {
        try {
          value = this.#take(await this.#source.next());
        } catch (error) {
          if (await this.#failed(error)) value = restart;
        }
      }
      this.checkOpen();
      if (value !== undefined) {
        this.settle();
        return { done: false, value };
      }
    } catch (error) {
      this.finish();
      throw error;
    }
    this.finish();
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.#source?.cancel(reason);
  }

  #take({ done, value }: IteratorResult<AgenticMessage, undefined>): AgenticMessage | undefined {
    if (done === true) {
      this.#hasEnded = true;
      return this.#release();
    }
    if (this.#hasContent) return value;
    if (value.contentBlocks.length > 0) {
      this.#hasContent = true;
      return this.#release(value);
    }
    this.#held.push(value);
    return undefined;
  }

  /** What was kept back comes before the chunk. */
  #release(...chunks: readonly AgenticMessage[]): AgenticMessage | undefined {
    const [first, ...others] = [...this.#held, ...chunks];
    this.#held = [];
    this.#ready = others;
    return first;
  }

  /** Goes on with the next attempt. True when what was read so far is void. */
  async #failed(error: unknown): Promise<boolean> {
    this.checkOpen();
    const failure = failureOf(error, this.#ctx);
    const isSeen = this.#hasContent;
    if (isSeen && this.#attempts.afterContent === "throw") throw failure;
    const attempt = await this.#attempts.next(failure);
    this.checkOpen();
    this.#held = [];
    this.#hasContent = false;
    this.#source = this.#open(attempt);
    return isSeen;
  }

  #open(attempt: Attempt): ChunkSource<AgenticMessage> {
    stopOf(this.#ctx).throwIfAborted();
    return attempt.model.stream(this.#messages, this.#ctx, attempt.key).takeSource();
  }
}

const restart: AgenticMessage = Object.freeze({ role: "assistant", contentBlocks: Object.freeze([]), restart: true });

/** What the model itself failed with. A call that was stopped has not failed, nor has one that was interrupted. */
function failureOf(error: unknown, ctx: ModelContext): unknown {
  stopOf(ctx).throwIfAborted();
  if (!KumikoError.is(error)) return error;
  if (error.code === "INTERRUPTED") throw error;
  return error.code === "NODE_FAILED" && error.cause !== undefined ? error.cause : error;
}

/** What tells whether a call was stopped: its signal, which is not made for that where nothing else has asked for it. */
function stopOf(ctx: ModelContext): { throwIfAborted(): void } {
  return ctx instanceof Context && !Object.hasOwn(ctx, "signal") ? ctx.scope : ctx.signal;
}
