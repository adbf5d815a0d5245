import { type Fields, isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { invalidRequest, notARequest } from "./errors.js";
import { mediaBlock, messageIdOf, textBlock, threadIdOf } from "./request-parts.js";

/** An answer to an approval, as `resume` takes it. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/**
 * What a client wants: to say something, or to answer what is waited for.
 *
 * @example
 * const chat = async (request: Request): Promise<Response> => {
 *   const asked = readUiRequest(await request.json());
 *   const { threadId } = asked;
 *   return uiMessageStream(
 *     asked.prompt === undefined ? agent.resumeStream({ threadId }, asked.answers) : agent.stream(asked.prompt, { threadId }),
 *   );
 * };
 */
export type UiRequest =
  | {
      readonly threadId: string;
      readonly prompt: AgenticMessage;
      readonly answers?: undefined;
      /** The client wants another answer to its last message: take the last turn back first (`threads(store).truncate`). */
      readonly regenerate?: true;
    }
  | {
      readonly threadId: string;
      readonly prompt?: undefined;
      /** By the ids of interrupts. A tool that the client ran is answered with its output. */
      readonly answers: Readonly<Record<string, unknown>>;
    };

/**
 * Reads a request of `useChat` (its `DefaultChatTransport`). A client is not trusted: of all messages it sends, only the last one
 * of the user counts, or the answers to what the agent asked. The thread has the rest.
 *
 * @example
 * const { threadId, prompt } = readUiRequest({ id: "chat-1", messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }] });
 */
export function readUiRequest(body: unknown): UiRequest {
  if (!isFields(body)) throw notARequest("readUiRequest", body);
  const threadId = threadIdOf(body.id, "id");
  const messages = Array.isArray(body.messages) ? body.messages : body.message === undefined ? [] : [body.message];
  const last: unknown = messages.at(-1);
  if (!isFields(last) || !Array.isArray(last.parts)) {
    throw invalidRequest(
      "The request has no message with parts. It should be what useChat of the AI SDK 5 or later sends.",
    );
  }
  const parts = last.parts.filter(isFields);
  if (last.role === "assistant") return { threadId, answers: answersOf(parts) };
  if (last.role !== "user") throw invalidRequest("The last message must be of the user, or hold answers to questions.");
  const prompt = promptOf(last.id, parts);
  return body.trigger === "regenerate-message" ? { threadId, prompt, regenerate: true } : { threadId, prompt };
}

function promptOf(id: unknown, parts: readonly Fields[]): AgenticMessage {
  const blocks = parts.flatMap(blockOf);
  if (blocks.length === 0) throw invalidRequest("The last message of the user is empty.");
  return userMessage(blocks, { id: messageIdOf(id) });
}

function blockOf(part: Fields): ContentBlock[] {
  if (part.type === "text" && typeof part.text === "string") return part.text === "" ? [] : [textBlock(part.text)];
  if (part.type !== "file") return [];
  return [mediaBlock({ address: part.url, mimeType: part.mediaType, name: part.filename })];
}

function answersOf(parts: readonly Fields[]): Readonly<Record<string, unknown>> {
  const answers = Object.fromEntries([...approvalsOf(parts), ...outputsOf(parts)]);
  if (Object.keys(answers).length === 0) {
    throw invalidRequest("The last message is of the assistant, and answers nothing that it was asked.");
  }
  return answers;
}

function approvalsOf(parts: readonly Fields[]): [string, ApprovalAnswer][] {
  return parts.flatMap(({ state, approval }): [string, ApprovalAnswer][] => {
    if (state !== "approval-responded" || !isFields(approval)) return [];
    const { id, approved, reason } = approval;
    if (typeof id !== "string" || typeof approved !== "boolean") {
      throw invalidRequest("An answered approval must have an id, and approved: true or false.");
    }
    return [[id, typeof reason === "string" ? { approved, reason } : { approved }]];
  });
}

/** Outputs of tools that the client ran in the last step, for which an interrupt waits. */
function outputsOf(parts: readonly Fields[]): [string, unknown][] {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
  return step.flatMap(({ type, data }): [string, unknown][] => {
    if (type !== "data-interrupt" || !isFields(data) || typeof data.id !== "string") return [];
    const { id, info, toolCallId } = data;
    if (!isFields(info) || info.kind !== "client_tool") return [];
    const call = step.find((part) => part.toolCallId === toolCallId && part.state === "output-available");
    return call === undefined ? [] : [[id, call.output]];
  });
}
