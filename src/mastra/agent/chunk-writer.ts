import type { AgentEvent } from "../../agents/agent-event.js";
import { outputToolName } from "../../agents/agent-parts.js";
import { isToolApproval, isToolSuspended, toolInputOf } from "../../agents/interrupt-kinds.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { isFields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ContentBlock } from "../../schema/message/content-block.js";
import { textOf, toolCallsOf } from "../../schema/message/read-message.js";
import { questionOf } from "./agent-result.js";
import { chunkOf, type MastraChunk, mastraReason, type ToolCallPayload } from "./chunk.js";
import { isFailure, resultBlockOf, resultValueOf } from "./read-call.js";
import { mastraUsage } from "./usage.js";

/** What the chunks are of. */
export interface WriterSettings {
  readonly runId: string;
  readonly agentId: string;
  /** Whether the agent has an output schema: a tool by which a model gives its output is then told as text. */
  readonly hasOutput: boolean;
}

/** A text or reasoning that is being written. */
interface OpenText {
  readonly kind: "text" | "reasoning";
  readonly id: string;
}

/** Turns the events of an agent into the chunks of Mastra, in order. */
export class ChunkWriter {
  readonly #settings: WriterSettings;
  readonly #calls = new Map<string, ToolCallPayload>();
  readonly #names = new Map<string, string>();
  /** The calls whose arguments are being streamed. */
  readonly #streaming = new Set<string>();
  /** The calls by which the model gives its output. */
  readonly #outputs = new Set<string>();
  /** The chunks of inner agents, by the ids of their runs. */
  readonly #inner = new Map<string, ChunkWriter>();
  #open: OpenText | undefined;
  #message: AgenticMessage | undefined;

  constructor(settings: WriterSettings) {
    this.#settings = settings;
  }

