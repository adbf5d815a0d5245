import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import type { RunSnapshot } from "../../checkpoint/document/snapshot.js";
import { noStore } from "../../checkpoint/errors.js";
import { checkCheckpointId } from "../../checkpoint/journal/checkpoint-id.js";
import { CheckpointJournal } from "../../checkpoint/journal/checkpoint-journal.js";
import { applyAnswers, modifyStates } from "../../checkpoint/pause/answers.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import type { RunOptions } from "../../compose/options.js";
import type { Plan } from "../../compose/plan/plan.js";
import type { SavedRuns } from "../environment.js";
import { invalidRunOption } from "../errors.js";
import { checkCheckpointOptions, isSavedWhenWaiting } from "../options/checkpoint-options.js";
import type { Program } from "../program.js";
import type { RootRun } from "../root-run.js";
import { callerStop } from "./caller-stop.js";
import { checkKinds, checksValues, checkValues } from "./check-snapshot.js";

/** The arguments of `resume`. */
export interface Resumption {
  readonly checkpointId: string;
  readonly answers: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Claims the checkpoint of a run; for a resume, returns the snapshot to continue from. `start` is the snapshot of a new run
 * before its first node, saved with the claim; `undefined` if the input is a stream.
 */
export type Claim = (start: RunSnapshot | undefined) => Promise<RunSnapshot | undefined> | undefined;

/** Checks the options and attaches a journal to the run. Returns a function that claims its checkpoint. */
export function openJournal(
  run: RootRun,
  options: RunOptions = {},
  resumption: Resumption | undefined,
  savedRuns: SavedRuns,
): Claim {
  const { checkpointId, writeToCheckpointId, modifyState } = options;
  const { plan } = run.program;
  checkCheckpointOptions(options, plan);
  if (resumption !== undefined) checkResumption(resumption, options, plan);
  else if (modifyState !== undefined) {
    throw invalidRunOption("modifyState is only for a resume: a new run creates its own state.");
  }
  const read = resumption?.checkpointId ?? checkpointId ?? writeToCheckpointId;
  if (read === undefined && (options.forceNewRun === true || options.takeover === true)) {
    throw invalidRunOption("forceNewRun and takeover need a checkpoint: give a checkpointId.");
  }
  const journal = new CheckpointJournal({
    store: plan.store,
    ids: read === undefined ? undefined : { read, write: writeToCheckpointId ?? read },
    isStepwise: plan.durability === "step",
    keepCheckpoint: plan.keepCheckpoint || plan.history !== undefined,
    history: plan.history && { ...plan.history, now: () => plan.runtime.clock.now() },
    codec: codecOf(plan.runtime.codecs),
    onCallerStop: callerStop(options, plan.runtime.clock),
    clock: plan.runtime.clock,
    isUnknown: isSavedWhenWaiting(options),
  });
  run.environment.keepJournal(journal, savedRuns);
  // losing the checkpoint aborts the run too, not only its caller
  run.callerSignal = undefined;
  journal.attach(run);
  return (start) => {
    if (resumption === undefined) return journal.claimNew(options, start);
    return journal.claimStopped(options, (document) => prepareSaved(document, run.program, resumption, modifyState));
  };
}

function checkResumption({ checkpointId }: Resumption, options: RunOptions, plan: Plan): void {
  checkCheckpointId(checkpointId);
  if (plan.store === undefined) throw noStore("resume");
  for (const name of ["parent", "key", "checkpointId"] as const) {
    if (options[name] !== undefined)
      throw invalidRunOption(`${name} cannot be given on resume: the checkpoint determines which run continues.`);
  }
  if (options.forceNewRun !== undefined && options.writeToCheckpointId === undefined) {
    throw invalidRunOption(
      "forceNewRun is for a new run, or for a resume with writeToCheckpointId: a resume continues the saved run.",
    );
  }
}

/**
 * Checks that a saved run can continue in this graph, and writes the answers into it. Returns the ids of the answered
 * interrupts; a promise only if schemas have to be checked.
 */
function prepareSaved(
  { root, answered, requested }: CheckpointDocument,
  program: Program,
  { answers }: Resumption,
  modifyState: RunOptions["modifyState"],
): readonly string[] | Promise<readonly string[]> {
  if (root === undefined) return [];
  checkKinds(root, program, []);
  const answer = (): readonly string[] | Promise<readonly string[]> =>
    applyAnswers(root, answers, { answered, requested, validator: program.plan.runtime.schemaValidator });
  const withState = (ids: readonly string[]): readonly string[] => {
    if (modifyState !== undefined) modifyStates(root, modifyState, "modifyState");
    return ids;
  };
  const ids = checksValues(program) ? checkValues(root, program, []).then(answer) : answer();
  return ids instanceof Promise ? ids.then(withState) : withState(ids);
}
