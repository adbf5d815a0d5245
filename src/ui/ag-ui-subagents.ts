import type { AgentEvent, EventPlace } from "../agents/agent-event.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { AgUiEvent } from "./ag-ui-event.js";
import { callIdOf } from "./call-id.js";

/** Converts the start and end of inner agents to subagent events of AG-UI. */
export class AgUiSubagents {
  /** The running inner agents, by their runs. */
  readonly #open = new Map<string, { readonly path: string; readonly parentCallId: string | undefined }>();
  readonly #ended = new Set<string>();

  /** Returns the start event at the first event of an inner agent. `isSent` knows the ids of calls as clients have them. */
  begin({ runId, agentPath, parentCallId }: AgentEvent, isSent: (callId: string) => boolean): AgUiEvent[] {
    if (this.#open.has(runId) || this.#ended.has(runId)) return [];
    const path = keyOf(agentPath.slice(0, -1));
    const parents = [...this.#open].filter(([, open]) => open.path === path).map(([run, open]) => ({ run, ...open }));
    const callIn = (parent: EventPlace["parentCallId"]) => callIdOf({ parentCallId: parent }, parentCallId ?? "");
    const parent = parents.find((open) => isSent(callIn(open.parentCallId))) ?? parents[0];
    this.#open.set(runId, { path: keyOf(agentPath), parentCallId });
    return [
      withoutUndefined({
        type: "SUBAGENT_STARTED",
        subagentRunId: runId,
        name: agentPath.at(-1) ?? "",
        parentSubagentRunId: parent?.run,
        parentToolCallId: parentCallId && callIn(parent?.parentCallId),
      }),
    ];
  }

  /** The run that an agent has inside of a call. */
  runInside(callId: string | undefined): string | undefined {
    if (callId === undefined) return undefined;
    return [...this.#open].findLast(([, { parentCallId }]) => parentCallId === callId)?.[0];
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
