import type { AgentState } from "./agent-state.js";
import { freezeLog } from "./freeze-log.js";

/** A node begins; entered again, it begins where it did. */
export function enterNode(state: AgentState): void {
  if (state.entry === undefined) {
    const { phase, log, steps, mismatches, view } = state;
    state.entry = { phase, log: log.length, steps: steps.length, mismatches, view };
  } else {
    const { phase, log, steps, mismatches, view } = state.entry;
    state.log = state.log.slice(0, log);
    state.steps = state.steps.slice(0, steps);
    Object.assign(state, { phase, mismatches, view, end: undefined, output: undefined });
  }
}

/**
 * A node has done its work: its part of the log stays. What a saved run has logged is frozen, so that a save does not compare it
 * again: without that, each step of a long run costs more than the one before.
 */
export function leaveNode(state: AgentState, isSaved: boolean): void {
  if (isSaved && state.entry !== undefined) freezeLog(state, state.entry);
  state.entry = undefined;
  state.kept = undefined;
}
