import type { AgentEvent, EventError } from "../agents/agent-event.js";
import type { AgentFinishReason } from "../agents/agent-result.js";
import { toolInputOf } from "../agents/interrupt-kinds.js";
import { turnOfRunId } from "../agents/threads/turn-row.js";
import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import type { ToolOutput } from "../components/tool.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock, ToolResultContent } from "../schema/message/content-block.js";
import { toolResultsOf } from "../schema/message/read-message.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { askedCallIdOf, askedCallOf, callIdOf, isInner, resultValue } from "./call-id.js";
import { blockChunks } from "./ui-blocks.js";
import type { UiChunk } from "./ui-chunk.js";

/** Converts the events of an agent to chunks of the UI message stream of the AI SDK. */
export class UiChunks {
  readonly #sendReasoning: boolean;
  /** The open text and reasoning parts, by id. */
  readonly #open = new Map<string, "text" | "reasoning">();
  readonly #outputs = new Map<string, GrowingToolOutput>();
  /** The calls for which this stream has sent a part. */
  readonly #calls = new Set<string>();
  /** The number of restarts; it makes the ids of repeated parts unique. */
  #restarts = 0;
  #isInStep = false;
  /** Whether something was asked. */
  #hasAsked = false;

  constructor(sendReasoning: boolean) {
    this.#sendReasoning = sendReasoning;
  }

  convert(event: AgentEvent): UiChunk[] {
    switch (event.type) {
      case "tool_call_start":
      case "tool_call_delta":
      case "tool_call":
      case "tool_output_delta":
      case "tool_progress":
      case "tool_result":
        return this.#convertTool(event);
      case "interrupt":
        return this.#convertInterrupt(event, event.interrupt);
      case "handoff":
        return [{ type: "data-handoff", data: { from: event.from, to: event.to } }];
      default:
        return isInner(event)
          ? [{ type: "data-agent-event", data: event, transient: true }]
          : this.#convertAnswer(event);
    }
  }

  #convertAnswer(event: Exclude<AgentEvent, { type: ToolEventType | "interrupt" | "handoff" }>): UiChunk[] {
    switch (event.type) {
      case "start":
        return [startChunk(event.checkpointId), ...answeredChunks(event, event.answered)];
      case "step_start":
        this.#isInStep = true;
        return [{ type: "start-step" }];
      case "text_delta":
        return this.#delta("text", event.step, event.index, event.delta);
      case "reasoning_delta":
        return this.#sendReasoning ? this.#delta("reasoning", event.step, event.index, event.delta) : [];
      case "block":
        return this.#convertBlock(event.block);
      case "restart":
        return this.#restart();
      case "pushed":
        return [{ type: "data-pushed", data: { ids: event.messages.flatMap(({ id }) => id ?? []) } }];
      case "blocked":
        return [{ type: "data-blocked", data: { guard: event.guard, on: event.on } }];
      case "message":
        return this.#close();
      case "step_finish":
        return [...this.#close(), ...this.#leaveStep()];
      case "error":
        return [...this.#close(), errorChunk(event.error)];
      case "finish":
        return [...this.#close(), ...this.#leaveStep(), this.#finish(event.finishReason, event.usage)];
      default:
        return event satisfies never;
    }
  }

  /**
   * What waits although it has asked nothing was stopped by `RunControl`, and can go on. Clients merge metadata: a `status`, which a
   * reloaded page has, would stay when the answer has come to its end.
   */
  #finish(reason: AgentFinishReason, usage: object): UiChunk {
    if (reason !== "waiting" || this.#hasAsked) return finishChunk(reason, usage);
    return { type: "finish", finishReason: "other", messageMetadata: { finishReason: "cut_off", usage } };
  }

  #delta(kind: "text" | "reasoning", step: number, index: number, delta: string): UiChunk[] {
    const partId = `${kind}-${step}-${index}`;
    const id = this.#restarts === 0 ? partId : `${partId}-${this.#restarts}`;
    const chunk = { type: `${kind}-delta`, id, delta };
    if (this.#open.has(id)) return [chunk];
    this.#open.set(id, kind);
    return [{ type: `${kind}-start`, id }, chunk];
  }

  #close(): UiChunk[] {
    const ends = [...this.#open].map(([id, kind]) => ({ type: `${kind}-end`, id }));
    this.#open.clear();
    return ends;
  }

  #leaveStep(): UiChunk[] {
    if (!this.#isInStep) return [];
    this.#isInStep = false;
    return [{ type: "finish-step" }];
  }

  /** Tells the client to drop the parts of this step. */
  #restart(): UiChunk[] {
    this.#open.clear();
    this.#restarts += 1;
    return [{ type: "reset-step" }];
  }

  #convertBlock(block: ContentBlock): UiChunk[] {
    return blockChunks(block);
  }

  #convertTool(event: Extract<AgentEvent, { type: ToolEventType }>): UiChunk[] {
    const toolCallId = callIdOf(event, event.callId);
    switch (event.type) {
      case "tool_call_start":
        this.#calls.add(toolCallId);
        return [withMetadata({ type: "tool-input-start", toolCallId, toolName: event.name }, event)];
      case "tool_call_delta":
        if (!this.#calls.has(toolCallId)) return [];
        return [{ type: "tool-input-delta", toolCallId, inputTextDelta: event.delta }];
      case "tool_call":
        return [this.#input(event, toolCallId, event.name, toolInputOf(event.arguments))];
      case "tool_output_delta":
        return this.#growOutput(toolCallId, event.delta);
      case "tool_progress":
        return [{ type: "data-tool-progress", data: { toolCallId, value: event.value }, transient: true }];
      case "tool_result":
        this.#outputs.delete(toolCallId);
        return resultChunks(toolCallId, event.message);
      default:
        return event satisfies never;
    }
  }

  #input(event: AgentEvent, toolCallId: string, toolName: string, input: unknown): UiChunk {
    this.#calls.add(toolCallId);
    return withMetadata({ type: "tool-input-available", toolCallId, toolName, input }, event);
  }

