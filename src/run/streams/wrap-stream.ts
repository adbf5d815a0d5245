import type { NodeSettings, StateHandler } from "../../compose/plan/plan.js";
import { isRecord, isStream } from "../../is.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { ArraySource } from "../../schema/stream/array-source.js";
import { DROPPED, mapSource } from "../../schema/stream/map.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { whenReady } from "../async.js";
import type { Body } from "../body.js";
import { missingInputKey } from "../errors.js";
import { assemble, handle, isFunction, type Layers, pick, placeOf } from "../layers.js";
import { makeOptionsOnStream } from "../options/make-options.js";
import type { Task } from "../task.js";

import { joiningOfKey, oneChunk, rejoin } from "./joining.js";
import { joiningOfInput, type NodePlace } from "./stream-ports.js";

/** Wraps a node in a run on streams. A value handler waits for the joined value; everything else works chunk by chunk. */
export function wrapStream(core: Body, settings: NodeSettings): Body {
  const { inputKey, outputKey, options, before, after, streamBefore, streamAfter } = settings;
  const layers: Layers = { before: [], node: [], after: [] };
  const { before: first, node, after: last } = layers as Record<keyof Layers, Body[]>;
  if (before !== undefined) first.push(handleWhole(before));
  if (streamBefore !== undefined) first.push(handleStream(streamBefore));
  if (inputKey !== undefined) node.push((input, task) => pickChunks(input as StreamReader<unknown>, inputKey, task));
  if (isFunction(options)) node.push(makeOptionsOnStream(options));
  node.push(outputKey === undefined ? core : named(core, outputKey));
  if (after !== undefined) last.push(handleWhole(after));
  if (streamAfter !== undefined) last.push(handleStream(streamAfter));
  return assemble(layers);
}

/** A stream handler in a run on values: a value becomes a stream of one chunk, and the output is joined. */
export function handleAsStream(handler: StateHandler, before: NodePlace | undefined): Body {
  const run = handleStream(handler);
  // how to join if the handler returns more than one chunk
  const several = before === undefined ? undefined : joiningOfInput(before.program, before.index);
  return async (value, task) => {
    const isWhole = !(value instanceof StreamReader);
    const output = (await run(isWhole ? oneChunk(value, several) : value, task)) as StreamReader<unknown>;
    if (!isWhole) return output.concat();
    const chunks: unknown[] = [];
    for await (const chunk of output) chunks.push(chunk);
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

/** A node whose output is put under its output key, also if the run was aborted meanwhile: the node has finished. */
export function named(core: Body, key: string): Body {
  return (input, task) =>
    whenReady(core(input, task), (output) =>
      output instanceof StreamReader ? nameStream(output, key) : { [key]: output },
    );
}

/** Puts each chunk of a node's output under its output key. */
function nameStream(output: StreamReader<unknown>, key: string): StreamReader<unknown> {
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
