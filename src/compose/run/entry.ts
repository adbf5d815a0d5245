import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { RunOptions } from "../options.js";
import { START_INDEX } from "../plan/plan.js";
import { isPromiseLike, isStream } from "./async.js";
import type { Mode } from "./body.js";
import { execute } from "./execute.js";
import { inputJoining } from "./input-joining.js";
import { oneChunk, traced } from "./node-stream.js";
import type { Program } from "./program.js";
import { RootRun } from "./root-run.js";
import { RunStream } from "./run-stream.js";
import { TaskContext } from "./task-context.js";

/** Runs a program for a whole result. Rejects at once when it is stopped, whatever its nodes do. */
export function runForValue(
  program: Program,
  mode: "invoke" | "collect",
  input: unknown,
  options: RunOptions | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const given = mode === "collect" ? StreamReader.from(input as StreamSource<unknown>) : undefined;
    const run = prepare(program, mode, options, given);
    run.onStop = reject;
    if (run.ownsWatch) run.watch?.start(input);
    const result = execute(run, given === undefined ? input : asInput(run, given));
    if (isPromiseLike(result)) result.then(resolve, reject);
    else resolve(result);
  });
}

/** Runs a program for a stream. Nothing happens, and no option is looked at, before the first read. */
export function runForStream(
  program: Program,
  mode: "stream" | "transform",
  input: unknown,
  options: RunOptions | undefined,
): StreamReader<unknown> {
  const start = () => (mode === "stream" ? startStream : startTransform)(program, input, options);
  const source = new RunStream(start, (reason) => release(mode, input, reason));
  return new StreamReader<unknown>(source, source.joining);
}

/** For handlers the input of the graph is what the caller gave, also where its nodes move streams. */
function startStream(program: Program, input: unknown, options: RunOptions | undefined) {
  const { bare } = program.plan;
  const run = RootRun.prepare(program, bare ? "stream" : "transform", options);
  const output = () => {
    if (run.ownsWatch) run.watch?.start(input);
    return execute(run, bare ? input : oneChunk(input, undefined));
  };
  return { run, output };
}

function startTransform(program: Program, input: unknown, options: RunOptions | undefined) {
  const given = StreamReader.from(input as StreamSource<unknown>);
  const run = prepare(program, "transform", options, given);
  const output = () => {
    const reader = asInput(run, given);
    return execute(run, run.ownsWatch && run.watch !== undefined ? run.watch.inputStream(reader) : reader);
  };
  return { run, output };
}

/** A run takes over the stream that it is given, also when it does not come to run. */
function prepare(
  program: Program,
  mode: Mode,
  options: RunOptions | undefined,
  given: StreamReader<unknown> | undefined,
): RootRun {
  try {
    return RootRun.prepare(program, mode, options);
  } catch (error) {
    void given?.cancel(error);
    throw error;
  }
}

/** The stream that the caller gave: it is stopped with the run. */
function asInput(run: RootRun, reader: StreamReader<unknown>): StreamReader<unknown> {
  const source = traced(reader.takeSource(), undefined, new TaskContext(run, START_INDEX));
  return new StreamReader(source, inputJoining(reader.joining, run.runtime.concat));
}

/** The output was cancelled before it was read, so the stream that was given will not be read either. */
function release(mode: Mode, input: unknown, reason: unknown): void {
  if (mode === "transform" && isStream(input)) void StreamReader.from(input).cancel(reason);
}
