import type { NodeFunction } from "../../compose/plan/plan.js";
import { isPromiseLike, isStream } from "../../is.js";
import type { Joining } from "../../schema/concat/rule.js";
import { mapSource } from "../../schema/stream/map.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { whenReady } from "../async.js";
import {
  type Body,
  type Mode,
  type Natives,
  nativeFor,
  readsStream,
  returnsStream,
  valueBody,
  withoutModes,
} from "../body.js";
import type { Task } from "../task.js";
import { oneChunk, StreamJoining, toReader } from "./joining.js";

/** A mode of a run on streams. */
export type StreamMode = Exclude<Mode, "invoke">;

/** Like `valueBody`, for the other three modes. */
export function streamBody(mode: StreamMode, natives: Natives, joining: Joining): Body {
  if (natives.map !== undefined) return mapped(mode, natives.map, joining);
  if (natives.call !== undefined) return called(mode, natives.call, joining);
  const native = nativeFor(mode, natives);
  if (native === undefined) return withoutModes;
  const run = natives[native] as NodeFunction;
  return native === mode && !returnsStream(mode) ? (run as Body) : adapt(mode, native, run, joining);
}

/** `invoke` without its last step: if the native function returns a stream, that is returned unjoined. */
export function unjoinedBody(natives: Natives, joining: Joining): Body {
  if (natives.map !== undefined) return natives.map as Body;
  if (natives.call !== undefined) return unjoined(natives.call as Body, joining);
  const native = nativeFor("invoke", natives);
  return native === undefined || native === "invoke" || native === "collect"
    ? valueBody(natives, joining)
    : streamBody("stream", { [native]: natives[native] }, joining);
}

function unjoined(call: Body, joining: Joining): Body {
  const finish = (output: unknown, task: Task): unknown =>
    isStream(output) ? toReader(output, joining, undefined, task) : output;
  return (input, task) => whenReady(call(input, task), (output) => finish(output, task));
}

/** Derives one mode from another by converting the function's input and output. */
function adapt(wanted: StreamMode, native: Mode, run: NodeFunction, joining: Joining): Body {
  const call = run as Body;
  const convertInput = inputConversion(readsStream(wanted), readsStream(native));
  const convertOutput = outputConversion(returnsStream(wanted), returnsStream(native), joining);
  return (input, task) => {
    const given = convertInput(input);
    const upstream = input instanceof StreamReader ? input : undefined;
    const finish = (output: unknown): unknown => convertOutput(output, upstream, task);
    if (isPromiseLike(given)) {
      return given.then((value) => {
        task.scope.throwIfAborted();
        return whenReady(call(value, task), finish);
      });
    }
    return whenReady(call(given, task), finish);
  };
}

function inputConversion(fromStream: boolean, toStream: boolean): (input: unknown) => unknown {
  if (fromStream === toStream) return (input) => input;
  return fromStream ? (input) => (input as StreamReader<unknown>).concat() : (input) => oneChunk(input, undefined);
}

type OutputConversion = (output: unknown, upstream: StreamReader<unknown> | undefined, task: Task) => unknown;

function outputConversion(toStream: boolean, fromStream: boolean, joining: Joining): OutputConversion {
  if (toStream) {
    return fromStream
      ? (output, upstream, task) => toReader(output, joining, upstream, task)
      : (output) => oneChunk(output, joining);
  }
  return fromStream
    ? (output, upstream, task) => toReader(output, joining, upstream, task).concat()
    : (output) => output;
}

/** A mode of a plain function: it takes a whole input, and streams if it returns a stream. */
function called(mode: StreamMode, run: NodeFunction, joining: Joining): Body {
  const call = run as Body;
  const finish = returnsStream(mode)
    ? (output: unknown, task: Task): unknown =>
        isStream(output) ? toReader(output, joining, undefined, task) : oneChunk(output, joining)
    : (output: unknown, task: Task): unknown =>
        isStream(output) ? toReader(output, joining, undefined, task).concat() : output;
  if (readsStream(mode)) {
    return async (input, task) => {
      const whole = await (input as StreamReader<unknown>).concat();
      task.scope.throwIfAborted();
      return finish(await call(whole, task), task);
    };
  }
  return (input, task) => whenReady(call(input, task), (output) => finish(output, task));
}

/** A mode of a function of one chunk; a value counts as one chunk. */
function mapped(mode: StreamMode, run: NodeFunction, joining: Joining): Body {
  const call = run as Body;
  switch (mode) {
    case "stream":
      return (input, task) => whenReady(call(input, task), (output) => oneChunk(output, joining));
    case "collect":
      return (input, task) => mapReader(input, call, task, joining).concat();
    case "transform":
      return (input, task) => mapReader(input, call, task, joining);
    default:
      return mode satisfies never;
  }
}

function mapReader(input: unknown, call: Body, task: Task, joining: Joining): StreamReader<unknown> {
  const source = (input as StreamReader<unknown>).takeSource();
  task.isStreaming = true;
  const step = { apply: call, ctx: task, wrap: (error: unknown) => task.owner.blame(error, task.index) };
  return new StreamReader(mapSource(source, step), StreamJoining.ofOutput(joining, task));
}
