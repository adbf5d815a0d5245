import type { RunSnapshot } from "../checkpoint/document/snapshot.js";
import { START_INDEX } from "../compose/plan/plan.js";
import { NodeStops } from "./node-stops.js";
import type { Run } from "./run.js";
import type { RunLedger } from "./run-parts.js";
import { Scheduler } from "./scheduler.js";
import { Task } from "./task.js";

/** Runs the nodes with a scheduler; with a ledger, from where that begins. */
export function schedule(
  run: Run,
  ledger: RunLedger | undefined,
  input: unknown,
  from: RunSnapshot | undefined,
): unknown {
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
