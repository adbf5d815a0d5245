import { encodedId } from "../agents/call-settings.js";
import { type Fields, isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { invalidRequest, notARequest } from "./errors.js";
import { answersById, mediaBlock, messageIdOf, textBlock, threadIdOf } from "./request-parts.js";

/** An answer to an approval, as `resume` takes it. */
export interface ApprovalAnswer {
  /** Whether the user approves. */
  readonly approved: boolean;
  /** Why, for the model. */
  readonly reason?: string | undefined;
  /** Whether the user approves such calls from now on: see `approvals`. */
  readonly always?: true | undefined;
}

/**
 * A request of `useChat`: a new prompt, or answers to interrupts.
 *
 * @example
 * const chat = async (request: Request): Promise<Response> => {
 *   const { prompt, answers, ...turn } = readUiRequest(await request.json());
 *   return uiMessageStream(answers ? agent.resumeStream(turn, answers) : agent.stream(prompt, turn));
 * };
 */
export type UiRequest =
  | {
      /** The thread of the conversation. */
      readonly threadId: string;
      /** The new user message; missing if the request has answers. */
      readonly prompt: AgenticMessage;
      readonly answers?: undefined;
      /** The id of the message, so that a request which is sent twice begins one turn. */
      readonly requestId?: string | undefined;
      /** The id of the message that was edited, or is to be answered again: its turn and all later ones are replaced. */
      readonly replaces?: string | undefined;
    }
  | {
      readonly threadId: string;
      readonly prompt?: undefined;
      /**
       * The answers by interrupt id; none if the client only wants to continue. The answer for a tool that the client ran is its
       * output, or `{ "~error": text }`.
       */
      readonly answers: Readonly<Record<string, unknown>>;
      readonly requestId?: undefined;
      readonly replaces?: undefined;
    };

/**
 * Reads a request of `useChat` (with its `DefaultChatTransport`). The client is not trusted: only the last user message is
 * read, or the answers to interrupts. The history comes from the thread.
 *
 * @example
 * const { threadId, prompt } = readUiRequest({
 *   id: "chat-1",
 *   messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
 * });
 */
export function readUiRequest(body: unknown): UiRequest {
  if (!isFields(body)) throw notARequest("readUiRequest", body);
  const threadId = threadIdOf(body.id, "id");
  const messages = Array.isArray(body.messages) ? body.messages : body.message === undefined ? [] : [body.message];
  const last: unknown = messages.at(-1);
  if (!isFields(last) || !Array.isArray(last.parts)) {
    throw invalidRequest(
      "The request has no message with parts. Send the request with useChat of the AI SDK 5 or later.",
    );
  }
  const parts = last.parts.filter(isFields);
  if (last.role === "assistant") return { threadId, answers: answersOf(parts, body.always === true) };
  if (last.role !== "user")
    throw invalidRequest("The last message must be from the user, or have answers to interrupts.");
  const id = messageIdOf(last.id);
  const prompt = promptOf(id, parts);
  if (id === undefined || encodedId(id) === undefined) return { threadId, prompt };
  const isReplaced =
    body.trigger === "regenerate-message" || (body.messageId !== undefined && body.messageId === last.id);
  return isReplaced ? { threadId, prompt, replaces: id } : { threadId, prompt, requestId: id };
}

function promptOf(id: string | undefined, parts: readonly Fields[]): AgenticMessage {
  const blocks = parts.flatMap(blockOf);
  if (blocks.length === 0) throw invalidRequest("The last user message is empty.");
  return userMessage(blocks, { id });
}

function blockOf(part: Fields): ContentBlock[] {
  if (part.type === "text" && typeof part.text === "string") return part.text === "" ? [] : [textBlock(part.text)];
  if (part.type !== "file") return [];
  return [mediaBlock({ address: part.url, mimeType: part.mediaType, name: part.filename })];
}

function answersOf(parts: readonly Fields[], always: boolean): Readonly<Record<string, unknown>> {
  return answersById([...approvalsOf(parts, always), ...outputsOf(parts)]);
}

function approvalsOf(parts: readonly Fields[], always: boolean): [string, ApprovalAnswer][] {
  return parts.flatMap(({ state, approval }): [string, ApprovalAnswer][] => {
    if (state !== "approval-responded" || !isFields(approval)) return [];
    const { id, approved, reason } = approval;
    if (typeof id !== "string" || typeof approved !== "boolean") {
      throw invalidRequest("An answered approval must have a string id, and a boolean approved.");
    }
    const answer: ApprovalAnswer = typeof reason === "string" ? { approved, reason } : { approved };
    return [[id, always && approved ? { ...answer, always } : answer]];
  });
}

/** The outputs of tools that the client ran in the last step, by the id of their interrupt. */
function outputsOf(parts: readonly Fields[]): [string, unknown][] {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
  return step.flatMap(({ type, data }): [string, unknown][] => {
    if (type !== "data-interrupt" || !isFields(data) || typeof data.id !== "string" || data.answered === true)
      return [];
    const { id, info, toolCallId } = data;
    if (!isFields(info) || info.kind !== "client_tool") return [];
    const call = step.find((part) => part.toolCallId === toolCallId);
    if (call?.state === "output-available") return [[id, call.output]];
    if (call?.state !== "output-error") return [];
    return [[id, { "~error": typeof call.errorText === "string" ? call.errorText : "The tool failed." }]];
  });
}
