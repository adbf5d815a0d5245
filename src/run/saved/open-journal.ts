import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import type { RunSnapshot } from "../../checkpoint/document/snapshot.js";
import { noStore } from "../../checkpoint/errors.js";
import { checkCheckpointId } from "../../checkpoint/journal/checkpoint-id.js";
import { CheckpointJournal } from "../../checkpoint/journal/checkpoint-journal.js";
import type { OnStop } from "../../checkpoint/journal/grace.js";
import { answerMark } from "../../checkpoint/pause/answer-mark.js";
import { applyAnswers, modifyStates } from "../../checkpoint/pause/answers.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import type { ValueCodec } from "../../checkpoint/values/value-codec.js";
import type { Clock } from "../../components/clock.js";
import type { RunOptions } from "../../compose/options.js";
import type { Plan } from "../../compose/plan/plan.js";
import type { SavedRuns } from "../environment.js";
import { invalidRunOption } from "../errors.js";
import { checkCheckpointOptions, howSaved } from "../options/checkpoint-options.js";
import type { Program } from "../program.js";
import type { RootRun } from "../root-run.js";
import { Scope, timeoutError } from "../scope.js";
import { Subscription } from "../signal-hub.js";
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
  const { isPassing = false, isUnlisted, threadId, userId, driven, hasCheckedAnswers } = howSaved(options);
  const { clock } = plan.runtime;
  const journal = new CheckpointJournal({
    store: plan.store,
    ids: read === undefined ? undefined : { read, write: writeToCheckpointId ?? read },
    isStepwise: (plan.durability ?? (driven === undefined ? "exit" : "step")) === "step" && !isPassing,
    keepCheckpoint: plan.keepCheckpoint || plan.history !== undefined,
    history: plan.history && { ...plan.history, now: () => clock.now() },
    codec: codecOf(plan.runtime.codecs),
    onCallerStop: callerStop(options, clock),
    clock,
    run: { graph: plan.name, isPassing, isUnlisted, threadId, userId, now: () => Math.floor(clock.now()) },
    driven,
  });
  run.environment.keepJournal(journal, savedRuns);
  // losing the checkpoint aborts the run too, not only its caller
  run.callerSignal = undefined;
  journal.attach(run);
  return (start) => {
    if (resumption === undefined) return journal.claimNew(options, start);
    const isDriven = driven !== undefined;
    const prepare = { ...resumption, modifyState, isDriven, hasCheckedAnswers };
    return journal.claimStopped(options, (document) => prepareSaved(document, run.program, prepare));
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

interface Preparation extends Resumption {
  readonly modifyState: RunOptions["modifyState"];
  /** A segment releases no stops that nobody has answered. */
  readonly isDriven: boolean;
  readonly hasCheckedAnswers: boolean | undefined;
}

/**
 * Checks that a saved run can continue in this graph, and writes the answers into it. Returns the ids of the answered
 * interrupts; a promise only if schemas have to be checked.
 */
function prepareSaved(
  { root, answered, requested, answers: recorded }: CheckpointDocument,
  program: Program,
  { answers, modifyState, isDriven, hasCheckedAnswers }: Preparation,
): readonly string[] | Promise<readonly string[]> {
  if (root === undefined) return [];
  checkKinds(root, program, []);
  const { schemaValidator: validator, clock } = program.plan.runtime;
  const areChecked = hasCheckedAnswers === true;
  const context = { answered, requested, validator, areChecked, recorded, now: clock.now(), keepsStops: isDriven };
  const answer = (): readonly string[] | Promise<readonly string[]> => applyAnswers(root, answers, context);
  const withState = (ids: readonly string[]): readonly string[] => {
    if (modifyState !== undefined) modifyStates(root, modifyState, "modifyState");
    if (!isDriven || ids.length === 0) return ids;
    const used = { ...answers, ...valuesIn(recorded) };
    return [...answered, ...ids, ...marksOf(ids, used, codecOf(program.plan.runtime.codecs))].slice(-mostAnswered);
  };
  const ids = checksValues(program) ? checkValues(root, program, []).then(answer) : answer();
  return ids instanceof Promise ? ids.then(withState) : withState(ids);
}

/** How many answered questions, and marks of their answers, a document remembers of a run that segments drive. */
const mostAnswered = 64;

const valuesIn = (recorded: CheckpointDocument["answers"] = {}): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(recorded).map(([id, { value }]) => [id, value]));

/** One that cannot be saved has none. */
function marksOf(ids: readonly string[], used: Readonly<Record<string, unknown>>, codec: ValueCodec): string[] {
  return ids.flatMap((id) => {
    if (!Object.hasOwn(used, id)) return [];
    try {
      return [answerMark(id, codec.encode(used[id] ?? null, "the answer"))];
    } catch {
      return [];
    }
  });
}

/** Listens to the caller's signal and time limit even after the run has stopped doing so. The time counts from now. */
function callerStop({ signal, timeoutMs }: RunOptions, clock: Clock): OnStop | undefined {
  if (signal === undefined && timeoutMs === undefined) return undefined;
  const end = timeoutMs === undefined ? undefined : clock.now() + timeoutMs;
  return (listener) => {
    const left = end === undefined ? undefined : Math.max(0, end - clock.now());
    const timer = left === undefined ? undefined : clock.setTimer(() => listener(timeoutError(timeoutMs)), left);
    const subscription = signal === undefined ? undefined : listen(signal, listener);
    return () => {
      if (timer !== undefined) clock.clearTimer(timer);
      subscription?.unsubscribe();
    };
  };
}

function listen(signal: AbortSignal, listener: (reason: unknown) => void): Subscription | undefined {
  if (!signal.aborted) return new Subscription(signal, new ListeningScope(listener));
  listener(signal.reason);
  return undefined;
}

class ListeningScope extends Scope {
  readonly #listener: (reason: unknown) => void;

  constructor(listener: (reason: unknown) => void) {
    super(undefined);
    this.#listener = listener;
  }

  protected override beforeSignal(reason: unknown): void {
    this.#listener(reason);
  }
}
