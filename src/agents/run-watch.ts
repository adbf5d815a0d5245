import type { Handler } from "../callbacks/handler.js";
import type { RunInfo } from "../callbacks/run-info.js";
import { jsonCopy } from "../schema/encode-json.js";
import type { AgentEventBody } from "./agent-event.js";

/** The observer: the turn of an agent. */
interface Listening {
  emit(event: AgentEventBody): unknown;
}

/** Hears what tools tell on their way, for those who read events. */
export class RunWatch implements Handler {
  /** By the addresses of their nodes. */
  readonly tools = new Map<string, Listening>();

  onEvent({ address, component, toolCallId }: RunInfo, event: unknown): void {
    const { kind, event: value } = (event ?? {}) as { kind?: unknown; event?: unknown };
    if (kind !== "progress" || component !== "tool" || toolCallId === undefined) return;
    const turn = this.tools.get(address.slice(0, address.lastIndexOf(";tool:")));
    turn?.emit({ type: "tool_progress", callId: toolCallId, value: jsonCopy(value) });
  }
}
