import type { RunSnapshot, Slot } from "../checkpoint/document/snapshot.js";
import { noStore } from "../checkpoint/errors.js";
import type { RunOptions } from "../compose/options.js";
import { START_INDEX, type ValueCheck } from "../compose/plan/plan.js";
import { isPromiseLike, isStream } from "../is.js";
import { loadMessageJoining } from "../schema/concat/load-message-joining.js";
import { OnDemand } from "../schema/on-demand.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { whenReady } from "./async.js";
import type { Mode } from "./body.js";
import { needsJournal } from "./checkpoint-options.js";
import type { SavedRuns } from "./environment.js";
import { invalidRunOption } from "./errors.js";
import { canRunFast, runFast } from "./fast-lane.js";
import { NodeStops } from "./node-stops.js";
import type { Program, RunNested } from "./program.js";
import { RootRun } from "./root-run.js";
import { Run } from "./run.js";
import type { RunLedger } from "./run-parts.js";
import type { History } from "./saved/history.js";
import type { Resumption } from "./saved/open-journal.js";
import { Scheduler } from "./scheduler.js";
import { InputJoining, oneChunk } from "./streams/joining.js";
import { traced } from "./streams/node-stream.js";
import { RunStream, type Started } from "./streams/run-stream.js";
import { Task } from "./task.js";

/** How a run begins: from the start of the graph, with an input that may have been checked, or where an earlier process came to. */
type Begin = (from: RunSnapshot | undefined, checked?: Slot) => unknown;

