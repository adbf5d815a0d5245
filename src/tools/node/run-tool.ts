import type { Span } from "../../callbacks/span.js";
import type { ToolContext, ToolOutput } from "../../components/tool.js";
import { isPromiseLike } from "../../is.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { approvalKey } from "../define/approval.js";
import { outputReader } from "../define/contract-stages.js";
import { isToolStream } from "../define/producer.js";
import { requestValues } from "../define/request-check.js";
import { tellInput } from "../define/tool-hooks.js";
import { toolOutputOf } from "../define/tool-output.js";
import type { StagedOutput, ToolStages } from "../define/tool-stages.js";
import { renameArguments } from "./aliases.js";
import { argumentsHandlerFailed, contextNotPassed, handledArgumentsNotText, unknownTool } from "./errors.js";
import type { NextInvokable, NextStreamable, ToolCall } from "./middleware.js";
import { resumeDataOf } from "./suspend-call.js";
import { type ToolRun, toolRunOf } from "./tool-run.js";

/** Reads the stream that a call gave, and says when it has ended or failed. */
export type ReadStream = (run: ToolRun, reader: StreamReader<ToolOutput>) => void;

/**
 * Runs the tool of a call, with its middlewares around it: each kind of tool has its own. Whatever comes of it, the call
 * settles, but for a stream: that is for `read`. `streams`: how a tool runs that can do both.
 */
export function startTool(run: ToolRun, streams: boolean, read: ReadStream): void {
  run.isReturning = true;
  try {
    start(run, streams, read);
  } catch (thrown) {
    run.fail(thrown);
  }
  run.returned();
}

function start(run: ToolRun, streams: boolean, read: ReadStream): void {
  const { entry, input } = run;
  if (entry === undefined) return;
  const keptOutput = run.openedExtras?.keptOutput;
  if (keptOutput !== undefined) {
    // it has run: only its output is checked once more
    accept(run, entry.stages.finish(keptOutput.value, input, run), read);
    return;
  }
  const { stages, invokable, streamable } = entry;
  if (stages.stream !== undefined && (streams || stages.invoke === undefined)) {
    if (streamable === undefined) accept(run, streamWhenReady(run, stages, stages.stream, run, input), read);
    else
      accept(
        run,
        outputReader(() => streamable(run.call, run), run),
        read,
      );
  } else if (invokable !== undefined) {
    accept(run, invokable(run.call, run), read);
  } else if (run.handlers !== undefined || stages.approve !== undefined || run.isResumed) {
    accept(run, observedInvoke(run, stages, run, input), read);
  } else {
    startUnobserved(run, stages, read);
  }
}

/** The usual case: nothing stands between the node and the tool. */
function startUnobserved(run: ToolRun, stages: ToolStages, read: ReadStream): void {
  const value = stages.invoke?.(run.input, run);
  if (!isPromiseLike(value)) accept(run, stages.finish(value, run.input, run), read);
  else {
    value.then(
      (ready) => {
        try {
          accept(run, stages.finish(ready, run.input, run), read);
        } catch (thrown) {
          run.fail(thrown);
        }
      },
      (thrown) => run.fail(thrown),
    );
  }
}

/** Takes what comes out of a call: an output, a stream of them, or anything at all when a middleware made it. */
function accept(run: ToolRun, output: unknown, read: ReadStream): void {
  if (typeof output === "string") take(run, output);
  else if (isPromiseLike(output)) {
    output.then(
      (ready) => accept(run, ready, read),
      (thrown) => run.fail(thrown),
    );
  } else if (isToolStream(output)) {
    const reader = output instanceof StreamReader ? output : outputReader(output, run);
    run.extras.reader = reader;
    read(run, reader);
  } else {
    take(run, output);
  }
}

function take(run: ToolRun, output: unknown): void {
  if (run.phase !== "running") return;
  try {
    run.take(toolOutputOf(output, run));
  } catch (thrown) {
    run.fail(thrown);
    return;
  }
  run.succeed();
}

