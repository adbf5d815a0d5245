import { Watch } from "../../callbacks/watch.js";
import type { Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { NodeFunction, Payload } from "../plan/plan.js";
import { isPromiseLike, isStream } from "./async.js";
import type { Body, Natives } from "./body.js";
import { joiningFor, rejoin } from "./node-stream.js";
import { recordOf, type TaskContext } from "./task-context.js";

/** Opens the watch of a task; `undefined` when none of the handlers is meant for it. */
export function openWatch(ctx: TaskContext): Watch | undefined {
  const { watchers } = ctx;
  if (watchers === undefined) return undefined;
  ctx.watch = new Watch(watchers, recordOf(ctx.owner, ctx.index, ctx), ctx.owner.watchAround);
  return ctx.watch;
}

/** The same native functions, watched: callbacks follow the function that really runs. */
export function observeNatives(natives: Natives, payload: Payload | undefined, joining: Joining): Natives {
  const observed = (run: NodeFunction | undefined, streams: boolean): NodeFunction | undefined =>
    run && (observe(run as Body, streams, payload, joining) as NodeFunction);
  return {
    call: observed(natives.call, false),
    invoke: observed(natives.invoke, false),
    stream: observed(natives.stream, false),
    collect: observed(natives.collect, true),
    transform: natives.map === undefined ? observed(natives.transform, true) : observeMap(natives.map, joining),
    ...(natives.map === undefined ? undefined : { invoke: observed(natives.map, false) }),
  };
}

function observe(run: Body, takesStream: boolean, payload: Payload | undefined, joining: Joining): Body {
  return (input, ctx) => {
    const watch = openWatch(ctx);
    if (watch === undefined) return run(input, ctx);
    const given = takesStream ? watch.inputStream(input as StreamReader<unknown>) : input;
    if (!takesStream) watch.start(payload === undefined ? input : payload.input(input, ctx.options));
    const finish = (output: unknown): unknown => end(watch, output, payload, joining);
    let output: unknown;
    try {
      output = run(given, ctx);
    } catch (error) {
      watch.error(error);
      throw error;
    }
    if (!isPromiseLike(output)) return finish(output);
    return output.then(finish, (error: unknown) => {
      watch.error(error);
      throw error;
    });
  };
}

function end(watch: Watch, output: unknown, payload: Payload | undefined, joining: Joining): unknown {
  if (isStream(output)) {
    const reader: StreamReader<unknown> = StreamReader.from(output);
    return watch.outputStream(rejoin(reader, joiningFor(reader, joining)), payload?.output);
  }
  if (watch.closed) watch.event({ kind: "late_result", value: output });
  else watch.end(payload === undefined ? output : payload.output(output));
  return output;
}

/** Watched, a `map` is a transform: its input and output are one stream each. */
function observeMap(map: NodeFunction, joining: Joining): NodeFunction {
  const call = map as Body;
  const transform: Body = (input, ctx) => {
    const reader = input as StreamReader<unknown>;
    return rejoin(
      reader.map((chunk) => call(chunk, ctx)),
      joining,
    );
  };
  return observe(transform, true, undefined, joining) as NodeFunction;
}
