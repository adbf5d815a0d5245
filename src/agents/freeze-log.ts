import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { AgentState, EntryPoint, StateStep } from "./agent-state.js";
import { FrozenCopies } from "./frozen-copies.js";

/** Freezes what a node has logged, as copies: the messages themselves may belong to a model, a tool or a caller. */
export function freezeLog(state: AgentState, { phase, log, steps }: EntryPoint): void {
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
