import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { RunOptions } from "../options.js";
import { isPromiseLike } from "./async.js";
import type { Mode } from "./body.js";
import { execute } from "./execute.js";
import { oneChunk } from "./node-stream.js";
import type { Program } from "./program.js";
import { RootRun } from "./root-run.js";
import { RunStream } from "./run-stream.js";

/** Runs a program for a whole result. Rejects at once when it is stopped, whatever its nodes do. */
export function runForValue(
  program: Program,
  mode: "invoke" | "collect",
  input: unknown,
  options: RunOptions | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const run = RootRun.prepare(program, mode, options);
    run.onStop = reject;
    if (run.ownsWatch) run.watch?.start(input);
    const result = execute(run, input);
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
  const start = () => startStream(program, mode, input, options);
  const source = new RunStream(start, input);
  return new StreamReader<unknown>(source, source.joining);
}

function startStream(program: Program, mode: "stream" | "transform", input: unknown, options: RunOptions | undefined) {
  const native: Mode = program.plan.bare ? mode : "transform";
  const run = RootRun.prepare(program, native, options);
  const output = () => {
    const given = announce(run, mode, input);
    return execute(run, native === "transform" && mode === "stream" ? oneChunk(given, undefined) : given);
  };
  return { run, output };
}

/** Tells the handlers of the graph about its input, which for them is what the caller gave. */
function announce(run: RootRun, mode: "stream" | "transform", input: unknown): unknown {
  const given = mode === "transform" ? StreamReader.from(input as StreamSource<unknown>) : input;
  if (!run.ownsWatch || run.watch === undefined) return given;
  if (given instanceof StreamReader && mode === "transform") return run.watch.inputStream(given);
  run.watch.start(given);
  return given;
}
