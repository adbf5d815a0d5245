import type { Watch } from "../callbacks/watch.js";
import { causedByInterrupt, waitsAt } from "../checkpoint/interrupt.js";
import { interruptsAt } from "../checkpoint/interrupts-of.js";
import type { NodeFunction, Payload } from "../compose/plan/plan.js";
import type { Joining } from "../schema/concat/rule.js";
import { StreamReader } from "../schema/stream/reader.js";
import { isPromiseLike, isStream } from "./async.js";
import type { Body, Natives } from "./body.js";
import { joiningFor, rejoin } from "./node-stream.js";
import type { TaskContext } from "./task-context.js";

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
    const watch = ctx.openWatch();
    if (watch === undefined) return run(input, ctx);
    const given = takesStream ? watch.inputStream(input as StreamReader<unknown>) : input;
    if (!takesStream) watch.start(payload === undefined ? input : payload.input(input, ctx.options));
    const finish = (output: unknown): unknown =>
      (isStream(output) ? undefined : waiting(ctx, watch)) ?? end(watch, output, payload, joining);
    const refuse = (error: unknown): unknown => {
      const stopped = causedByInterrupt(error) ? waiting(ctx, watch) : undefined;
      if (stopped !== undefined) return stopped;
      watch.error(error);
      throw error;
    };
    let output: unknown;
    try {
      output = run(given, ctx);
    } catch (error) {
      return refuse(error);
    }
    if (!isPromiseLike(output)) return finish(output);
    return output.then(finish, refuse);
  };
}

/** If the node waits for somebody, whatever its function came to: its end as handlers see it. */
function waiting(ctx: TaskContext, watch: Watch): Promise<never> | undefined {
  if (ctx.openedVisit?.hasStopped !== true) return undefined;
  return leaveWaiting(ctx, watch);
}

async function leaveWaiting(ctx: TaskContext, watch: Watch): Promise<never> {
  try {
    await ctx.settle();
  } catch (error) {
    watch.error(error);
    throw error;
  }
  const interrupts = interruptsAt(ctx.visit.snapshot(), ctx.environment.runKey);
  const error = waitsAt(ctx.address, interrupts);
  watch.interrupt(error);
  throw error;
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
