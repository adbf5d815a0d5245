import type { NodeSettings, StateHandler } from "../compose/plan/plan.js";
import type { Joining } from "../schema/concat/rule.js";
import { DROPPED, mapSource } from "../schema/stream/map.js";
import { StreamReader } from "../schema/stream/reader.js";
import { isPromiseLike, isStream } from "./async.js";
import type { Body } from "./body.js";
import { missingInputKey } from "./errors.js";
import { isRecord } from "./merge.js";
import { oneChunk, rejoin } from "./node-stream.js";
import type { TaskContext } from "./task-context.js";

/** How the streams of one node join: what it gives itself, what it gives to others, and what goes in. */
export interface NodeJoinings {
  readonly own: Joining;
  readonly output: Joining;
}

/** A node on values, with its state handlers and keys around it: before, input key, the node, output key, after. */
export function wrapValue(core: Body, settings: NodeSettings, joinings: NodeJoinings): Body {
  const { inputKey, outputKey, before, after, streamBefore, streamAfter } = settings;
  const schedulerAddsKey = (before ?? after ?? streamBefore ?? streamAfter) === undefined;
  const steps: Body[] = [];
  const first: Body[] = [];
  if (before !== undefined) first.push(handle(before));
  if (streamBefore !== undefined) first.push(handleAsStream(streamBefore, undefined));
  if (first.length > 0) steps.push(preparing(sequence(first)));
  if (inputKey !== undefined) steps.push((input, ctx) => pick(input, inputKey, ctx));
  steps.push(core);
  if (outputKey !== undefined && !schedulerAddsKey) steps.push((output) => ({ [outputKey]: output }));
  if (after !== undefined) steps.push(handle(after));
  if (streamAfter !== undefined) steps.push(handleAsStream(streamAfter, joinings.output));
  return sequence(steps);
}

/** A node on streams. A value handler waits for the whole value; the rest works chunk by chunk. */
export function wrapStream(core: Body, settings: NodeSettings, joinings: NodeJoinings): Body {
  const { inputKey, outputKey, before, after, streamBefore, streamAfter } = settings;
  const steps: Body[] = [];
  const first: Body[] = [];
  if (before !== undefined) first.push(handleWhole(before, undefined));
  if (streamBefore !== undefined) first.push(handleStream(streamBefore, undefined));
  if (first.length > 0) steps.push(preparing(sequence(first)));
  if (inputKey !== undefined) steps.push((input, ctx) => pickChunks(input as StreamReader<unknown>, inputKey, ctx));
  steps.push(core);
  if (outputKey !== undefined) steps.push((output) => nameChunks(output as StreamReader<unknown>, outputKey));
  if (after !== undefined) steps.push(handleWhole(after, joinings.output));
  if (streamAfter !== undefined) steps.push(handleStream(streamAfter, joinings.output));
  return sequence(steps);
}

/** Runs one after another, without a promise as long as none is needed. */
function sequence(steps: readonly Body[]): Body {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return only;
  return (input, ctx) => {
    let value = input;
    for (let n = 0; n < steps.length; n++) {
      value = (steps[n] as Body)(value, ctx);
      if (isPromiseLike(value)) return goOn(steps, n + 1, value, ctx);
    }
    return value;
  };
}

async function goOn(
  steps: readonly Body[],
  from: number,
  first: PromiseLike<unknown>,
  ctx: TaskContext,
): Promise<unknown> {
  let value: unknown = await first;
  for (let n = from; n < steps.length; n++) {
    ctx.scope.throwIfAborted();
    value = (steps[n] as Body)(value, ctx);
    if (isPromiseLike(value)) value = await value;
  }
  return value;
}

/** Where account is kept of tasks, a place that is entered again is given what `before` made of its input. */
function preparing(before: Body): Body {
  return (input, ctx) => {
    const { tracker } = ctx.owner;
    return tracker === undefined ? before(input, ctx) : tracker.prepare(before, input, ctx);
  };
}

/** A state handler runs alone with the state of its graph. */
function handle(handler: StateHandler): Body {
  return (value, ctx) => ctx.owner.useState((state) => handler(value as never, state as never, ctx as never));
}

/** A stream handler in a run on values: a stream of one chunk goes in, and what comes out is joined. */
function handleAsStream(handler: StateHandler, joining: Joining | undefined): Body {
  const run = handleStream(handler, joining);
  return (value, ctx) =>
    run(oneChunk(value, joining), ctx).then((reader) => (reader as StreamReader<unknown>).concat());
}

function handleStream(
  handler: StateHandler,
  joining: Joining | undefined,
): (input: unknown, ctx: TaskContext) => Promise<unknown> {
  const run = handle(handler);
  return async (input, ctx) => {
    const reader = input as StreamReader<unknown>;
    const rule = joining ?? reader.joining ?? { registry: ctx.runtime.concat, where: placeOf(ctx) };
    const output = await run(reader, ctx);
    return isStream(output) ? rejoin(StreamReader.from(output), rule) : oneChunk(output, rule);
  };
}

function handleWhole(handler: StateHandler, joining: Joining | undefined): Body {
  const run = handle(handler);
  return async (input, ctx) => {
    const reader = input as StreamReader<unknown>;
    const whole = await reader.concat();
    ctx.scope.throwIfAborted();
    return oneChunk(await run(whole, ctx), joining ?? reader.joining);
  };
}

function pick(input: unknown, key: string, ctx: TaskContext): unknown {
  if (isRecord(input) && Object.hasOwn(input, key)) return input[key];
  throw missingInputKey(ctx.nodePath, key, input);
}

/** Chunks without the key are left out: a chunk may be a part of its record. One of them must have it. */
function pickChunks(input: StreamReader<unknown>, key: string, ctx: TaskContext): StreamReader<unknown> {
  const { joining } = input;
  const rule = typeof joining?.rule === "object" ? joining.rule.keyed.get(key) : undefined;
  let found = false;
  let other: unknown;
  const apply = (chunk: unknown): unknown => {
    if (isRecord(chunk) && Object.hasOwn(chunk, key)) {
      found = true;
      return chunk[key];
    }
    other = chunk;
    return DROPPED;
  };
  const atEnd = (): void => {
    if (!found) throw ctx.owner.blame(missingInputKey(ctx.nodePath, key, other), ctx.index);
  };
  const where = placeOf(ctx);
  const picked = mapSource(input.takeSource(), { apply, atEnd });
  return new StreamReader(picked, { rule, registry: ctx.runtime.concat, where });
}

function placeOf(ctx: TaskContext): string {
  return `node "${ctx.nodePath.join("/")}"`;
}

function nameChunks(output: StreamReader<unknown>, key: string): StreamReader<unknown> {
  const { joining } = output;
  return rejoin(
    output.map((chunk) => ({ [key]: chunk })),
    { registry: joining?.registry, where: joining?.where, rule: { keyed: new Map([[key, joining?.rule]]) } },
  );
}
