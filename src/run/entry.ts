import type { RunSnapshot, Slot } from "../checkpoint/snapshot.js";
import type { RunOptions } from "../compose/options.js";
import { START_INDEX } from "../compose/plan/plan.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { isPromiseLike, isStream } from "./async.js";
import type { Mode } from "./body.js";
import { execute, executeFrom } from "./execute.js";
import { inputJoining } from "./input-joining.js";
import { loadTracking } from "./load-tracking.js";
import { oneChunk, traced } from "./node-stream.js";
import type { Program } from "./program.js";
import { RootRun } from "./root-run.js";
import { RunStream, type Started } from "./run-stream.js";
import { needsJournal, type Resumption } from "./run-tracking.js";
import { TaskContext } from "./task-context.js";

/** Runs a program for a whole result. Rejects at once when it is stopped, whatever its nodes do. */
export function runForValue(
  program: Program,
  mode: "invoke" | "collect",
  input: unknown,
  options: RunOptions | undefined,
  resumption?: Resumption,
): Promise<unknown> {
  try {
    const given = mode === "collect" ? StreamReader.from(input as StreamSource<unknown>) : undefined;
    const run = prepare(program, mode, options, given);
    // No closure here, and no promise around the run's own: they would be a good part of the price of a short run.
    if (!run.stoppable && !needsJournal(options, resumption))
      return Promise.resolve(begin(run, input, given, undefined));
    return runStoppable(run, { input, given, options, resumption });
  } catch (error) {
    return Promise.reject(error);
  }
}

function begin(
  run: RootRun,
  input: unknown,
  given: StreamReader<unknown> | undefined,
  from: RunSnapshot | undefined,
): unknown {
  if (run.ownsWatch) run.watch?.start(input);
  const entering = given === undefined ? input : asInput(run, given);
  return from === undefined ? execute(run, entering) : executeFrom(run, from, entering);
}

interface Given {
  readonly input: unknown;
  /** The same as a reader, when it is a stream. */
  readonly given: StreamReader<unknown> | undefined;
  readonly options: RunOptions | undefined;
  readonly resumption: Resumption | undefined;
}

/** Something outside can stop this run: that rejects at once, or when the run is saved, if it is. */
function runStoppable(run: RootRun, { input, given, options, resumption }: Given): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const enter = (from: RunSnapshot | undefined): unknown => begin(run, input, given, from);
    if (needsJournal(options, resumption)) {
      run.onStop = rejectWhenSaved.bind(undefined, run, reject);
      runJournaled(run, options, resumption, enter).then(resolve, reject);
      return;
    }
    run.onStop = reject;
    const former = formerOf(run);
    if (former?.result !== undefined) {
      run.over();
      resolve(former.result.value);
      return;
    }
    const result = enter(former?.run);
    if (isPromiseLike(result)) result.then(resolve, reject);
    else resolve(result);
  });
}

/** Claims the checkpoint, runs, and lets go of the checkpoint: all that before anybody hears of the end. */
async function runJournaled(
  run: RootRun,
  options: RunOptions | undefined,
  resumption: Resumption | undefined,
  begin: (from: RunSnapshot | undefined) => unknown,
): Promise<unknown> {
  try {
    const loading = loadTracking();
    const tracking = loading instanceof Promise ? await loading : loading;
    run.throwIfAborted();
    const claim = tracking.openJournal(run, options, resumption);
    const from = await claim();
    run.throwIfAborted();
    const result = await begin(from);
    if (!run.streams) await run.ownJournal?.finished();
    return result;
  } catch (error) {
    run.over();
    const { ownJournal: journal } = run;
    throw journal === undefined ? error : await journal.stopped(error, true);
  }
}

function rejectWhenSaved(run: RootRun, reject: (failure: unknown) => void, reason: unknown): void {
  const { ownJournal: journal } = run;
  if (journal === undefined) reject(reason);
  else void journal.stopped(reason).then(reject);
}

/** What a child run gave, or how far it came, when its place was entered before. */
function formerOf(
  run: RootRun,
): { readonly result: Slot | undefined; readonly run: RunSnapshot | undefined } | undefined {
  if (run.place === undefined || run.environment.journal === undefined) return undefined;
  const { visit } = run.place;
  return { result: visit.innerResult(run.innerKey), run: visit.savedInner(run.innerKey) };
}

/** Runs a program for a stream. Nothing happens, and no option is looked at, before the first read. */
export function runForStream(
  program: Program,
  mode: "stream" | "transform",
  input: unknown,
  options: RunOptions | undefined,
  resumption?: Resumption,
): StreamReader<unknown> {
  const start = (): Started => {
    const { run, begin } = (mode === "stream" ? startStream : startTransform)(program, input, options);
    if (needsJournal(options, resumption)) return { run, output: () => runJournaled(run, options, resumption, begin) };
    const former = formerOf(run);
    if (former?.result === undefined) return { run, output: () => begin(former?.run) };
    const { value } = former.result;
    return { run, output: () => oneChunk(value, undefined) };
  };
  const source = new RunStream(start, (reason) => release(mode, input, reason));
  return new StreamReader<unknown>(source, source.joining);
}

/** For handlers the input of the graph is what the caller gave, also where its nodes move streams. */
function startStream(program: Program, input: unknown, options: RunOptions | undefined): Begun {
  const { bare } = program.plan;
  const run = RootRun.prepare(program, bare ? "stream" : "transform", options);
  const begin = (from: RunSnapshot | undefined): unknown => {
    if (run.ownsWatch) run.watch?.start(input);
    const entering = bare ? input : oneChunk(input, undefined);
    return from === undefined ? execute(run, entering) : executeFrom(run, from, entering);
  };
  return { run, begin };
}

function startTransform(program: Program, input: unknown, options: RunOptions | undefined): Begun {
  const given = StreamReader.from(input as StreamSource<unknown>);
  const run = prepare(program, "transform", options, given);
  const begin = (from: RunSnapshot | undefined): unknown => {
    const reader = asInput(run, given);
    const observed = run.ownsWatch && run.watch !== undefined ? run.watch.inputStream(reader) : reader;
    return from === undefined ? execute(run, observed) : executeFrom(run, from, observed);
  };
  return { run, begin };
}

interface Begun {
  readonly run: RootRun;
  /** Starts the nodes, at the start of the graph or where a former run stopped. */
  readonly begin: (from: RunSnapshot | undefined) => unknown;
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
