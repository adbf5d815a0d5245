import { startedHere } from "../callbacks/at-call.js";
import type { RunSnapshot, Slot } from "../checkpoint/document/snapshot.js";
import { noStore } from "../checkpoint/errors.js";
import type { RunOptions } from "../compose/options.js";
import { START_INDEX, type ValueCheck } from "../compose/plan/plan.js";
import { isPromiseLike, isStream } from "../is.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { whenReady } from "./async.js";
import type { Mode } from "./body.js";
import { invalidRunOption } from "./errors.js";
import { canRunFast, runFast } from "./fast-lane.js";
import { needsJournal } from "./options/checkpoint-options.js";
import type { Program, RunNested } from "./program.js";
import { RootRun } from "./root-run.js";
import { Run } from "./run.js";
import type { RunLedger } from "./run-parts.js";
import type { History } from "./saved/history.js";
import type { Resumption } from "./saved/open-journal.js";
import { schedule } from "./schedule.js";
import { oneChunk, StreamJoining } from "./streams/joining.js";
import { traced } from "./streams/node-stream.js";
import { RunStream, type Started } from "./streams/run-stream.js";
import { Task } from "./task.js";

/** Starts the nodes of a prepared run: with its input (`checked` if that was validated already), or from a snapshot. */
type Begin = (from: RunSnapshot | undefined, checked?: Slot) => unknown;

/** `invoke` and `resume`; `collect` of a lone node. Rejects as soon as the run is aborted, even if its nodes keep running. */
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
    const isSaved = resumption !== undefined || (options !== undefined && needsJournal(options));
    // a run that nothing outside can stop skips the closure and the second promise, a large part of its cost
    if (!run.stoppable && !isSaved) return Promise.resolve(beginWithValue(run, input, given, undefined));
    const begin: Begin = (from, checked) => beginWithValue(run, input, given, from, checked);
    const value = given === undefined ? { value: input } : undefined;
    return new Promise((resolve, reject) => {
      run.onStop = isSaved ? rejectWhenSaved.bind(undefined, run, reject) : reject;
      const result = isSaved
        ? runSaved(run, { options, resumption, input: value, given }, begin)
        : beginChild(run, begin, given);
      if (isPromiseLike(result)) result.then(resolve, reject);
      else resolve(result);
    });
  } catch (error) {
    return Promise.reject(error);
  }
}

function beginWithValue(
  run: RootRun,
  input: unknown,
  given: StreamReader<unknown> | undefined,
  from: RunSnapshot | undefined,
  checked?: Slot,
): unknown {
  if (run.ownsSpan) run.span?.start(input);
  if (checked !== undefined) return executeChecked(run, checked.value);
  return execute(run, given === undefined ? input : asInput(run, given), from);
}

/** `stream`, `transform` and `resumeStream`. Nothing happens before the first read; not even the options are checked. */
export function runForStream(
  program: Program,
  mode: "stream" | "transform",
  input: unknown,
  options: RunOptions | undefined,
  resumption?: Resumption,
): StreamReader<unknown> {
  const source = openStream(program, mode, input, options, resumption);
  return new StreamReader<unknown>(source, source.joining);
}

/** `collect` of a graph: its nodes pass streams, and the result is what the output schema returns, if there is one. */
export async function runForCollect(
  program: Program,
  input: unknown,
  options: RunOptions | undefined,
): Promise<unknown> {
  const source = openStream(program, "transform", input, options, undefined);
  const joined = await new StreamReader<unknown>(source, source.joining).concat();
  return source.checked === undefined ? joined : source.checked.value;
}

function openStream(
  program: Program,
  mode: "stream" | "transform",
  input: unknown,
  options: RunOptions | undefined,
  resumption: Resumption | undefined,
): RunStream {
  const { callbacks, runtime } = program.plan;
  const here = startedHere(
    (output: () => unknown) => output(),
    [runtime.callbacks, callbacks, options?.callbacks].flat(),
  );
  const start = (): Started => {
    const { run, begin, given } =
      mode === "stream" ? startStream(program, input, options) : startTransform(program, input, options);
    const isSaved = resumption !== undefined || (options !== undefined && needsJournal(options));
    if (!isSaved) return { run, output: () => here(() => beginChild(run, begin, given)) };
    const value = mode === "stream" ? { value: input } : undefined;
    return { run, output: () => here(() => runSaved(run, { options, resumption, input: value, given }, begin)) };
  };
  const releaseInput = (reason: unknown): void => {
    // the output was cancelled before its first read, so the input stream will not be read either
    if (mode === "transform" && isStream(input)) void StreamReader.from(input).cancel(reason);
  };
  return new RunStream(start, releaseInput);
}

