import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { AgentState, EntryPoint, StateStep } from "./agent-state.js";

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

/** Freezes what a node has logged, as copies: the messages themselves may belong to a model, a tool or a caller. */
function freezeLog(state: AgentState, { phase, log, steps }: EntryPoint): void {
  const { frozen } = new FrozenCopies();
  const first = phase === "start" ? 0 : log;
  for (let index = first; index < state.log.length; index++)
    state.log[index] = frozen(state.log[index] as AgenticMessage);
  for (let index = Math.max(0, steps - 1); index < state.steps.length; index++) {
    const step = state.steps[index] as StateStep;
    // the results of open calls are still missing
    state.steps[index] = state.phase === "tools" ? { ...step, message: frozen(step.message) } : frozen(step);
  }
}

/** Deeply frozen copies of lists and plain objects. One object has one copy; what is frozen, and any other value, stays. */
class FrozenCopies {
  readonly #copies = new Map<object, object>();

  readonly frozen = <T>(value: T): T => {
    if (typeof value !== "object" || value === null) return value;
    return (this.#copies.get(value) ?? this.#copyOf(value)) as T;
  };

  #copyOf(value: object): object {
    const isList = Array.isArray(value);
    if (Object.isFrozen(value) || Object.getPrototypeOf(value) !== (isList ? Array : Object).prototype) return value;
    const copy: object = isList ? [] : {};
    this.#copies.set(value, copy);
    this.#copies.set(copy, copy);
    for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      if ("value" in descriptor) descriptor.value = this.frozen(descriptor.value);
      Object.defineProperty(copy, key, descriptor);
    }
    return Object.freeze(copy);
  }
}
