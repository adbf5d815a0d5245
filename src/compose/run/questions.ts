import type { InterruptOptions } from "../../components/context.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { schemaNeedsJson } from "../interrupt/errors.js";
import { type InterruptError, waitsAt } from "../interrupt/interrupt.js";
import type { Question } from "../interrupt/snapshot.js";
import type { Environment } from "./environment.js";
import type { AnsweredPlace, AnySchema } from "./parse-answer.js";

/** What these need of a place. */
export interface AskingPlace extends AnsweredPlace {
  readonly environment: Environment;
  readonly scope: { throwIfAborted(): void };
  noteStop(): void;
  commit(): Promise<void> | undefined;
}

/** `ctx.ask`: the answer, or the end of this execution of the place. */
export async function askAt(
  place: AskingPlace,
  key: string,
  info: unknown,
  schema: AnySchema | undefined,
): Promise<never> {
  const { visit } = place;
  place.scope.throwIfAborted();
  visit.useKey("ask", key);
  const asked = visit.findAsk(key);
  if (asked?.answer === undefined) {
    const travels = schema === undefined ? undefined : jsonSchemaOf(`ask("${key}")`, schema, place.address);
    throw stop(place, visit.ask(key, info, travels));
  }
  const { data } = asked.answer;
  if (schema === undefined) return data as never;
  visit.enter();
  try {
    return (await place.environment.tracking?.parseAnswer(place, asked, schema, data)) as never;
  } finally {
    visit.leave();
  }
}

/** `ctx.interrupt`: the end of this execution of the place. */
export function interruptAt(place: AskingPlace, info: unknown, { state, schema }: InterruptOptions = {}): never {
  place.scope.throwIfAborted();
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
