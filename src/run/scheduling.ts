import type { RunSnapshot } from "../checkpoint/document/snapshot.js";
import { START_INDEX } from "../compose/plan/plan.js";
import { NodeStops } from "./node-stops.js";
import { choose } from "./routing.js";
import type { Run } from "./run.js";
import type { RunLedger } from "./run-parts.js";
import { Scheduler } from "./scheduler.js";
import { type Scheduling, schedulingPart } from "./scheduling-part.js";
import { checkedStream, endingWith } from "./streams/output-streams.js";
import { outputOf } from "./streams/run-output.js";
import { streamBody, unjoinedBody } from "./streams/stream-body.js";
import { handleAsStream, nameStream, wrapStream } from "./streams/wrap-stream.js";
import { Task } from "./task.js";

export const scheduling: Scheduling = {
  choose,
  schedule,
  finish: (run: Run, task: Task) => new Scheduler(run, undefined).run([task]),
  outputOf,
  checkedStream,
  endingWith,
  streamBody: (mode, natives, joining, settings) => wrapStream(streamBody(mode, natives, joining), settings),
  unjoinedBody,
  handleAsStream,
  nameStream,
};

// a side effect of the import: see decision 10
schedulingPart.register(scheduling);

function schedule(run: Run, ledger: RunLedger | undefined, input: unknown, from: RunSnapshot | undefined): unknown {
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
