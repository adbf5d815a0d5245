import { startedHere } from "../../callbacks/at-call.js";
import type { Span } from "../../callbacks/span.js";
import { causedByInterrupt, waitsAt } from "../../checkpoint/pause/interrupt.js";
import { interruptsAt } from "../../checkpoint/pause/interrupts-of.js";
import type { NodeFunction, Payload } from "../../compose/plan/plan.js";
import { isPromiseLike, isStream } from "../../is.js";
import type { Joining } from "../../schema/concat/rule.js";
import { ArraySource } from "../../schema/stream/array-source.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { Body, Natives } from "../body.js";
import { joiningOfOutput, rejoin, StreamJoining } from "../streams/joining.js";
import type { Task } from "../task.js";

/** Wraps native functions so that they report to handlers. */
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
  return (input, task) => {
    const span = task.openSpan();
    if (span === undefined) return run(input, task);
    let given = input;
    if (takesStream) given = span.inputStream(input as StreamReader<unknown>);
    else startSpan(span, input, payload, task);
    if (task.keepsState) task.reportKeptState();
    // a handler may have aborted the run
    task.scope.throwIfAborted();
    let output: unknown;
    try {
      output = startedHere(run, span.handlers.items, span)(given, task);
    } catch (error) {
      return failSpan(span, error, task);
    }
    const end = (ready: unknown): unknown => endOrRead(span, ready, payload, joining, task);
    if (!isPromiseLike(output)) return end(output);
    return output.then(end, (error) => failSpan(span, error, task));
  };
}

/** {@link endSpan}; chunks that are all there already are read now, so that the task has ended as it would have unobserved. */
function endOrRead(span: Span, output: unknown, payload: Payload | undefined, joining: Joining, task: Task): unknown {
  if (!(output instanceof StreamReader)) return endSpan(span, output, payload, joining, task);
  const { joining: own } = output;
  const source = output.takeSource();
  const observed = endSpan(span, new StreamReader(source, own), payload, joining, task);
  return source instanceof ArraySource ? readAll(observed as StreamReader<unknown>) : observed;
}

async function readAll(reader: StreamReader<unknown>): Promise<StreamReader<unknown>> {
  const { joining } = reader;
  const chunks: unknown[] = [];
  for await (const chunk of reader) chunks.push(chunk);
  return new StreamReader<unknown>(new ArraySource(chunks), joining);
}

/** Reports the start of a task. */
export function startSpan(span: Span, input: unknown, payload: Payload | undefined, task: Task): void {
  span.start(payload === undefined ? input : payload.input(input, task.options));
}

/** Reports the output of a task; a stream reports itself as it is read. Returns the output to hand on. */
export function endSpan(
  span: Span,
  output: unknown,
  payload: Payload | undefined,
  joining: Joining,
  task: Task,
): unknown {
  if (isStream(output)) {
    const reader: StreamReader<unknown> = StreamReader.from(output);
    return span.outputStream(rejoin(reader, joiningOfOutput(reader, joining, task)), payload?.output);
  }
  if (task.hasStopped) return interruptSpan(span, task);
  if (span.closed) span.event({ kind: "late_result", value: output });
  else span.end(payload === undefined ? output : payload.output(output));
  return output;
}

/** Reports that a task has failed or waits for an answer. Throws the error, or returns a promise that rejects with it. */
export function failSpan(span: Span, error: unknown, task: Task): Promise<never> {
  if (task.hasStopped && causedByInterrupt(error)) return interruptSpan(span, task);
  span.error(error);
  throw error;
}

async function interruptSpan(span: Span, task: Task): Promise<never> {
  try {
    await task.settle();
  } catch (error) {
    span.error(error);
    throw error;
  }
  const interrupts = interruptsAt(task.invocation.snapshot(), task.environment.runKey);
  const error = waitsAt(task.address, interrupts, task.environment);
  span.interrupt(error);
  throw error;
}

/** An observed `map` becomes a transform: handlers see one input stream and one output stream. */
function observeMap(map: NodeFunction, joining: Joining): NodeFunction {
  const call = map as Body;
  const transform: Body = (input, task) => {
    const reader = input as StreamReader<unknown>;
    return rejoin(
      reader.map((chunk) => call(chunk, task)),
      StreamJoining.ofOutput(joining, task),
    );
  };
  return observe(transform, true, undefined, joining) as NodeFunction;
}
