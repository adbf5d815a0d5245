import type { NodeSettings, OptionsFunction, StateHandler } from "../compose/plan/plan.js";
import { isPromiseLike, isRecord, isStream } from "../is.js";
import { joinChunks } from "../schema/concat/concat-chunks.js";
import { untilJoinable } from "../schema/concat/load-message-joining.js";
import type { Joining } from "../schema/concat/rule.js";
import { ArraySource } from "../schema/stream/array-source.js";
import { DROPPED, mapSource } from "../schema/stream/map.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { Body } from "./body.js";
import { missingInputKey } from "./errors.js";
import { makeOptions, makeOptionsOnStream } from "./options/make-options.js";
import { joiningOfKey, oneChunk, rejoin } from "./streams/joining.js";
import type { Task } from "./task.js";

/** The layers around a node's own function: before → input key → options → the function → output key → after. */
interface Layers {
  readonly before: readonly Body[];
  readonly node: readonly Body[];
  readonly after: readonly Body[];
}

/** Whether a node has state handlers. */
export function hasStateHandlers({ before, after, streamBefore, streamAfter }: NodeSettings): boolean {
  return (before ?? after ?? streamBefore ?? streamAfter) !== undefined;
}

/**
 * Wraps a node in a run on values. Without state handlers, the executor applies the output key. `input`: how streams to this
 * node join, if that is known at compile time.
 */
export function wrapValue(core: Body, settings: NodeSettings, input: Joining | undefined): Body {
  const { inputKey, outputKey, options, before, after, streamBefore, streamAfter } = settings;
  const layers: Layers = { before: [], node: [], after: [] };
  const { before: first, node, after: last } = layers as Record<keyof Layers, Body[]>;
  if (before !== undefined) first.push(handle(before));
  if (streamBefore !== undefined) first.push(handleAsStream(streamBefore, input));
  if (inputKey !== undefined) node.push((value, task) => pick(value, inputKey, task));
  if (isFunction(options)) node.push(makeOptions(options));
  node.push(core);
  if (outputKey !== undefined && hasStateHandlers(settings)) node.push((output) => nameOutput(output, outputKey));
  if (after !== undefined) last.push(handle(after));
  if (streamAfter !== undefined) last.push(handleAsStream(streamAfter, undefined));
  return assemble(layers);
}

/** Wraps a node in a run on streams. A value handler waits for the joined value; everything else works chunk by chunk. */
export function wrapStream(core: Body, settings: NodeSettings): Body {
  const { inputKey, outputKey, options, before, after, streamBefore, streamAfter } = settings;
  const layers: Layers = { before: [], node: [], after: [] };
  const { before: first, node, after: last } = layers as Record<keyof Layers, Body[]>;
  if (before !== undefined) first.push(handleWhole(before));
  if (streamBefore !== undefined) first.push(handleStream(streamBefore));
  if (inputKey !== undefined) node.push((input, task) => pickChunks(input as StreamReader<unknown>, inputKey, task));
  if (isFunction(options)) node.push(makeOptionsOnStream(options));
  node.push(core);
  if (outputKey !== undefined) node.push((output) => nameOutput(output, outputKey));
  if (after !== undefined) last.push(handleWhole(after));
  if (streamAfter !== undefined) last.push(handleStream(streamAfter));
  return assemble(layers);
}

/** With a ledger, neither `before` nor the node is repeated on resume if a later layer paused. */
function assemble({ before, node, after }: Layers): Body {
  const inner = before.length === 0 ? sequence(node) : sequence([preparing(sequence(before)), ...node]);
  if (after.length === 0) return inner;
  const last = sequence(after);
  return (input, task) => {
    const { ledger } = task.owner;
    const produced = ledger === undefined ? inner(input, task) : ledger.produce(inner, input, task);
    if (!isPromiseLike(produced)) return last(produced, task);
    return produced.then((output) => {
      task.scope.throwIfAborted();
      return last(output, task);
    });
  };
}

/** Runs steps one after another, synchronously until one returns a promise. */
function sequence(steps: readonly Body[]): Body {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return only;
  return (input, task) => {
    let value = input;
    for (let n = 0; n < steps.length; n++) {
      value = (steps[n] as Body)(value, task);
      if (isPromiseLike(value)) return sequenceLater(steps, n + 1, value, task);
    }
    return value;
  };
}

async function sequenceLater(
  steps: readonly Body[],
  from: number,
  first: PromiseLike<unknown>,
  task: Task,
): Promise<unknown> {
  let value: unknown = await first;
  for (let n = from; n < steps.length; n++) {
    task.scope.throwIfAborted();
    value = (steps[n] as Body)(value, task);
    if (isPromiseLike(value)) value = await value;
  }
  return value;
}

