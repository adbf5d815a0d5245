import type { NodeBody, NodeFunction, NodeModes } from "../compose/plan/plan.js";
import type { Joining } from "../schema/concat/rule.js";
import { mapSource } from "../schema/stream/map.js";
import { StreamReader } from "../schema/stream/reader.js";
import { isPromiseLike, isStream, whenReady } from "./async.js";
import { oneChunk, toReader } from "./node-stream.js";
import type { TaskContext } from "./task-context.js";

/** One mode of one node, as the executor calls it. */
export type Body = (input: unknown, ctx: TaskContext) => unknown;

/** The four ways in which a run can use a node. */
export type Mode = "invoke" | "stream" | "collect" | "transform";

/** What a node's native functions are, told apart so that each can be watched where it really runs. */
export interface Natives extends NodeModes {
  /** A plain function: a value, or a stream, as it likes. */
  readonly call?: NodeFunction | undefined;
  /** Chunk by chunk. */
  readonly map?: NodeFunction | undefined;
}

export function nativesOf(body: Exclude<NodeBody, { kind: "graph" }>): Natives {
  switch (body.kind) {
    case "function":
      return { call: body.call };
    case "map":
      return { map: body.map };
    case "modes":
      return body;
    case "passthrough":
      return passthrough;
    default:
      return body satisfies never;
  }
}

const passthrough: Natives = { invoke: (input: unknown) => input, transform: (input: unknown) => input };

/** One mode of a node: its own function where it has one, else made from the others in a fixed order of preference. */
export function deriveMode(mode: Mode, natives: Natives, joining: Joining): Body {
  if (natives.map !== undefined) return mapped(mode, natives.map, joining);
  if (natives.call !== undefined) return called(mode, natives.call, joining);
  for (const native of preference[mode]) {
    const run = natives[native];
    if (run === undefined) continue;
    return native === mode && !givesStream(mode) ? (run as Body) : adapt(mode, native, run, joining);
  }
  return refuse;
}

const preference: Record<Mode, readonly Mode[]> = {
  invoke: ["invoke", "stream", "collect", "transform"],
  stream: ["stream", "transform", "invoke", "collect"],
  collect: ["collect", "transform", "invoke", "stream"],
  transform: ["transform", "stream", "collect", "invoke"],
};

const takesStream = (mode: Mode): boolean => mode === "collect" || mode === "transform";
const givesStream = (mode: Mode): boolean => mode === "stream" || mode === "transform";

/** Makes one mode from another: converts what goes in before the function, and what comes out behind it. */
function adapt(wanted: Mode, native: Mode, run: NodeFunction, joining: Joining): Body {
  const call = run as Body;
  const convertInput = inputConversion(takesStream(wanted), takesStream(native));
  const convertOutput = outputConversion(givesStream(wanted), givesStream(native), joining);
  return (input, ctx) => {
    const given = convertInput(input);
    const upstream = input instanceof StreamReader ? input : undefined;
    const finish = (output: unknown): unknown => convertOutput(output, upstream, ctx);
    if (isPromiseLike(given)) {
      return given.then((value) => {
        ctx.scope.throwIfAborted();
        return whenReady(call(value, ctx), finish);
      });
    }
    return whenReady(call(given, ctx), finish);
  };
}

function inputConversion(fromStream: boolean, toStream: boolean): (input: unknown) => unknown {
  if (fromStream === toStream) return (input) => input;
  return fromStream ? (input) => (input as StreamReader<unknown>).concat() : (input) => oneChunk(input, undefined);
}

type OutputConversion = (output: unknown, upstream: StreamReader<unknown> | undefined, ctx: TaskContext) => unknown;

function outputConversion(toStream: boolean, fromStream: boolean, joining: Joining): OutputConversion {
  if (toStream) {
    return fromStream
      ? (output, upstream, ctx) => toReader(output, joining, upstream, ctx)
      : (output) => oneChunk(output, joining);
  }
  return fromStream ? (output, upstream, ctx) => toReader(output, joining, upstream, ctx).concat() : (output) => output;
}

/** A plain function: needs a whole input, and what it gives back decides whether it streams. */
function called(mode: Mode, run: NodeFunction, joining: Joining): Body {
  const call = run as Body;
  const finish = givesStream(mode)
    ? (output: unknown, ctx: TaskContext): unknown =>
        isStream(output) ? toReader(output, joining, undefined, ctx) : oneChunk(output, joining)
    : (output: unknown, ctx: TaskContext): unknown =>
        isStream(output) ? toReader(output, joining, undefined, ctx).concat() : output;
  if (takesStream(mode)) {
    return async (input, ctx) => {
      const whole = await (input as StreamReader<unknown>).concat();
      ctx.scope.throwIfAborted();
      return finish(await call(whole, ctx), ctx);
    };
  }
  return (input, ctx) => whenReady(call(input, ctx), (output) => finish(output, ctx));
}

/** A function of one chunk: on a value it is called once. */
function mapped(mode: Mode, run: NodeFunction, joining: Joining): Body {
  const call = run as Body;
  switch (mode) {
    case "invoke":
      return call;
    case "stream":
      return (input, ctx) => whenReady(call(input, ctx), (output) => oneChunk(output, joining));
    case "collect":
      return (input, ctx) => mapReader(input, call, ctx, joining).concat();
    case "transform":
      return (input, ctx) => mapReader(input, call, ctx, joining);
    default:
      return mode satisfies never;
  }
}

function mapReader(input: unknown, call: Body, ctx: TaskContext, joining: Joining): StreamReader<unknown> {
  const source = (input as StreamReader<unknown>).takeSource();
  const step = { apply: call, ctx, wrap: (error: unknown) => ctx.owner.blame(error, ctx.index) };
  return new StreamReader(mapSource(source, step), joining);
}

const refuse: Body = (_input, ctx) => {
  throw new TypeError(`Node "${ctx.owner.node(ctx.index).key}" has none of invoke, stream, collect and transform.`);
};