  /** Sends the whole output so far, as the AI SDK requires. */
  #growOutput(toolCallId: string, delta: ToolOutput): UiChunk[] {
    if (!this.#calls.has(toolCallId)) return [];
    const growing = this.#outputs.get(toolCallId) ?? new GrowingToolOutput();
    this.#outputs.set(toolCallId, growing);
    const output = growing.add(delta);
    return output === undefined ? [] : [{ type: "tool-output-available", toolCallId, output, preliminary: true }];
  }

  /** Sends an approval as an approval request of the AI SDK, and any other interrupt as a data part for the application. */
  #convertInterrupt(event: AgentEvent, interrupt: Interrupt): UiChunk[] {
    this.#hasAsked = true;
    const asked = askedCallOf(interrupt);
    const { id } = interrupt;
    if (asked === undefined) return [{ type: "data-interrupt", id, data: interruptData(interrupt, undefined) }];
    const { kind, toolName, input } = asked;
    const toolCallId = askedCallIdOf(event, interrupt, asked, (sent) => this.#calls.has(sent));
    // a page may have the call with a result from a run that failed
    const isNew = !this.#calls.has(toolCallId) && input !== undefined;
    return [
      ...(isNew ? [this.#input(event, toolCallId, toolName, input)] : []),
      approvals.has(kind)
        ? { type: "tool-approval-request", approvalId: id, toolCallId }
        : { type: "data-interrupt", id, data: interruptData(interrupt, toolCallId) },
    ];
  }
}

function interruptData({ id, info, schema }: Interrupt, toolCallId: string | undefined, answered?: true): object {
  return withoutUndefined({ id, info, schema, toolCallId, answered });
}

type ToolEventType =
  | "tool_call_start"
  | "tool_call_delta"
  | "tool_call"
  | "tool_output_delta"
  | "tool_progress"
  | "tool_result";

/** A turn of a thread has one message in the chat, whatever it was resumed for. */
function startChunk(checkpointId: string | undefined): UiChunk {
  const turn = checkpointId === undefined ? undefined : turnOfRunId(checkpointId);
  return turn === undefined ? { type: "start" } : { type: "start", messageId: `turn-${turn.number}` };
}

/** The client has the part of a question already, and gets it again as answered. Of an approval, it knows by its own answer. */
function answeredChunks(event: AgentEvent, answered: readonly Interrupt[] = []): UiChunk[] {
  return answered.flatMap((interrupt) => {
    const asked = askedCallOf(interrupt);
    if (asked !== undefined && approvals.has(asked.kind)) return [];
    const toolCallId = asked && askedCallIdOf(event, interrupt, asked, () => true);
    return [{ type: "data-interrupt", id: interrupt.id, data: interruptData(interrupt, toolCallId, true) }];
  });
}

const approvals = new Set(["tool_approval", "mcp_approval"]);

/** Adds the path of the agent to calls of inner agents. */
function withMetadata(chunk: UiChunk, event: AgentEvent): UiChunk {
  return isInner(event) ? { ...chunk, toolMetadata: { agentPath: event.agentPath } } : chunk;
}

function resultChunks(toolCallId: string, message: AgenticMessage): UiChunk[] {
  return toolResultsOf(message).map((result) => {
    if (result.errorKind === "denied") return { type: "tool-output-denied", toolCallId };
    if (result.isError === true) return { type: "tool-output-error", toolCallId, errorText: result.result };
    return { type: "tool-output-available", toolCallId, output: resultValue(result) };
  });
}

/** How a run ended that failed, or was aborted. */
export function errorChunk({ code, message }: EventError): UiChunk {
  return code === "ABORTED" ? { type: "abort" } : { type: "error", errorText: message };
}

const finishReasons: Readonly<Record<AgentFinishReason, string>> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  returned: "stop",
  stop_when: "stop",
  max_steps: "other",
  other: "other",
  waiting: "tool-calls",
};

function finishChunk(reason: AgentFinishReason, usage: object): UiChunk {
  // a recording may hold a reason that this version does not know
  const finishReason = finishReasons[reason] ?? "other";
  return { type: "finish", finishReason, messageMetadata: { finishReason: reason, usage } };
}

/** Up to this length, the output is sent again with each piece. */
const shortLength = 1_000;

/**
 * The output of a tool while it is streamed. Clients get the whole output each time, so a long one is sent again only once it has
 * grown by an eighth; otherwise the amount of data would be quadratic.
 */
class GrowingToolOutput {
  #text = "";
  #content: ToolResultContent[] = [];
  #length = 0;
  #sentLength = 0;

  /** Adds a piece. Returns the output to send, or `undefined` if it has grown too little. */
  add(delta: ToolOutput): string | readonly ToolResultContent[] | undefined {
    if (typeof delta === "string") this.#text += delta;
    else this.#content = [...this.#content, ...delta];
    this.#length += typeof delta === "string" ? delta.length : JSON.stringify(delta).length;
    if (this.#length > shortLength && this.#length < this.#sentLength * 1.125) return undefined;
    this.#sentLength = this.#length;
    return this.#content.length === 0 ? this.#text : this.#whole();
  }

  #whole(): readonly ToolResultContent[] {
    return this.#text === "" ? this.#content : [{ type: "text", text: this.#text }, ...this.#content];
  }
}
