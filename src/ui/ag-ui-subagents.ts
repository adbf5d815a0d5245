import type { AgentEvent } from "../agents/agent-event.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { AgUiEvent } from "./ag-ui-event.js";

/** The inner agents that are running, in the form of AG-UI. */
export class AgUiSubagents {
  /** By run, with the path of the agent. */
  readonly #open = new Map<string, string>();
  readonly #ended = new Set<string>();

  /** The beginning of an inner agent, at its first event. */
  begin({ runId, agentPath, parentCallId }: AgentEvent): AgUiEvent[] {
    if (this.#open.has(runId) || this.#ended.has(runId)) return [];
    const parent = keyOf(agentPath.slice(0, -1));
    const [parentSubagentRunId] = [...this.#open].find(([, path]) => path === parent) ?? [];
    this.#open.set(runId, keyOf(agentPath));
    const name = agentPath.at(-1) ?? "";
    return [
      withoutUndefined({
        type: "SUBAGENT_STARTED",
        subagentRunId: runId,
        name,
        parentSubagentRunId,
        parentToolCallId: parentCallId,
      }),
    ];
  }

  end(event: AgentEvent): AgUiEvent[] {
    if (event.type !== "finish" && event.type !== "error") return [];
    const { runId: subagentRunId } = event;
    this.#open.delete(subagentRunId);
    this.#ended.add(subagentRunId);
    if (event.type === "finish") return [finished(subagentRunId, event.finishReason === "waiting")];
    const { message, code } = event.error;
    return [withoutUndefined({ type: "SUBAGENT_ERROR", subagentRunId, message, code })];
  }

  endAll(waits: boolean): AgUiEvent[] {
    const runs = [...this.#open.keys()].reverse();
    this.#open.clear();
    return runs.map((run) => finished(run, waits));
  }
}

function finished(subagentRunId: string, waits: boolean): AgUiEvent {
  return { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: waits ? "suspended" : "success" } };
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}
