import type { AgentEvent } from "../../agents/agent-event.js";
import type { AgentStep } from "../../agents/agent-result.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";

/** Collects the steps of a run out of its events. */
export class StepReader {
  #message: AgenticMessage | undefined;
  #results: AgenticMessage[] = [];

  /** The step that ends with this event. */
  add(event: AgentEvent): AgentStep | undefined {
    if (isInner(event)) return undefined;
    if (event.type === "message") this.#message = event.message;
    if (event.type === "tool_result") this.#results.push(event.message);
    if (event.type !== "step_finish" || this.#message === undefined) return undefined;
    const { usage, finishReason, model, agentPath } = event;
    const step = { message: this.#message, results: this.#results, usage, finishReason, model };
    this.#message = undefined;
    this.#results = [];
    return { ...step, agent: agentPath[0] ?? "" };
  }
}

/** Whether an event is of an agent that runs for a call. */
export function isInner({ agentPath, parentCallId }: AgentEvent): boolean {
  return agentPath.length > 1 && parentCallId !== undefined;
}

export function readSteps(events: readonly AgentEvent[]): AgentStep[] {
  const reader = new StepReader();
  return events.flatMap((event) => reader.add(event) ?? []);
}

/** The text of the step that was being written last. */
export function lastTextIn(events: readonly AgentEvent[]): string {
  let text = "";
  for (const event of events) {
    if (isInner(event)) continue;
    if (event.type === "step_start" || event.type === "restart") text = "";
    if (event.type === "text_delta") text += event.delta;
  }
  return text;
}
