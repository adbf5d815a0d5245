import type { StreamReader } from "../../schema/stream/reader.js";
import type { ValueCheck } from "../plan/plan.js";
import { isPromiseLike, whenReady } from "./async.js";
import { DagSchedule } from "./dag.js";
import { drive, driveObserved } from "./drive.js";
import { movesStreams } from "./flow.js";
import { oneChunk } from "./node-stream.js";
import type { Run } from "./run.js";
import { startSupersteps } from "./supersteps.js";

/**
 * Runs a graph on an input: gives its result, or a promise of it when something had to be awaited. What fails is located,
 * and stops what else is running here.
 */
export function execute(run: Run, input: unknown): unknown {
  run.open();
  const { checkInput, triggerMode } = run.program.plan;
  const start = triggerMode === "allPredecessor" ? executeDag : executeSupersteps;
  return checkInput === undefined ? start(run, input) : checkFirst(run, input, checkInput, start);
}

type Start = (run: Run, input: unknown) => unknown;

function executeDag(run: Run, input: unknown): unknown {
  return new DagSchedule(run).start(input);
}

function executeSupersteps(run: Run, input: unknown): unknown {
  if (run.observed && run.mode === "invoke") return driveObserved(run, input);
  try {
    if (startSupersteps(run, input)) return run.complete(run.result);
  } catch (error) {
    throw run.fail(error);
  }
  return drive(run);
}

/** Checks the whole input before any node runs; a stream is read to its end for that. */
function checkFirst(run: Run, input: unknown, check: ValueCheck, start: Start): unknown {
  const begin = (checked: unknown): unknown => start(run, movesStreams(run) ? oneChunk(checked, undefined) : checked);
  let checked: unknown;
  try {
    checked = whenReady(movesStreams(run) ? (input as StreamReader<unknown>).concat() : input, check);
  } catch (error) {
    throw run.fail(error);
  }
  if (!isPromiseLike(checked)) return begin(checked);
  return checked.then(begin, (error: unknown) => {
    throw run.fail(error);
  });
}
