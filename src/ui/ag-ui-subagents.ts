import type { AgentEvent } from "../agents/agent-event.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { AgUiEvent } from "./ag-ui-event.js";

/** Converts the start and end of inner agents to subagent events of AG-UI. */
export class AgUiSubagents {
  /** The running inner agents: the path of the agent by its run. */
  readonly #open = new Map<string, string>();
  readonly #ended = new Set<string>();

  /** Returns the start event at the first event of an inner agent. */
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

  endAll(isWaiting: boolean): AgUiEvent[] {
    const runs = [...this.#open.keys()].reverse();
    this.#open.clear();
    return runs.map((run) => finished(run, isWaiting));
  }
}

function finished(subagentRunId: string, isWaiting: boolean): AgUiEvent {
  return { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: isWaiting ? "suspended" : "success" } };
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}
