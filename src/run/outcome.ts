import { stoppedToWait } from "../checkpoint/errors.js";
import { type InterruptError, pendingAt } from "../checkpoint/pause/interrupt.js";
import { interruptsOf } from "../checkpoint/pause/interrupts-of.js";
import { END_INDEX } from "../compose/plan/plan.js";
import { isPromiseLike } from "../is.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { Run } from "./run.js";
import { continuationOf, halt, resultIsThere, settleStopped } from "./run-parts.js";
import { checkedStream, endingWith } from "./streams/output-streams.js";

/** Checks the result and ends the run; returns the result, or a promise of it. */
export function complete(run: Run, result: unknown): unknown {
  const { checkOutput } = run.program.plan;
  if (checkOutput === undefined) return run.completed(result);
  if (result instanceof StreamReader && run.mode === "transform")
    return run.completed(checkedStream(result, checkOutput, run.keepChecked.bind(run)));
  let checked: unknown;
  try {
    checked = checkOutput(result);
  } catch (error) {
    throw run.blame(error, END_INDEX);
  }
  if (!isPromiseLike(checked)) return run.completed(checked);
  return checked.then(
    (fit) => run.completed(fit),
    (error: unknown) => {
      throw run.blame(error, END_INDEX);
    },
  );
}

/** Stops work that does not feed the result: now, or once a streamed result has been read. */
export function leaveRest(run: Run, result: unknown): unknown {
  if (!(result instanceof StreamReader)) run.stopRest(resultIsThere);
  else if (!run.nested) run.hasRest = true;
  else return endingWith(result, () => run.stopped ?? run.stopRest(resultIsThere), whereFrom(run));
  return result;
}

/** Stopping the rest of a nested run forgets its streams, so errors of its result are located before that. */
const whereFrom = (run: Run) => (error: unknown) => run.openStreams.findOrigin(error);

/**
 * Ends the run with a located error or {@link halt}, and returns what it rejects with; a promise of that if the run pauses and
 * something has to settle first.
 */
export function end(run: Run, error: unknown): unknown {
  if (run.aborted || (error !== halt && !run.isStop(error))) return run.fail(error);
  const settling = settleAll(run);
  if (settling === undefined) return interrupted(run);
  return settling.then(
    () => interrupted(run),
    (other) => run.fail(other),
  );
}

function settleAll(run: Run): Promise<void> | undefined {
  if (run.ledger !== undefined) return run.ledger.settle();
  return run.stopped === undefined ? undefined : settleStopped(run, run.stopped);
}

function interrupted(run: Run): unknown {
  return run.aborted ? run.fail(run.reason) : run.interrupt(interruptionOf(run));
}

/** The error that a run rejects with when it pauses: all open interrupts in it. */
export function interruptionOf(run: Run): InterruptError {
  const { address, environment, parentContext } = run;
  const own = interruptsOf(run.snapshot(), environment.runKey);
  const requested = parentContext === undefined ? environment.stopRequest?.requested : undefined;
  if (requested !== undefined) own.unshift({ ...requested, address });
  return stoppedToWait(pendingAt(address, own, environment), continuationOf(run, environment.journal));
}
