import { noStore, reservedId } from "../../checkpoint/errors.js";
import { checkCheckpointId, reservedMark } from "../../checkpoint/journal/checkpoint-id.js";
import type { RunOptions } from "../../compose/options.js";
import type { Plan } from "../../compose/plan/plan.js";
import { RunControl } from "../../compose/run-control.js";
import { invalidRunOption } from "../errors.js";

/** Marks the options of runs that the library starts itself: only those may use checkpoint ids that begin with `~`. */
const ofLibrary: unique symbol = Symbol("of the library");

export function asRunOfLibrary<Options extends object>(options: Options): Options {
  return { ...options, [ofLibrary]: true };
}

export function isRunOfLibrary(options: object): boolean {
  return Reflect.get(options, ofLibrary) === true;
}

/** Marks the options of runs whose `checkpointId` nobody else can know before they wait for an answer. */
const ofUnknownId: unique symbol = Symbol("of an unknown id");

/** The options of a run that is written only when it waits: until then, no other process could resume it or take its id. */
export function savedWhenWaiting<Options extends object>(options: Options): Options {
  return { ...options, [ofUnknownId]: true };
}

export function isSavedWhenWaiting(options: object): boolean {
  return Reflect.get(options, ofUnknownId) === true;
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
    if (id.startsWith(reservedMark) && !isRunOfLibrary(options)) throw reservedId(id);
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