function preparing(before: Body): Body {
  return (input, task) => {
    const { ledger } = task.owner;
    return ledger === undefined ? before(input, task) : ledger.prepare(before, input, task);
  };
}

/** A state handler has exclusive access to the state of its graph. */
function handle(handler: StateHandler): Body {
  return (value, task) => task.owner.useState((state) => handler(value as never, state as never, task as never), task);
}

/**
 * A stream handler in a run on values: its output is joined. A value becomes a stream of one chunk; `several` says how to join
 * if the handler returns more than one.
 */
function handleAsStream(handler: StateHandler, several: Joining | undefined): Body {
  const run = handleStream(handler);
  return async (value, task) => {
    const isWhole = !(value instanceof StreamReader);
    const output = (await run(isWhole ? oneChunk(value, several) : value, task)) as StreamReader<unknown>;
    if (!isWhole) return output.concat();
    const chunks: unknown[] = [];
    for await (const chunk of output) chunks.push(chunk);
    await untilJoinable(chunks);
    return joinChunks(chunks, chunks.length > 1 && several !== undefined ? several : output.joining);
  };
}

function handleStream(handler: StateHandler): (input: unknown, task: Task) => Promise<unknown> {
  const run = handle(handler);
  return async (input, task) => {
    const reader = input as StreamReader<unknown>;
    const joining = reader.joining ?? { registry: task.runtime.concat, where: placeOf(task) };
    const output = await run(reader, task);
    return isStream(output) ? rejoin(StreamReader.from(output), joining) : oneChunk(output, joining);
  };
}

function handleWhole(handler: StateHandler): Body {
  const run = handle(handler);
  return async (input, task) => {
    const reader = input as StreamReader<unknown>;
    const { joining } = reader;
    const whole = await reader.concat();
    task.scope.throwIfAborted();
    return oneChunk(await run(whole, task), joining);
  };
}

function pick(input: unknown, key: string, task: Task): unknown {
  if (isRecord(input) && Object.hasOwn(input, key)) return input[key];
  throw missingInputKey(task.nodePath, key, input);
}

/** Picks a field chunk by chunk if records join key by key; otherwise from the joined record. */
function pickChunks(input: StreamReader<unknown>, key: string, task: Task): unknown {
  const joining = joiningOfKey(input.joining, key);
  if (joining !== undefined) return pickPieces(input, key, joining, task);
  return input.concat().then((whole) => {
    task.scope.throwIfAborted();
    return oneChunk(pick(whole, key, task), { registry: task.runtime.concat, where: placeOf(task) });
  });
}

/** A chunk may be a part of its record, so chunks without the key are dropped; at least one chunk must have it. */
function pickPieces(input: StreamReader<unknown>, key: string, joining: Joining, task: Task): StreamReader<unknown> {
  let isEmpty = true;
  let found = false;
  let other: unknown;
  const whole = input.joining;
  const apply = (chunk: unknown): unknown => {
    if (isRecord(chunk) && Object.hasOwn(chunk, key)) {
      [isEmpty, found, other] = [false, true, chunk];
      return chunk[key];
    }
    // throws the error of joining, if there is one, rather than reporting a missing key
    if (chunk !== undefined && chunk !== null && !isRecord(chunk))
      joinChunks(isEmpty ? [chunk] : [other, chunk], whole);
    isEmpty = false;
    other = chunk;
    return DROPPED;
  };
  const atEnd = (): void => {
    if (isEmpty) joinChunks([], whole);
    if (!found) throw task.owner.blame(missingInputKey(task.nodePath, key, other), task.index);
  };
  return new StreamReader(mapSource(input.takeSource(), { apply, atEnd }), joining);
}

function isFunction(options: NodeSettings["options"]): options is OptionsFunction {
  return typeof options === "function";
}

function placeOf(task: Task): string {
  return `node "${task.nodePath.join("/")}"`;
}

/** Puts the output of a node under its output key. */
function nameOutput(output: unknown, key: string): unknown {
  if (!(output instanceof StreamReader)) return { [key]: output };
  const { joining } = output;
  const rule = { keyed: new Map([[key, joining ?? {}]]) };
  const name = (chunk: unknown): unknown => ({ [key]: chunk });
  const source = output.takeSource();
  // an array stays an array, so that a ledger need not wait for it to be read
  const named =
    source instanceof ArraySource ? new ArraySource(source.rest().map(name)) : mapSource(source, { apply: name });
  return new StreamReader(named, {
    registry: joining?.registry,
    where: joining?.where,
    rule,
    locate: (error) => (joining?.locate === undefined ? error : joining.locate(error)),
  });
}
