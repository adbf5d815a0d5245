import type { AgentEvent, EventPlace } from "../agents/agent-event.js";
import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import { isFields } from "../is.js";
import type { TokenUsage } from "../schema/message/agentic-message.js";
import { toolResultsOf } from "../schema/message/read-message.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { AgUiEvent } from "./ag-ui-event.js";
import { AgUiSubagents } from "./ag-ui-subagents.js";
import { AgUiTexts } from "./ag-ui-texts.js";
import { askedCallIdOf, askedCallOf, callIdOf, isInner, outerCallOf } from "./call-id.js";

/** Converts the events of an agent to events of AG-UI. Events that AG-UI does not have become custom events. */
export class AgUiEvents {
  readonly #run: { readonly threadId: string; readonly runId: string };
  readonly #texts: AgUiTexts;
  readonly #subagents = new AgUiSubagents();
  /** The open calls, with the length of the arguments that were sent. */
  readonly #calls = new Map<string, number>();
  readonly #ended = new Set<string>();
  readonly #interrupts: object[] = [];
  #step: string | undefined;

  constructor(run: { readonly threadId: string; readonly runId: string }) {
    this.#run = run;
    this.#texts = new AgUiTexts(run.runId);
  }

  convert(event: AgentEvent): AgUiEvent[] {
    if (!isInner(event)) return this.#convert(event);
    const begun = this.#subagents.begin(event, (id) => this.#isSent(id));
    const inside = this.#convert(event).map((converted) => ({ ...converted, subagentRunId: event.runId }));
    return [...begun, ...inside, ...this.#subagents.end(event)];
  }

  #convert(event: AgentEvent): AgUiEvent[] {
    switch (event.type) {
      case "start":
        return isInner(event) ? [] : [{ type: "RUN_STARTED", ...this.#run }];
      case "step_start":
        return isInner(event) ? [] : this.#beginStep(event.step);
      case "step_finish":
        return isInner(event) ? this.#texts.close(event) : [...this.#texts.close(event), ...this.#endStep()];
      case "text_delta":
      case "reasoning_delta":
        return this.#texts.add(event);
      case "message":
        return this.#texts.close(event);
      case "restart":
        return this.#restart(event);
      case "tool_call_start":
      case "tool_call_delta":
      case "tool_call":
      case "tool_result":
        return this.#convertCall(event);
      case "interrupt":
        this.#interrupts.push(this.#interruptOf(event, event.interrupt));
        return [];
      case "finish":
        return isInner(event) ? this.#texts.close(event) : this.#finish(event);
      case "error":
        return isInner(event) ? this.#texts.close(event) : [runError(event.error)];
      default:
        return [customOf(event)];
    }
  }

  #beginStep(step: number): AgUiEvent[] {
    const stepName = `step ${step}`;
    const ended = this.#endStep();
    this.#step = stepName;
    return [...ended, { type: "STEP_STARTED", stepName }];
  }

  #endStep(): AgUiEvent[] {
    const stepName = this.#step;
    this.#step = undefined;
    return stepName === undefined ? [] : [{ type: "STEP_FINISHED", stepName }];
  }

  /** AG-UI cannot retract events: a custom event names the messages and calls that are void. */
  #restart(event: Extract<AgentEvent, { type: "restart" }>): AgUiEvent[] {
    const { ended, messageIds } = this.#texts.restart(event);
    const prefix = callIdOf(event, "");
    const open = [...this.#calls.keys()].filter((id) => id.startsWith(prefix));
    for (const id of open) this.#calls.delete(id);
    const value = { reason: event.reason, messageIds, toolCallIds: open };
    return [...ended, ...open.map(callEnd), { type: "CUSTOM", name: "restart", value }];
  }

