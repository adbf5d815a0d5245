import { checkOptions, type OptionSpec } from "../check-options.js";
import type { Answer, Question } from "../checkpoint/document/snapshot.js";
import { answerUnused, askedTooLate, schemaNeedsJson } from "../checkpoint/errors.js";
import { type InterruptError, waitsAt } from "../checkpoint/pause/interrupt.js";
import type { Invocation } from "../checkpoint/pause/invocation.js";
import type { AskOptions, InterruptOptions } from "../components/context.js";
import type { KumikoError } from "../errors.js";
import { toJsonSchema } from "../schema/json-schema/convert.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import type { Environment } from "./environment.js";
import type { AnsweringContext, AnswerSchema } from "./saved/parse-answer.js";

/** The parts of a context that are used here. */
export interface AskingContext extends AnsweringContext {
  readonly environment: Environment;
  readonly isOver: boolean;
  readonly scope: { throwIfAborted(): void };
  noteStop(): void;
  commit(): Promise<void> | undefined;
}

/** `ctx.ask`: resolves to the answer, or rejects with the interrupt that ends this execution. */
export function askAt(context: AskingContext, asking: Asking): Promise<never> {
  try {
    const { schema } = asking;
    const asked = findAnswered(context, asking);
    if (schema === undefined) return Promise.resolve(asked.answer.data as never);
    return parseAt(context, asked, schema);
  } catch (error) {
    return rejected(error);
  }
}

interface Asking {
  readonly key: string;
  readonly info: unknown;
  readonly schema: AnswerSchema | undefined;
  readonly options: AskOptions | undefined;
}

type Answered = Question & { readonly answer: Answer };

function findAnswered(context: AskingContext, { key, info, schema, options }: Asking): Answered {
  context.scope.throwIfAborted();
  if (context.isOver) throw askedTooLate(`ask("${String(key)}")`, context.address);
  const { invocation } = context;
  invocation.useKey("ask", key);
  const asked = invocation.findAsk(key);
  if (asked?.answer !== undefined) {
    asked.fresh = false;
    if (asked.answer.isLate === true) throw context.environment.savedRuns?.expired(asked);
    return asked as Answered;
  }
  const jsonSchema = schema === undefined ? undefined : jsonSchemaOf(`ask("${key}")`, schema, context.address);
  const lasts = options === undefined ? undefined : lastsFor(key, options, context.address);
  const expiresAt = lasts === undefined ? undefined : Math.floor(context.runtime.clock.now() + lasts);
  throw stop(context, invocation.ask(key, info, jsonSchema, expiresAt));
}

/**
 * A rejected promise that is already handled: the invocation records the interrupt, so the caller need not await this one. (The
 * handler is attached first, because Node.js keeps a list of promises that are rejected without one, which is expensive.)
 */
function rejected(error: unknown): Promise<never> {
  let reject: (reason: unknown) => void = ignore;
  const promise = new Promise<never>((_resolve, rejectIt) => {
    reject = rejectIt;
  });
  promise.then(undefined, ignore);
  reject(error);
  return promise;
}

function ignore(): void {}

async function parseAt(context: AskingContext, asked: Answered, schema: AnswerSchema): Promise<never> {
  context.invocation.enter();
  try {
    return (await context.environment.savedRuns?.parseAnswer(context, asked, schema, asked.answer.data)) as never;
  } finally {
    context.invocation.leave();
  }
}

/** The error for an answer that the code which has just run there has not asked for, as after a change of the graph. */
export function unusedAnswerOf(context: {
  readonly openedInvocation: Invocation | undefined;
  readonly nodePath: readonly string[];
}): KumikoError | undefined {
  const unused = context.openedInvocation?.unusedAnswer;
  return unused && answerUnused(context.nodePath, unused.key, unused.address);
}

/** `ctx.interrupt`: throws the interrupt that ends this execution. */
export function interruptAt(context: AskingContext, info: unknown, { state, schema }: InterruptOptions = {}): never {
  context.scope.throwIfAborted();
  if (context.isOver) throw askedTooLate("interrupt", context.address);
  const jsonSchema = schema === undefined ? undefined : jsonSchemaOf("interrupt", schema, context.address);
  throw stop(context, context.invocation.interrupt(info, jsonSchema, state));
}

/** `ctx.once`: the remembered result, or that of `work`. */
export async function onceAt<T>(context: AskingContext, key: string, work: () => T | Promise<T>): Promise<T> {
  const { invocation } = context;
  context.scope.throwIfAborted();
  invocation.useKey("once", key);
  const known = invocation.recall(key);
  if (known !== undefined) return known.value as T;
  invocation.enter();
  try {
    const value = await work();
    invocation.remember(key, value);
    await context.commit();
    return value;
  } finally {
    invocation.leave();
  }
}

function jsonSchemaOf(what: string, schema: AnswerSchema, address: string): JsonSchema {
  try {
    return toJsonSchema(schema);
  } catch (cause) {
    throw schemaNeedsJson(what, address, cause);
  }
}

/** How long a question is open, if it is not for ever. */
function lastsFor(key: string, options: AskOptions, address: string): number | undefined {
  checkOptions(`ask("${key}") at "${address}"`, options, askOptions);
  return options.expiresMs;
}

/** The last moment that a `Date` can hold is further away than the longest time. */
const isTime = (given: unknown): boolean => typeof given === "number" && given >= 0 && given <= 1e15;
const askOptions: OptionSpec = { expiresMs: [isTime, "a number of milliseconds"] };

function stop(context: AskingContext, { id, address, info, schema, expiresAt }: Question): InterruptError {
  context.noteStop();
  const asked = schema === undefined ? { id, address, info } : { id, address, info, schema };
  const interrupt = expiresAt === undefined ? asked : { ...asked, expiresAt };
  return waitsAt(address, [interrupt], context.environment);
}
