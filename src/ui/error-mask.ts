import type { AgentEvent, EventError } from "../agents/agent-event.js";
import { messageOf } from "../errors.js";
import { isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock, FunctionToolResult } from "../schema/message/content-block.js";

/** An error whose text is about to leave the server. */
export interface ResponseError {
  /** The code of an error of this library. */
  readonly code?: string | undefined;
  /** The name of the error, such as `"TypeError"`. */
  readonly name: string;
  /** The text of the error, which clients do not get. */
  readonly message: string;
  /** The call that has failed, if it is a failed result: its tool, its id, and the kind of the failure. */
  readonly tool?: { readonly name: string; readonly callId: string; readonly kind: string } | undefined;
}

/** The text that clients get in place of an error. */
export type OnError = (error: ResponseError) => string;

/** The kinds of progress events of this library that have the text of an error. */
const failures: ReadonlySet<unknown> = new Set(["summary_failed", "rerank_failed", "retriever_failed"]);

const neutral = "An error occurred.";

/** Replaces the texts of errors, inner ones too, by what `onError` returns. */
export class ErrorMask {
  readonly #onError: OnError | undefined;

  constructor(onError: OnError | undefined) {
    this.#onError = onError;
  }

  /** The text for a client; the neutral one if `onError` is missing, fails, or returns something else than a string. */
  text(error: ResponseError): string {
    if (this.#onError === undefined) return neutral;
    try {
      const text: unknown = this.#onError(error);
      return typeof text === "string" ? text : neutral;
    } catch {
      return neutral;
    }
  }

  error(error: EventError): EventError {
    return { ...error, message: this.text(error) };
  }

  event(event: AgentEvent): AgentEvent {
    switch (event.type) {
      case "error":
        return { ...event, error: this.error(event.error) };
      case "tool_result":
      case "message":
        return this.#hasError(event.message) ? { ...event, message: this.message(event.message) } : event;
      case "block":
        return { ...event, block: this.#block(event.block) };
      case "tool_progress":
        return { ...event, value: this.#progress(event.value) };
      default:
        return event;
    }
  }

  message(message: AgenticMessage): AgenticMessage {
    return { ...message, contentBlocks: message.contentBlocks.map((block) => this.#block(block)) };
  }

  /** Parts of this library tell by progress what has failed, such as one of several retrievers in a tool. */
  #progress(value: unknown): unknown {
    if (!isFields(value) || !failures.has(value.kind)) return value;
    const { error, message, ...fields } = value;
    const told = typeof message === "string" ? message : messageOf(error);
    return { ...fields, message: this.text({ name: "Error", message: told }) };
  }

  #hasError({ contentBlocks }: AgenticMessage): boolean {
    return contentBlocks.some(
      (block) =>
        (block.type === "function_tool_result" && block.isError === true) ||
        (block.type === "mcp_tool_result" && block.error !== undefined),
    );
  }

  #block(block: ContentBlock): ContentBlock {
    if (block.type === "function_tool_result") return block.isError === true ? this.#failedResult(block) : block;
    if (block.type !== "mcp_tool_result" || block.error === undefined) return block;
    const { name, callId, error } = block;
    const tool = { name, callId, kind: "execution" };
    return { ...block, error: { ...error, message: this.text({ name: "Error", message: error.message, tool }) } };
  }

  /** A denial has no text: what was asked, the client knows. */
  #failedResult(block: FunctionToolResult): ContentBlock {
    const { content, resultType, ...fields } = block;
    const { errorKind = "execution", name, callId, result } = block;
    if (errorKind === "denied") return { ...fields, result: "" };
    const tool = { name, callId, kind: errorKind };
    return { ...fields, result: this.text({ name: "ToolError", message: result, tool }) };
  }
}