  #convertCall(
    event: Extract<AgentEvent, { type: "tool_call_start" | "tool_call_delta" | "tool_call" | "tool_result" }>,
  ): AgUiEvent[] {
    const toolCallId = callIdOf(event, event.callId);
    switch (event.type) {
      case "tool_call_start":
        return this.#beginCall(toolCallId, event.name);
      case "tool_call_delta":
        return this.#sendArguments(toolCallId, event.delta);
      case "tool_call":
        return this.#endCall(toolCallId, event.name, event.arguments);
      default:
        return toolResultsOf(event.message).map(({ result }) => ({
          type: "TOOL_CALL_RESULT",
          messageId: `${toolCallId}-result`,
          toolCallId,
          content: result,
          role: "tool",
        }));
    }
  }

  #isSent(toolCallId: string): boolean {
    return this.#calls.has(toolCallId) || this.#ended.has(toolCallId);
  }

  #beginCall(toolCallId: string, toolCallName: string): AgUiEvent[] {
    if (this.#calls.has(toolCallId)) return [];
    this.#calls.set(toolCallId, 0);
    return [{ type: "TOOL_CALL_START", toolCallId, toolCallName }];
  }

  #sendArguments(toolCallId: string, delta: string): AgUiEvent[] {
    const sent = this.#calls.get(toolCallId);
    if (sent === undefined || delta === "") return [];
    this.#calls.set(toolCallId, sent + delta.length);
    return [{ type: "TOOL_CALL_ARGS", toolCallId, delta }];
  }

  /** Ends a call. If its arguments were not streamed, sends them as a whole first. */
  #endCall(toolCallId: string, name: string, args: string): AgUiEvent[] {
    if (this.#ended.has(toolCallId)) return [];
    const begun = this.#beginCall(toolCallId, name);
    const all = this.#calls.get(toolCallId) === 0 ? this.#sendArguments(toolCallId, args) : [];
    this.#calls.delete(toolCallId);
    this.#ended.add(toolCallId);
    return [...begun, ...all, callEnd(toolCallId)];
  }

  #interruptOf(event: EventPlace, interrupt: Interrupt): object {
    const { id, info, schema } = interrupt;
    const asked = askedCallOf(interrupt);
    const isApproval = asked !== undefined && /^(tool|mcp)_approval$/.test(asked.kind);
    const toolCallId = asked && askedCallIdOf(event, interrupt, asked, (sent) => this.#isSent(sent));
    return withoutUndefined({
      id,
      reason: isApproval ? "tool_call" : "input_required",
      message: typeof info === "string" ? info : undefined,
      toolCallId,
      responseSchema: schema,
      subagentRunId: isInner(event) ? event.runId : this.#subagents.runInside(outerCallOf(interrupt)),
      metadata: isFields(info) ? info : { info },
    });
  }

  #finish({ usage, finishReason }: Extract<AgentEvent, { type: "finish" }>): AgUiEvent[] {
    const isWaiting = finishReason === "waiting" && this.#interrupts.length > 0;
    const outcome = isWaiting ? { type: "interrupt", interrupts: this.#interrupts } : { type: "success" };
    const open = [...this.#calls.keys()];
    this.#calls.clear();
    return [
      ...this.#texts.closeAll(),
      ...open.map(callEnd),
      ...this.#subagents.endAll(isWaiting),
      ...this.#endStep(),
      { type: "RUN_FINISHED", ...this.#run, result: { finishReason }, outcome, usage: [usageOf(usage)] },
    ];
  }
}

function callEnd(toolCallId: string): AgUiEvent {
  return { type: "TOOL_CALL_END", toolCallId };
}

export function runError({
  message,
  code,
}: {
  readonly message: string;
  readonly code?: string | undefined;
}): AgUiEvent {
  return withoutUndefined({ type: "RUN_ERROR", message, code });
}

function usageOf(usage: TokenUsage): object {
  return withoutUndefined({
    inputTokens: usage.promptTokens,
    outputTokens: usage.completionTokens,
    totalTokens: usage.totalTokens,
    reasoningTokens: usage.reasoningTokens,
    cachedInputTokens: usage.cachedTokens,
    cacheWriteInputTokens: usage.cacheWriteTokens,
  });
}

/** Events that AG-UI does not have: whole blocks, pieces of results, progress and handoffs. */
function customOf(event: AgentEvent): AgUiEvent {
  const { type, seq: _seq, runId: _run, agentPath: _path, parentCallId: _call, step: _step, ...value } = event;
  return { type: "CUSTOM", name: type, value };
}