  /** The chunks of an event; `depth` is that of the agent whose events these are. */
  write(event: AgentEvent, depth = 1): MastraChunk[] {
    if (event.agentPath.length > depth && event.parentCallId !== undefined) return this.#innerChunks(event);
    if (event.type === "text_delta") return this.#delta("text", `text-${event.step}-${event.index}`, event.delta);
    if (event.type === "reasoning_delta")
      return this.#delta("reasoning", `reasoning-${event.step}-${event.index}`, event.delta);
    if (event.type === "tool_call_delta" && this.#outputs.has(event.callId))
      return this.#delta("text", event.callId, event.delta);
    return [...this.#endText(), ...this.#chunks(event)];
  }

  #chunks(event: AgentEvent): MastraChunk[] {
    const { runId, agentId } = this.#settings;
    switch (event.type) {
      case "start":
        return [chunkOf(runId, "start", { id: agentId, ...(event.threadId && { threadId: event.threadId }) })];
      case "step_start":
        return [chunkOf(runId, "step-start", { request: {}, warnings: [] })];
      case "block":
        return [this.#block(event.block)];
      case "tool_call_start":
        return this.#beginCall(event.callId, event.name);
      case "tool_call_delta": {
        const { callId: toolCallId, delta: argsTextDelta } = event;
        return [chunkOf(runId, "tool-call-delta", { argsTextDelta, toolCallId, toolName: this.#nameOf(toolCallId) })];
      }
      case "tool_call":
        return this.#call(event.callId, event.name, event.arguments);
      case "tool_output_delta":
        return [this.#output(event.callId, event.delta)];
      case "tool_progress":
        return [this.#progress(event.callId, event.value)];
      case "tool_result":
        return this.#result(event.callId, event.name, event.message);
      case "message":
        this.#message = event.message;
        return [this.#data(event)];
      case "step_finish":
        return [this.#stepFinish(event)];
      case "interrupt":
        return [this.#question(event.interrupt)];
      case "error":
        return this.#error(event.error);
      case "finish":
        return event.finishReason === "waiting" ? [] : [this.#finish(event)];
      default:
        return [this.#data(event)];
    }
  }

  /** An event for which Mastra has no chunk. */
  #data(event: AgentEvent): MastraChunk {
    const { type, seq, runId, parentCallId, agentPath, step, ...payload } = event;
    return chunkOf(this.#settings.runId, `data-${type}`, payload);
  }

  #delta(kind: OpenText["kind"], id: string, text: string): MastraChunk[] {
    const { runId } = this.#settings;
    const delta = chunkOf(runId, `${kind}-delta`, { id, text });
    if (this.#open?.id === id) return [delta];
    const ended = this.#endText();
    this.#open = { kind, id };
    return [...ended, chunkOf(runId, `${kind}-start`, { id }), delta];
  }

  #endText(): MastraChunk[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [chunkOf(this.#settings.runId, `${open.kind}-end`, { id: open.id })];
  }

  #block(block: ContentBlock): MastraChunk {
    const { runId } = this.#settings;
    const isMedia =
      block.type === "assistant_gen_image" ||
      block.type === "assistant_gen_audio" ||
      block.type === "assistant_gen_video";
    if (!isMedia) return chunkOf(runId, "data-block", { block });
    const { base64Data, url = "", mimeType = "application/octet-stream" } = block;
    return chunkOf(runId, "file", { data: base64Data ?? url, base64: base64Data, mimeType });
  }

  #beginCall(callId: string, name: string): MastraChunk[] {
    this.#names.set(callId, name);
    if (this.#isOutput(name)) {
      this.#outputs.add(callId);
      return [];
    }
    this.#streaming.add(callId);
    return [chunkOf(this.#settings.runId, "tool-call-input-streaming-start", { toolCallId: callId, toolName: name })];
  }

  #call(callId: string, name: string, text: string): MastraChunk[] {
    const { runId } = this.#settings;
    if (this.#isOutput(name)) {
      const isNew = !this.#outputs.has(callId);
      this.#outputs.add(callId);
      return isNew ? [...this.#delta("text", callId, text), ...this.#endText()] : [];
    }
    const payload = { toolCallId: callId, toolName: name, args: toolInputOf(text) };
    this.#names.set(callId, name);
    this.#calls.set(callId, payload);
    const ended = this.#streaming.delete(callId)
      ? [chunkOf(runId, "tool-call-input-streaming-end", { toolCallId: callId })]
      : [];
    return [...ended, chunkOf(runId, "tool-call", payload)];
  }

  #result(callId: string, name: string, message: AgenticMessage): MastraChunk[] {
    const { runId } = this.#settings;
    const block = resultBlockOf(message);
    if (block === undefined || this.#outputs.has(callId)) return [];
    const call = this.#calls.get(callId) ?? { toolCallId: callId, toolName: name, args: {} };
    if (block.errorKind === "denied") {
      const approval = { id: callId, approved: false, reason: block.result } as const;
      return [chunkOf(runId, "tool-output-denied", { ...call, approval })];
    }
    if (isFailure(block)) return [chunkOf(runId, "tool-error", { ...call, error: new Error(block.result) })];
    return [chunkOf(runId, "tool-result", { ...call, result: resultValueOf(block) })];
  }

  #output(toolCallId: string, output: unknown, from?: "USER"): MastraChunk {
    const payload = { output, toolCallId, toolName: this.#nameOf(toolCallId) };
    return chunkOf(this.#settings.runId, "tool-output", payload, from);
  }

  /** A chunk that a tool has written with `writer.custom` is passed on as it is. */
  #progress(toolCallId: string, value: unknown): MastraChunk {
    const { runId } = this.#settings;
    const isChunk = isFields(value) && typeof value.type === "string" && value.type.startsWith("data-");
    if (isChunk) return { runId, from: "USER", payload: value.data, ...value } as MastraChunk;
    return this.#output(toolCallId, value, "USER");
  }

  #stepFinish({ usage, finishReason, model }: Extract<AgentEvent, { type: "step_finish" }>): MastraChunk {
    const message = this.#message;
    const calls = message === undefined ? [] : toolCallsOf(message).filter(({ name }) => !this.#isOutput(name));
    const reason = mastraReason(finishReason);
    const [modelProvider, ...names] = model.split("/");
    return chunkOf(this.#settings.runId, "step-finish", {
      stepResult: { reason, isContinued: reason === "tool-calls" },
      output: {
        text: message === undefined ? "" : textOf(message),
        toolCalls: calls.flatMap(({ callId }) => this.#calls.get(callId) ?? []),
        usage: mastraUsage(usage),
      },
      metadata: { modelId: names.join("/"), modelProvider },
    });
  }

  #finish({ usage, finishReason }: Extract<AgentEvent, { type: "finish" }>): MastraChunk {
    return chunkOf(this.#settings.runId, "finish", {
      stepResult: { reason: mastraReason(finishReason), isContinued: false },
      output: { usage: mastraUsage(usage) },
      metadata: {},
    });
  }

  #error({
    code,
    name,
    message,
  }: {
    readonly code?: string | undefined;
    readonly name: string;
    readonly message: string;
  }) {
    const { runId } = this.#settings;
    if (code === "ABORTED") return [chunkOf(runId, "abort", {})];
    const error = Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });
    return [chunkOf(runId, "error", { error })];
  }

  #question(interrupt: Interrupt): MastraChunk {
    const { runId } = this.#settings;
    if (!isToolApproval(interrupt) && !isToolSuspended(interrupt))
      return chunkOf(runId, "data-interrupt", { interrupt });
    const { payload } = questionOf(interrupt) ?? {};
    const { args = payload.args ?? {} } = this.#calls.get(payload.toolCallId) ?? {};
    const type = isToolApproval(interrupt) ? "tool-call-approval" : "tool-call-suspended";
    return chunkOf(runId, type, { ...payload, args });
  }

  /** Chunks of an agent that runs for a call are the output of the call. */
  #innerChunks(event: AgentEvent): MastraChunk[] {
    const { runId, agentPath, parentCallId = "" } = event;
    const depth = agentPath.length;
    let writer = this.#inner.get(runId);
    if (writer === undefined) {
      writer = new ChunkWriter({ runId, agentId: agentPath.at(-1) ?? "", hasOutput: false });
      this.#inner.set(runId, writer);
    }
    return writer.write(event, depth).map((chunk) => this.#output(parentCallId, chunk));
  }

  #nameOf(callId: string): string {
    return this.#names.get(callId) ?? "";
  }

  #isOutput(name: string): boolean {
    return this.#settings.hasOutput && name.startsWith(outputToolName);
  }
}