/** A prepared run whose output is a stream. */
interface StreamStart {
  readonly run: RootRun;
  readonly begin: Begin;
  /** The caller's stream, if the input is one. */
  readonly given: StreamReader<unknown> | undefined;
}

/** Handlers see the caller's value as the input of the graph, although its nodes pass streams. */
function startStream(program: Program, input: unknown, options: RunOptions | undefined): StreamStart {
  const { bare } = program.plan;
  const run = RootRun.prepare(program, bare ? "stream" : "transform", options);
  const begin: Begin = (from, checked) => {
    if (run.ownsSpan) run.span?.start(input);
    if (checked !== undefined) return executeChecked(run, oneChunk(checked.value, undefined));
    return execute(run, bare ? input : oneChunk(input, undefined), from);
  };
  return { run, begin, given: undefined };
}

function startTransform(program: Program, input: unknown, options: RunOptions | undefined): StreamStart {
  const given = StreamReader.from(input as StreamSource<unknown>);
  const run = prepare(program, "transform", options, given);
  const begin: Begin = (from) => {
    const reader = asInput(run, given);
    const observed = run.ownsSpan && run.span !== undefined ? run.span.inputStream(reader) : reader;
    return execute(run, observed, from);
  };
  return { run, begin, given };
}

/** Creates the run. It owns the input stream from here on, which is cancelled if the run never begins. */
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

/** The caller's stream as the input of the run: aborting the run cancels it. */
function asInput(run: RootRun, reader: StreamReader<unknown>): StreamReader<unknown> {
  const source = traced(reader.takeSource(), undefined, new Task(run, START_INDEX));
  return new StreamReader(source, StreamJoining.ofInput(reader.joining, run));
}

// runs that can be resumed

type SavedRunsCode = typeof import("./saved/saved-runs.js").savedRuns;

/** Loads the code that only resumable runs need. It is kept: each `import()` costs microseconds, also of what is loaded. */
async function loadSavedRuns(): Promise<SavedRunsCode> {
  loaded.savedRuns ??= (await import("./saved/saved-runs.js")).savedRuns;
  return loaded.savedRuns;
}

const loaded: { savedRuns?: SavedRunsCode } = {};

interface SavedStart {
  readonly options: RunOptions | undefined;
  readonly resumption: Resumption | undefined;
  /** `undefined` if the input is a stream. */
  readonly input: Slot | undefined;
  /** That stream. */
  readonly given: StreamReader<unknown> | undefined;
}

/** The history of a graph's saved runs. Throws if the graph has no store; `asked` names the method in that error. */
export async function historyOf(program: Program, asked: string): Promise<History> {
  const { store } = program.plan;
  if (store === undefined) throw noStore(asked);
  return (await loadSavedRuns()).newHistory(program, store);
}

/** Claims the checkpoint, runs, and releases the checkpoint before it settles. */
async function runSaved(run: RootRun, start: SavedStart, begin: Begin): Promise<unknown> {
  const { options, resumption, input, given } = start;
  let hasBegun = false;
  try {
    const part = await loadSavedRuns();
    run.throwIfAborted();
    const claim = part.openJournal(run, options, resumption, part);
    const isNew = resumption === undefined && run.ownJournal?.checkpointId !== undefined;
    const checking = isNew && input !== undefined ? checkedInput(run, input) : undefined;
    const checked = checking instanceof Promise ? await checking : checking;
    run.throwIfAborted();
    const from = await claim(checked && part.startSnapshot(run, checked.value));
    run.throwIfAborted();
    hasBegun = true;
    const result = await begin(from, checked);
    if (!run.streams) await run.ownJournal?.finished({ value: result });
    return result;
  } catch (error) {
    if (!hasBegun) void given?.cancel(error);
    run.over();
    const { ownJournal: journal } = run;
    throw journal === undefined ? error : await journal.stopped(error, true);
  }
}