/** What the innermost invokable middleware calls. */
export const nextInvokable: NextInvokable = async (call, ctx) => {
  const run = runOf(call, ctx);
  run.openedInvocation?.restart();
  const input = await takeChanges(run, call);
  const stages = run.entry?.stages;
  return stages === undefined ? "" : (observedInvoke(run, stages, ctx, input) as Promise<ToolOutput>);
};

/** What the innermost streamable middleware calls. */
export const nextStreamable: NextStreamable = (call, ctx) => {
  const run = runOf(call, ctx);
  return outputReader(async () => {
    run.openedInvocation?.restart();
    const input = await takeChanges(run, call);
    const stages = run.entry?.stages;
    return stages?.stream && streamWhenReady(run, stages, stages.stream, ctx, input);
  }, run);
};

function runOf({ name }: ToolCall, ctx: ToolContext): ToolRun {
  const run = toolRunOf(ctx);
  if (run === undefined) throw contextNotPassed(name);
  return run;
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
      run.throwIfOver();
      const error = run.blame(thrown);
      run.openSpan()?.error(error);
      throw error;
    }
  }
  return run.input;
}

/** All that people have a say in before a tool runs. Gives what it runs with, or a promise of it. */
function ready(run: ToolRun, stages: ToolStages, ctx: ToolContext, input: unknown): unknown {
  return stages.approve === undefined && !run.isResumed ? input : settleWithPeople(run, stages, ctx, input);
}

async function settleWithPeople(run: ToolRun, stages: ToolStages, ctx: ToolContext, given: unknown): Promise<unknown> {
  const { resume } = ctx;
  if (resume.hasData) run.extras.resumeData = await resumeDataOf(resume.data, stages.suspension, run);
  const approve = stages.approve ?? (run.hasAsked(approvalKey) ? stages.approveAnswered : undefined);
  if (approve === undefined) return given;
  const { input, text } = await approve(given, ctx, run);
  if (text !== undefined) run.text = text;
  run.input = input;
  return input;
}

/** Watched, a run ends when its output is there: checked and serialized. */
function observedInvoke(run: ToolRun, stages: ToolStages, ctx: ToolContext, given: unknown): StagedOutput {
  const input = ready(run, stages, ctx, given);
  return input instanceof Promise
    ? input.then((settled) => invokeNow(run, stages, ctx, settled))
    : invokeNow(run, stages, ctx, input);
}

function invokeNow(run: ToolRun, stages: ToolStages, ctx: ToolContext, input: unknown): StagedOutput {
  const span = startSpan(run);
  const finish = (value: unknown): StagedOutput => stages.finish(value, input, run);
  let output: StagedOutput;
  try {
    const value = stages.invoke?.(input, ctx);
    output = isPromiseLike(value) ? Promise.resolve<unknown>(value).then(finish) : finish(value);
  } catch (thrown) {
    throw failed(run, span, thrown);
  }
  if (!isPromiseLike(output)) return ended(run, span, output);
  return Promise.resolve(output).then(
    (ready) => ended(run, span, ready),
    (thrown) => {
      throw failed(run, span, thrown);
    },
  );
}

/** The tool runs now, unless nobody wants that any more: a handler may stop it even at its start. */
function startSpan(run: ToolRun): Span | undefined {
  run.throwIfOver();
  const span = run.openSpan();
  if (span !== undefined) run.throwIfOver();
  return span;
}

function streamWhenReady(
  run: ToolRun,
  stages: ToolStages,
  stream: NonNullable<ToolStages["stream"]>,
  ctx: ToolContext,
  given: unknown,
): StreamReader<ToolOutput> {
  const input = ready(run, stages, ctx, given);
  if (!(input instanceof Promise)) return streamFrom(run, stream, ctx, input);
  return outputReader(async () => streamFrom(run, stream, ctx, await input), run);
}

function streamFrom(
  run: ToolRun,
  stream: NonNullable<ToolStages["stream"]>,
  ctx: ToolContext,
  input: unknown,
): StreamReader<ToolOutput> {
  const span = startSpan(run);
  try {
    return observed(run, span, stream(input, ctx, run));
  } catch (thrown) {
    throw failed(run, span, thrown);
  }
}

