import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import { runnable } from "../compose/component-runnable.js";
import type { KindOptions } from "../compose/options.js";
import { ChildOptions } from "../run/options/child-options.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { AttemptsStream } from "./attempts-stream.js";
import { notAnAnswer } from "./errors.js";
import {
  type AttemptedModel,
  abortStateOf,
  type CallOfAttempts,
  failureOf,
  type Messages,
  type ModelAttempt,
  type ModelAttempts,
} from "./model-attempts.js";

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
    ending: (failure) => failure,
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