/** `invoke` and `resume`; `collect` of a lone node. Rejects at once when the run is stopped, whatever its nodes do. */
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
    // no closure and no second promise for a run that nothing outside can stop: they would be much of its cost
    if (!run.stoppable && !isSaved) return Promise.resolve(beginWithValue(run, input, given, undefined));
    const begin: Begin = (from, checked) => beginWithValue(run, input, given, from, checked);
    const value = given === undefined ? { value: input } : undefined;
    return new Promise((resolve, reject) => {
      run.onStop = isSaved ? rejectWhenSaved.bind(undefined, run, reject) : reject;
      const result = isSaved ? runSaved(run, { options, resumption, input: value }, begin) : beginChild(run, begin);
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

/** `stream`, `transform` and `resumeStream`. Nothing happens, and no option is looked at, before the first read. */
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

/** `collect` of a graph: its nodes move streams, and the schema of the output has the last word. */
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
  const start = (): Started => {
    const { run, begin } =
      mode === "stream" ? startStream(program, input, options) : startTransform(program, input, options);
    const isSaved = resumption !== undefined || (options !== undefined && needsJournal(options));
    if (!isSaved) return { run, output: () => beginChild(run, begin) };
    const value = mode === "stream" ? { value: input } : undefined;
    return { run, output: () => runSaved(run, { options, resumption, input: value }, begin) };
  };
  return new RunStream(start, (reason) => {
    // the output was cancelled before it was read, so the stream that was given will not be read either
    if (mode === "transform" && isStream(input)) void StreamReader.from(input).cancel(reason);
  });
}

/** For handlers the input of the graph is what the caller gave, also where its nodes move streams. */
function startStream(
  program: Program,
  input: unknown,
  options: RunOptions | undefined,
): { run: RootRun; begin: Begin } {
  const { bare } = program.plan;
  const run = RootRun.prepare(program, bare ? "stream" : "transform", options);
  const begin: Begin = (from, checked) => {
    if (run.ownsSpan) run.span?.start(input);
    if (checked !== undefined) return executeChecked(run, oneChunk(checked.value, undefined));
    return execute(run, bare ? input : oneChunk(input, undefined), from);
  };
  return { run, begin };
}

function startTransform(
  program: Program,
  input: unknown,
  options: RunOptions | undefined,
): { run: RootRun; begin: Begin } {
  const given = StreamReader.from(input as StreamSource<unknown>);
  const run = prepare(program, "transform", options, given);
  const begin: Begin = (from) => {
    const reader = asInput(run, given);
    const observed = run.ownsSpan && run.span !== undefined ? run.span.inputStream(reader) : reader;
    return execute(run, observed, from);
  };
  return { run, begin };
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
  const source = traced(reader.takeSource(), undefined, new Task(run, START_INDEX));
  return new StreamReader(source, new InputJoining(reader.joining, run));
}

// runs that can be resumed

const savedRuns = new OnDemand(async () => {
  // snapshots are taken at any moment, with streams in them joined: what that may need is there from the start
  const [part] = await Promise.all([import("./saved/saved-runs.js"), loadMessageJoining()]);
  return part.savedRuns;
});

interface Saved {
  readonly options: RunOptions | undefined;
  readonly resumption: Resumption | undefined;
  /** `undefined` when it is a stream. */
  readonly input: Slot | undefined;
}

/** What can be asked of the saves of a graph's runs. */
export async function historyOf(program: Program, asked: string): Promise<History> {
  const { store } = program.plan;
  if (store === undefined) throw noStore(asked);
  return (savedRuns.part ?? (await savedRuns.load())).newHistory(program, store);
}

/** Claims the checkpoint, runs, and lets go of the checkpoint before the caller learns of the end. */
async function runSaved(run: RootRun, { options, resumption, input }: Saved, begin: Begin): Promise<unknown> {
  try {
    const part = savedRuns.part ?? (await savedRuns.load());
    run.throwIfAborted();
    const claim = part.openJournal(run, options, resumption, part);
    const isSaved = resumption === undefined && run.ownJournal?.checkpointId !== undefined;
    const checking = isSaved && input !== undefined ? checkedInput(run, input) : undefined;
    const checked = checking instanceof Promise ? await checking : checking;
    run.throwIfAborted();
    const from = await claim(checked && part.startSnapshot(run, checked.value));
    run.throwIfAborted();
    const result = await begin(from, checked);
    if (!run.streams) await run.ownJournal?.finished({ value: result });
    return result;
  } catch (error) {
    run.over();
    const { ownJournal: journal } = run;
    throw journal === undefined ? error : await journal.stopped(error, true);
  }
}

/** What the schema of the graph makes of the input. It is saved so, and not checked again on a resume. */
function checkedInput(run: RootRun, input: Slot): Slot | Promise<Slot> {
  const { checkInput } = run.program.plan;
  return checkInput === undefined ? input : checkInputFirst(run, input, checkInput);
}

async function checkInputFirst(run: RootRun, { value }: Slot, check: ValueCheck): Promise<Slot> {
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

/** A child run whose parent was entered before has its result already, or goes on where it was. */
function beginChild(run: RootRun, begin: Begin): unknown {
  if (run.parentContext === undefined || (run.environment.savedRuns === undefined && !run.retains))
    return begin(undefined);
  const { invocation } = run.parentContext;
  const result: Slot | undefined = invocation.innerResult(run.innerKey);
  if (result === undefined) {
    const from = invocation.savedInner(run.innerKey);
    if (from !== undefined) savedRuns.part?.checkKinds(from, run.program, run.nodePath);
    return begin(from);
  }
  if (run.streams) return oneChunk(result.value, undefined);
  run.over();
  return result.value;
}

// every run

/** Runs a graph that is a node of another: same address, same handlers, its own steps, mode and state. */
export const runNested: RunNested = (program, mode) => (input, task) => {
  const { owner } = task;
  if (!(owner instanceof Run)) throw invalidRunOption("A nested graph runs only inside a run of this library.");
  const places = owner.nodeCallOptions?.inside.get(owner.node(task.index).key);
  const from = task.openedInvocation?.savedInner("");
  return execute(
    new Run(program, mode, { parentContext: task, nested: true }, undefined, owner.overrides, places),
    input,
    from,
  );
};

/**
 * Runs a graph on an input, or goes on with a run that stopped, where the input counts only when nothing of it was done. Gives
 * the result, or a promise of it. What fails is located, and stops what else is running here.
 */
function execute(run: Run, input: unknown, from: RunSnapshot | undefined): unknown {
  run.open();
  const { checkInput } = run.program.plan;
  if (checkInput === undefined || from !== undefined) return begin(run, input, from);
  const isReader = run.mode === "transform";
  const fail = (error: unknown): never => {
    throw run.fail(run.blame(error, START_INDEX));
  };
  const beginWith = (checked: unknown): unknown => begin(run, isReader ? oneChunk(checked, undefined) : checked, from);
  let checked: unknown;
  try {
    // the whole input is checked before any node runs
    checked = whenReady(isReader ? (input as StreamReader<unknown>).concat() : input, checkInput);
  } catch (error) {
    return fail(error);
  }
  return isPromiseLike(checked) ? checked.then(beginWith, fail) : beginWith(checked);
}

/** The same for an input that was checked before. */
function executeChecked(run: Run, input: unknown): unknown {
  run.open();
  return begin(run, input, undefined);
}

function begin(run: Run, input: unknown, from: RunSnapshot | undefined): unknown {
  // a handler, or whoever checked the input, may have stopped the run before it began
  if (run.aborted) throw run.fail(run.reason);
  if (canRunFast(run)) return runFast(run, input);
  const keeper = run.environment.savedRuns ?? retaining(run);
  if (keeper instanceof Promise) return keeper.then((part) => beginWith(run, part, input, from));
  return beginWith(run, keeper, input, from);
}

/** What is done inside is kept for a further attempt, whether or not the run is saved. */
function retaining(run: Run): SavedRuns | undefined | Promise<SavedRuns> {
  return run.retains ? (savedRuns.part ?? savedRuns.load()) : undefined;
}

function beginWith(run: Run, keeper: SavedRuns | undefined, input: unknown, from: RunSnapshot | undefined): unknown {
  const ledger = keeper?.newLedger(run as never) as RunLedger | undefined;
  run.ledger = ledger;
  const stops = NodeStops.of(run, from);
  run.stops = stops;
  const scheduler = new Scheduler(run, stops);
  if (ledger === undefined) return scheduler.run([startTask(run, input)]);
  let first: readonly Task[];
  try {
    first = ledger.begin(input, from);
  } catch (error) {
    throw run.fail(run.blame(error, START_INDEX));
  }
  return scheduler.run(first, ledger.saveStart(first));
}

function startTask(run: Run, input: unknown): Task {
  const task = new Task(run, START_INDEX);
  task.output = input;
  return task;
}
