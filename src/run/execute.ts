import type { RunSnapshot } from "../checkpoint/snapshot.js";
import type { ValueCheck } from "../compose/plan/plan.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { isPromiseLike, whenReady } from "./async.js";
import { DagSchedule } from "./dag.js";
import { drive, driveObserved, rejectStopped } from "./drive.js";
import { movesStreams } from "./flow.js";
import { loadTracking } from "./load-tracking.js";
import { oneChunk } from "./node-stream.js";
import type { Run } from "./run.js";
import { startSupersteps } from "./supersteps.js";

/**
 * Runs a graph on an input: gives its result, or a promise of it when something had to be awaited. What fails is located,
 * and stops what else is running here.
 */
export function execute(run: Run, input: unknown): unknown {
  run.open();
  const { checkInput } = run.program.plan;
  return checkInput === undefined ? begin(run, input) : checkFirst(run, input, checkInput);
}

/** A handler, or whoever checked the input, may have stopped the run before it began. */
function begin(run: Run, input: unknown): unknown {
  if (run.aborted) throw run.fail(run.reason);
  const { tracking } = run.environment;
  if (tracking !== undefined) return tracking.start(run, input);
  const { interruptBefore, interruptAfter } = run.program.plan;
  if (interruptBefore !== undefined || interruptAfter !== undefined) return startTracked(run, input);
  return run.program.plan.triggerMode === "allPredecessor"
    ? new DagSchedule(run).start(input)
    : executeSupersteps(run, input);
}

/** Goes on with a run that stopped; the input counts only when nothing of it was done. */
export function executeFrom(run: Run, snapshot: RunSnapshot, input: unknown): Promise<unknown> {
  run.open();
  const { tracking } = run.environment;
  return tracking === undefined ? resumeLater(run, snapshot, input) : tracking.resume(run, snapshot, input);
}

async function resumeLater(run: Run, snapshot: RunSnapshot, input: unknown): Promise<unknown> {
  const tracking = await loadTracking();
  return tracking.resume(run, snapshot, input);
}

async function startTracked(run: Run, input: unknown): Promise<unknown> {
  const tracking = await loadTracking();
  return tracking.start(run, input);
}

function executeSupersteps(run: Run, input: unknown): unknown {
  if (run.observed && run.mode === "invoke") return driveObserved(run, input);
  try {
    if (startSupersteps(run, input)) return run.complete(run.result);
  } catch (error) {
    if (run.stopped !== undefined) return rejectStopped(run, error);
    throw run.fail(error);
  }
  return drive(run);
}

/** Checks the whole input before any node runs; a stream is read to its end for that. */
function checkFirst(run: Run, input: unknown, check: ValueCheck): unknown {
  const beginWith = (checked: unknown): unknown =>
    begin(run, movesStreams(run) ? oneChunk(checked, undefined) : checked);
  let checked: unknown;
  try {
    checked = whenReady(movesStreams(run) ? (input as StreamReader<unknown>).concat() : input, check);
  } catch (error) {
    throw run.fail(error);
  }
  if (!isPromiseLike(checked)) return beginWith(checked);
  return checked.then(beginWith, (error: unknown) => {
    throw run.fail(error);
  });
}
