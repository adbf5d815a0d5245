import type { Answer, Question } from "../checkpoint/document/snapshot.js";
import { askedTooLate, schemaNeedsJson } from "../checkpoint/errors.js";
import { type InterruptError, waitsAt } from "../checkpoint/pause/interrupt.js";
import type { InterruptOptions } from "../components/context.js";
import { toJsonSchema } from "../schema/json-schema/convert.js";
import type { JsonSchema } from "../schema/standard-schema.js";
import type { Environment } from "./environment.js";
import type { AnsweredPlace, AnySchema } from "./saved/parse-answer.js";

/** What these need of a place. */
export interface AskingPlace extends AnsweredPlace {
  readonly environment: Environment;
  readonly isOver: boolean;
  readonly scope: { throwIfAborted(): void };
  noteStop(): void;
  commit(): Promise<void> | undefined;
}

/** `ctx.ask`: the answer, or the end of this execution of the place. */
export function askAt(place: AskingPlace, key: string, info: unknown, schema: AnySchema | undefined): Promise<never> {
  try {
    const asked = findAnswered(place, key, info, schema);
    if (schema === undefined) return Promise.resolve(asked.answer.data as never);
    return parseAt(place, asked, schema);
  } catch (error) {
    return rejected(error);
  }
}

type Answered = Question & { readonly answer: Answer };

function findAnswered(place: AskingPlace, key: string, info: unknown, schema: AnySchema | undefined): Answered {
  place.scope.throwIfAborted();
  if (place.isOver) throw askedTooLate(`ask("${String(key)}")`, place.address);
  const { visit } = place;
  visit.useKey("ask", key);
  const asked = visit.findAsk(key);
  if (asked?.answer !== undefined) return asked as Answered;
  const travels = schema === undefined ? undefined : jsonSchemaOf(`ask("${key}")`, schema, place.address);
  throw stop(place, visit.ask(key, info, travels));
}

/**
 * A rejected promise that has been listened to: the place remembers how it stopped, whether or not somebody waits for this.
 * (One that is rejected before anybody listens is dear too: Node.js keeps it until its queue of microtasks is empty.)
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

async function parseAt(place: AskingPlace, asked: Answered, schema: AnySchema): Promise<never> {
  place.visit.enter();
  try {
    return (await place.environment.savedRuns?.parseAnswer(place, asked, schema, asked.answer.data)) as never;
  } finally {
    place.visit.leave();
  }
}

/** `ctx.interrupt`: the end of this execution of the place. */
export function interruptAt(place: AskingPlace, info: unknown, { state, schema }: InterruptOptions = {}): never {
  place.scope.throwIfAborted();
  if (place.isOver) throw askedTooLate("interrupt", place.address);
  const travels = schema === undefined ? undefined : jsonSchemaOf("interrupt", schema, place.address);
  throw stop(place, place.visit.interrupt(info, travels, state));
}

/** `ctx.once`: what was remembered, or what `work` gives. */
export async function onceAt<T>(place: AskingPlace, key: string, work: () => T | Promise<T>): Promise<T> {
  const { visit } = place;
  place.scope.throwIfAborted();
  visit.useKey("once", key);
  const known = visit.recall(key);
  if (known !== undefined) return known.value as T;
  visit.enter();
  try {
    const value = await work();
    visit.remember(key, value);
    await place.commit();
    return value;
  } finally {
    visit.leave();
  }
}

function jsonSchemaOf(what: string, schema: AnySchema, address: string): JsonSchema {
  try {
    return toJsonSchema(schema);
  } catch (cause) {
    throw schemaNeedsJson(what, address, cause);
  }
}

function stop(place: AskingPlace, { id, address, info, schema }: Question): InterruptError {
  place.noteStop();
  const interrupt = schema === undefined ? { id, address, info } : { id, address, info, schema };
  return waitsAt(address, [interrupt]);
}