/** What comes after the end of the run is an event. */
function ended(
  run: ToolRun,
  span: Span | undefined,
  output: ToolOutput | StreamReader<ToolOutput>,
): ToolOutput | StreamReader<ToolOutput> {
  if (span === undefined || run.openedInvocation?.hasStopped === true) return output;
  if (output instanceof StreamReader) return observed(run, span, output);
  if (span.closed) span.event({ kind: "late_result", result: output });
  else span.end({ result: output });
  return output;
}

/**
 * Handlers hear of the error as the node tells it; middlewares catch what the tool threw. (That a call waits they hear when
 * all inside it has settled.)
 */
function failed(run: ToolRun, span: Span | undefined, thrown: unknown): unknown {
  if (run.waits(thrown)) return thrown;
  if (span?.closed === true) span.event({ kind: "late_result", error: run.blame(thrown) });
  else span?.error(run.blame(thrown));
  return thrown;
}

function observed(run: ToolRun, span: Span | undefined, output: StreamReader<ToolOutput>): StreamReader<ToolOutput> {
  if (span === undefined) return output;
  let thrown: unknown;
  const told = mapError(output, (error) => {
    thrown = error;
    return run.waits(error) ? error : run.blame(error);
  });
  return mapError(
    span.outputStream(told, (result) => ({ result })),
    () => thrown,
  );
}

/** The same stream with another error at its end. */
function mapError<T>(reader: StreamReader<T>, change: (error: unknown) => unknown): StreamReader<T> {
  const source = reader.takeSource();
  const refuse = (error: unknown): never => {
    throw change(error);
  };
  return new StreamReader(
    { next: () => source.next().then(undefined, refuse), cancel: (reason) => source.cancel(reason) },
    reader.joining,
  );
}

/**
 * All that comes before a call runs: aliases, the arguments handler, parsing, validating. A call for which something is
 * wrong fails; nothing is thrown. Gives a promise when something must be awaited.
 */
export function prepareCall(run: ToolRun, toolNames: readonly string[]): Promise<void> | undefined {
  const { entry } = run;
  if (entry === undefined) {
    run.fail(unknownTool(run, toolNames));
    return undefined;
  }
  try {
    if (entry.argumentAliases !== undefined) run.text = renameArguments(run.text, entry.argumentAliases);
    const handler = entry.known ? run.owner.settings.argumentsHandler : undefined;
    const handled = handler === undefined ? readInput(run) : handleArguments(run, handler);
    return handled?.then(undefined, (thrown) => run.fail(thrown));
  } catch (thrown) {
    run.fail(thrown);
    return undefined;
  }
}

function readInput(run: ToolRun): void | Promise<void> {
  const input = run.entry?.stages.readInput(run.text, run);
  return input instanceof Promise ? input.then((ready) => takeInput(run, ready)) : takeInput(run, input);
}

/** The input is valid; whether the tool may run also depends on the request. */
function takeInput(run: ToolRun, input: unknown): void | Promise<void> {
  run.input = input;
  const stages = run.entry?.stages;
  if (stages?.hooks !== undefined && run.phase === "waiting") tellInput(stages.hooks, input, run);
  const misfit = stages?.checkRequest?.(requestValues(run.nodeContext.requestContext), run);
  if (misfit === undefined) return undefined;
  if (!isPromiseLike(misfit)) return run.refuse(misfit);
  return Promise.resolve(misfit.then((error) => error && run.refuse(error)));
}

type ArgumentsHandler = NonNullable<ToolRun["owner"]["settings"]["argumentsHandler"]>;

function handleArguments(run: ToolRun, handler: ArgumentsHandler): void | Promise<void> {
  const given = run.text;
  const refuse = (cause: unknown): never => {
    throw argumentsHandlerFailed(run, given, cause);
  };
  let handled: unknown;
  try {
    handled = handler(run.toolName, given, run);
  } catch (cause) {
    return refuse(cause);
  }
  if (!isPromiseLike(handled)) return use(run, handled, refuse);
  return Promise.resolve(handled.then((text) => use(run, text, refuse), refuse));
}

function use(run: ToolRun, text: unknown, refuse: (cause: unknown) => never): void | Promise<void> {
  if (typeof text !== "string") return refuse(handledArgumentsNotText(text));
  run.text = text;
  return readInput(run);
}