/** The input as the graph's schema returns it. It is saved in that form and not checked again on resume. */
function checkedInput(run: RootRun, input: Slot): Slot | Promise<Slot> {
  const { checkInput } = run.program.plan;
  return checkInput === undefined ? input : runCheck(run, input, checkInput);
}

async function runCheck(run: RootRun, { value }: Slot, check: ValueCheck): Promise<Slot> {
  try {
    return { value: await check(value) };
  } catch (error) {
    if (run.aborted) throw error;
    if (run.ownsSpan) run.span?.start(value);
    throw run.fail(run.blame(error, START_INDEX));
  }
}

function rejectWhenSaved(run: RootRun, reject: (failure: unknown) => void, reason: unknown): void {
  const { ownJournal: journal } = run;
  if (journal === undefined) reject(reason);
  else void journal.stopped(reason).then(reject);
}

/** Begins a child run. If its parent is being re-entered, it returns its saved result, or continues from its snapshot. */
function beginChild(run: RootRun, begin: Begin, given: StreamReader<unknown> | undefined): unknown {
  if (run.parentContext === undefined || (run.environment.savedRuns === undefined && !run.retains))
    return begin(undefined);
  const { invocation } = run.parentContext;
  const result: Slot | undefined = invocation.innerResult(run.innerKey);
  if (result === undefined) {
    const from = invocation.savedInner(run.innerKey);
    if (from !== undefined) run.environment.savedRuns?.checkKinds(from, run.program, run.nodePath);
    return begin(from);
  }
  void given?.cancel();
  if (run.streams) return oneChunk(result.value, undefined);
  run.over();
  return result.value;
}

// every run

/** Runs a graph that is a node of another: the same address and handlers; steps, mode and state of its own. */
export const runNested: RunNested = (program, mode) => (input, task, local) => {
  const { owner } = task;
  if (!(owner instanceof Run)) throw invalidRunOption("A nested graph runs only inside a run of this library.");
  const callOptions = owner.nodeCallOptions?.inside.get(owner.node(task.index).key);
  const from = task.openedInvocation?.savedInner("");
  const run = new Run(program, mode, { parentContext: task, nested: true }, undefined, owner.overrides, callOptions);
  run.local = local;
  return execute(run, input, from);
};

/**
 * Runs a graph on an input, or continues from a snapshot; then the input is used only if the snapshot has no finished task.
 * Returns the result, or a promise of it. An error is located, and aborts whatever else is running here.
 */
function execute(run: Run, input: unknown, from: RunSnapshot | undefined): unknown {
  run.open();
  const { checkInput } = run.program.plan;
  if (checkInput === undefined || from !== undefined) return runNodes(run, input, from);
  const isReader = run.mode === "transform";
  const fail = (error: unknown): never => {
    throw run.fail(run.blame(error, START_INDEX));
  };
  const runWith = (value: unknown): unknown => runNodes(run, isReader ? oneChunk(value, undefined) : value, from);
  let checked: unknown;
  try {
    checked = whenReady(isReader ? (input as StreamReader<unknown>).concat() : input, checkInput);
  } catch (error) {
    return fail(error);
  }
  return isPromiseLike(checked) ? checked.then(runWith, fail) : runWith(checked);
}

/** {@link execute} for an input that was checked already. */
function executeChecked(run: Run, input: unknown): unknown {
  run.open();
  return runNodes(run, input, undefined);
}

/** Runs the nodes: in the fast lane if possible, otherwise with a scheduler. */
function runNodes(run: Run, input: unknown, from: RunSnapshot | undefined): unknown {
  // a handler or the input check may have aborted the run
  if (run.aborted) throw run.fail(run.reason);
  if (canRunFast(run)) return runFast(run, input);
  const { savedRuns } = run.environment;
  if (savedRuns === undefined && run.retains) return runRetained(run, input, from);
  return schedule(run, savedRuns?.newLedger(run) as RunLedger | undefined, input, from);
}

/** Inside a node with retries, finished work is kept for the next attempt, even if the run is not saved. */
async function runRetained(run: Run, input: unknown, from: RunSnapshot | undefined): Promise<unknown> {
  const { newLedger } = await loadSavedRuns();
  if (run.aborted) throw run.fail(run.reason);
  return schedule(run, newLedger(run), input, from);
}
