import type { RunSnapshot } from "../checkpoint/snapshot.js";
import { checkKinds } from "./check-snapshot.js";
import { openJournal } from "./journaled.js";
import { parseAnswer } from "./parse-answer.js";
import type { Run } from "./run.js";
import type { RunTracking } from "./run-tracking.js";
import { DagTracker } from "./tracked/dag-tracker.js";
import { StepTracker } from "./tracked/step-tracker.js";
import type { Tracker } from "./tracked/tracker.js";

/** All that only runs need which are saved, can be asked to stop, or stop at nodes: loaded when the first of them begins. */
export const tracking: RunTracking = {
  openJournal(run, options, resumption) {
    return openJournal(run, options, resumption, tracking);
  },
  start(run: Run, input: unknown) {
    return trackerOf(run).start(input);
  },
  resume(run: Run, snapshot: RunSnapshot, input: unknown) {
    // a root was checked before it was claimed, and a graph that is a node with the graph around it
    if (run.place !== undefined && !run.nested) checkKinds(snapshot, run.program, run.nodePath);
    return trackerOf(run).start(input, snapshot);
  },
  parseAnswer,
};

function trackerOf(run: Run): Tracker {
  return run.program.plan.triggerMode === "allPredecessor" ? new DagTracker(run) : new StepTracker(run);
}
