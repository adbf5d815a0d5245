import type { Watch } from "../../callbacks/watch.js";
import { outputReader } from "../../components/contract-stages.js";
import type { ToolContext, ToolOutput } from "../../components/tool.js";
import type { StagedOutput, ToolStages } from "../../components/tool-stages.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { isPromiseLike } from "../run/async.js";
import { contextNotPassed } from "./errors.js";
import type { NextInvokable, NextStreamable, ToolCall } from "./middleware.js";
import { ToolCallContext } from "./tool-call-context.js";
import { ToolRun } from "./tool-run.js";

/**
 * Runs the tool of a call, with its middlewares around it: each kind of tool has its own. Gives what comes out, which may
 * be anything when a middleware made it. `streams`: how a tool runs that can do both.
 */
export function runTool(run: ToolRun, streams: boolean): unknown {
  const { entry, context, text, input } = run;
  if (entry === undefined) return "";
  const { stages, invokable, streamable } = entry;
  if (stages.stream !== undefined && (streams || stages.invoke === undefined)) {
    if (streamable === undefined) return streamFrom(run, stages.stream, context, text, input);
    return outputReader(() => streamable(run.call, context), run);
  }
  if (invokable !== undefined) return invokable(run.call, context);
  return stages.invoke === undefined ? "" : invokeWith(run, stages.invoke, context, text, input);
}

/** What the innermost invokable middleware calls. */
export const nextInvokable: NextInvokable = async (call, ctx) => {
  const run = runOf(call, ctx);
  const invoke = run.entry?.stages.invoke;
  const input = await takeChanges(run, call);
  return invoke === undefined ? "" : (invokeWith(run, invoke, ctx, run.text, input) as Promise<ToolOutput>);
};

/** What the innermost streamable middleware calls. */
export const nextStreamable: NextStreamable = (call, ctx) => {
  const run = runOf(call, ctx);
  return outputReader(async () => {
    const stream = run.entry?.stages.stream;
    const input = await takeChanges(run, call);
    return stream && streamFrom(run, stream, ctx, run.text, input);
  }, run);
};

function runOf({ name }: ToolCall, ctx: ToolContext): ToolRun {
  if (ctx instanceof ToolCallContext && ctx.call instanceof ToolRun) return ctx.call;
  throw contextNotPassed(name);
}

/** A changed input is taken as it is; changed arguments are parsed and validated again. */
async function takeChanges(run: ToolRun, call: ToolCall): Promise<unknown> {
  const isSameText = call.arguments === run.text;
  run.text = call.arguments;
  if (call.input !== run.input) run.input = call.input;
  else if (!isSameText) {
    try {
      run.input = await run.entry?.stages.readInput(call.arguments, run);
    } catch (thrown) {
      const error = run.blame(thrown);
      run.openWatch()?.error(error);
      throw error;
    }
  }
  return run.input;
}

function invokeWith(
  run: ToolRun,
  invoke: NonNullable<ToolStages["invoke"]>,
  ctx: ToolContext,
  text: string,
  input: unknown,
): StagedOutput {
  if (run.owner.watchers === undefined) return invoke(input, ctx, run);
  run.text = text;
  const watch = run.openWatch();
  let output: StagedOutput;
  try {
    output = invoke(input, ctx, run);
  } catch (thrown) {
    throw failed(run, watch, thrown);
  }
  if (!isPromiseLike(output)) return ended(watch, output);
  return output.then(
    (ready) => ended(watch, ready) as ToolOutput,
    (thrown) => {
      throw failed(run, watch, thrown);
    },
  ) as Promise<ToolOutput>;
}

function streamFrom(
  run: ToolRun,
  stream: NonNullable<ToolStages["stream"]>,
  ctx: ToolContext,
  text: string,
  input: unknown,
): StreamReader<ToolOutput> {
  if (run.owner.watchers === undefined) return stream(input, ctx, run);
  run.text = text;
  const watch = run.openWatch();
  try {
    return observed(watch, stream(input, ctx, run));
  } catch (thrown) {
    throw failed(run, watch, thrown);
  }
}

/** What comes after the end of the run is an event. */
function ended(
  watch: Watch | undefined,
  output: ToolOutput | StreamReader<ToolOutput>,
): ToolOutput | StreamReader<ToolOutput> {
  if (watch === undefined) return output;
  if (output instanceof StreamReader) return observed(watch, output);
  if (watch.closed) watch.event({ kind: "late_result", result: output });
  else watch.end({ result: output });
  return output;
}

function failed(run: ToolRun, watch: Watch | undefined, thrown: unknown): unknown {
  const error = run.blame(thrown);
  if (watch?.closed === true) watch.event({ kind: "late_result", error });
  else watch?.error(error);
  return error;
}

function observed(watch: Watch | undefined, output: StreamReader<ToolOutput>): StreamReader<ToolOutput> {
  return watch === undefined ? output : watch.outputStream(output, (result) => ({ result }));
}
