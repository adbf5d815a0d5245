import type { ModelContext } from "../components/model.js";
import { endsRun, KumikoError } from "../errors.js";
import { Context } from "../run/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StreamReader } from "../schema/stream/reader.js";

export type Messages = readonly AgenticMessage[];

/** The behavior of a stream that fails after its first content: it throws, or sends a chunk that voids it and starts a new answer. */
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
  /** The error of the call if there is no further attempt: it says what was tried before. */
  ending(failure: unknown): unknown;
}

/** The fields that a call passes to its attempts in place of those of its context. */
export interface CallOfAttempts {
  readonly options: object;
  /** Names it among the calls of its context: its attempts have names with this prefix. */
  readonly name: string | undefined;
}

/** A model in the form that attempts call. Its answers are unchecked. */
export interface AttemptedModel {
  readonly type: string | undefined;
  generate(messages: Messages, ctx: ModelContext, key: string, call?: CallOfAttempts): Promise<unknown>;
  stream(messages: Messages, ctx: ModelContext, key: string, call?: CallOfAttempts): StreamReader<unknown>;
}

/** The error of the model itself. Rethrows aborts, interrupts and what else ends the run: they are not failures. */
export function failureOf(error: unknown, ctx: ModelContext): unknown {
  abortStateOf(ctx).throwIfAborted();
  if (endsRun(error)) throw error;
  if (!KumikoError.is(error)) return error;
  if (error.code === "INTERRUPTED") throw error;
  return error.code === "NODE_FAILED" && error.cause !== undefined ? error.cause : error;
}

/** Checks for aborts without creating the signal of the context, if nothing else has read it. */
export function abortStateOf(ctx: ModelContext): Pick<AbortSignal, "aborted" | "reason" | "throwIfAborted"> {
  return ctx instanceof Context && !Object.hasOwn(ctx, "signal") ? ctx.scope : ctx.signal;
}
