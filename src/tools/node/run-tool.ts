import { startedHere } from "../../callbacks/at-call.js";
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

/** Reads the stream of a call, and settles the call at its end. */
export type ReadStream = (run: ToolRun, reader: StreamReader<ToolOutput>) => void;

/**
 * Runs the tool of a call inside its middlewares. The call settles in any case; for a stream, `read` is responsible for that.
 * `streams`: whether a tool that can do both is streamed.
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
    // it ran in an earlier execution: only its output is checked again
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

/** The usual case, without middlewares, handlers and approval. */
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

/** Takes the output of a call: an output, a stream, or anything at all if a middleware returned it. */
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

/** The `next` of the innermost invokable middleware. */
export const nextInvokable: NextInvokable = async (call, ctx) => {
  const run = runOf(call, ctx);
  run.openedInvocation?.restart();
  const input = await takeChanges(run, call);
  const stages = run.entry?.stages;
  return stages === undefined ? "" : (observedInvoke(run, stages, ctx, input) as Promise<ToolOutput>);
};

/** The `next` of the innermost streamable middleware. */
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

/** Takes over changes by a middleware. A changed input is used as it is; changed arguments are parsed and validated again. */
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

/** Handles approval and resume data before a tool runs. Returns the input to run with, or a promise of it. */
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

/** Invokes the tool in a span, which ends when the output is checked and serialized. */
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
    const value = inside(span, () => stages.invoke?.(input, ctx));
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

/** Opens the span of the tool, unless the call has ended: a handler may end it even at its start. */
function startSpan(run: ToolRun): Span | undefined {
  run.throwIfOver();
  const span = run.openSpan();
  if (span !== undefined) run.throwIfOver();
  return span;
}

/** Calls a tool in what handlers keep of its span. */
function inside<Output>(span: Span | undefined, call: () => Output): Output {
  return span === undefined ? call() : startedHere(call, span.handlers.items, span)();
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
    return observed(
      run,
      span,
      inside(span, () => stream(input, ctx, run)),
    );
  } catch (thrown) {
    throw failed(run, span, thrown);
  }
}

/** Ends the span with the output. If it has already ended, sends a `late_result` event. */
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
 * Ends the span with an error. Handlers get the node's error, middlewares get what the tool threw. (An interrupt is reported
 * when everything inside the call has settled.)
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
  const reported = mapError(output, (error) => {
    thrown = error;
    return run.waits(error) ? error : run.blame(error);
  });
  return mapError(
    span.outputStream(reported, (result) => ({ result })),
    () => thrown,
  );
}

/** Maps the error of a stream. */
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
 * Prepares a call: renames aliases, runs the arguments handler, parses and validates. On an error the call fails; nothing is
 * thrown. Returns a promise if something must be awaited.
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

/** Takes valid input, and checks the request context. */
function takeInput(run: ToolRun, input: unknown): void | Promise<void> {
  run.input = input;
  const stages = run.entry?.stages;
  if (stages?.hooks !== undefined && run.phase === "waiting") tellInput(stages.hooks, input, run);
  const mismatch = stages?.checkRequest?.(requestValues(run.nodeContext.requestContext), run);
  if (mismatch === undefined) return undefined;
  if (!isPromiseLike(mismatch)) return run.refuse(mismatch);
  return Promise.resolve(mismatch.then((error) => error && run.refuse(error)));
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
