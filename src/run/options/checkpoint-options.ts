import { noStore, reservedId } from "../../checkpoint/errors.js";
import { checkCheckpointId, reservedMark } from "../../checkpoint/journal/checkpoint-id.js";
import type { DrivenRun } from "../../checkpoint/journal/driven.js";
import type { RunOptions } from "../../compose/options.js";
import type { Plan } from "../../compose/plan/plan.js";
import { RunControl } from "../../compose/run-control.js";
import { invalidRunOption } from "../errors.js";

/** How the library saves a run that it starts itself. */
export interface SavedAs {
  /** It belongs to this thread, and to this user. */
  readonly threadId?: string | undefined;
  readonly userId?: string | undefined;
  /** No query finds it. */
  readonly isUnlisted?: boolean;
  /** A segment drives it. */
  readonly driven?: DrivenRun | undefined;
  /** Its id may begin with `~`. */
  readonly hasReservedId?: boolean;
  /** Nobody else can know its id before it waits for an answer: it is saved only while it waits, and nothing of it stays. */
  readonly isPassing?: boolean;
  /** The schemas themselves have checked the answers, so that their JSON form need not. */
  readonly hasCheckedAnswers?: boolean;
}

const savedAsKey: unique symbol = Symbol("saved as");

export function savedAs<Options extends object>(options: Options, how: SavedAs): Options {
  return { ...options, [savedAsKey]: { ...howSaved(options), ...how } };
}

export function howSaved(options: object): SavedAs {
  return (Reflect.get(options, savedAsKey) as SavedAs | undefined) ?? {};
}

/** Checks the options about checkpoints, of new runs and of resumed ones. */
export function checkCheckpointOptions(options: RunOptions, plan: Plan): void {
  const { modifyState, parent } = options;
  for (const name of ["forceNewRun", "takeover"] as const) {
    const given = options[name];
    if (given !== undefined && typeof given !== "boolean") throw invalidRunOption(`${name} must be true or false.`);
  }
  if (modifyState !== undefined && typeof modifyState !== "function") {
    throw invalidRunOption("modifyState must be a function of a state and the path of its graph.");
  }
  for (const name of ["checkpointId", "writeToCheckpointId"] as const) {
    const id = options[name];
    if (id === undefined) continue;
    checkCheckpointId(id);
    if (id.startsWith(reservedMark) && howSaved(options).hasReservedId !== true) throw reservedId(id);
    if (parent !== undefined)
      throw invalidRunOption(`${name} is for a run of its own: a child is saved with its parent.`);
    if (plan.store === undefined) throw noStore(name);
  }
}

export function checkControl({ control, parent }: RunOptions): void {
  if (control === undefined) return;
  if (!(control instanceof RunControl)) throw invalidRunOption("control must be a RunControl: new RunControl().");
  if (parent !== undefined) throw invalidRunOption("control is for a run of its own: a child stops with its parent.");
}

/** Whether the options mention checkpoints, even if they are invalid: then the part that checks them has to be loaded. */
export function needsJournal(options: RunOptions): boolean {
  const { checkpointId, writeToCheckpointId, forceNewRun, takeover, modifyState } = options;
  if (checkpointId !== undefined || writeToCheckpointId !== undefined || modifyState !== undefined) return true;
  return (forceNewRun ?? false) !== false || (takeover ?? false) !== false;
}
