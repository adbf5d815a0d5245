import { type Fields, isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { invalidRequest, notARequest } from "./errors.js";
import { answersById, mediaBlock, messageIdOf, textBlock, threadIdOf } from "./request-parts.js";

/** A request of an AG-UI client: a new prompt, or answers to interrupts. */
export type AgUiRequest =
  | {
      /** The thread of the conversation. */
      readonly threadId: string;
      /** The id that the client gave the run. */
      readonly runId: string;
      /** The new user message; missing if the request has answers. */
      readonly prompt: AgenticMessage;
      readonly answers?: undefined;
    }
  | {
      readonly threadId: string;
      readonly runId: string;
      readonly prompt?: undefined;
      /** The answers by interrupt id. A cancelled one is answered with `{ approved: false, reason: "cancelled" }`. */
      readonly answers: Readonly<Record<string, unknown>>;
    };

/**
 * Reads the `RunAgentInput` of an AG-UI client. The client is not trusted: only the last user message is read, or the answers in
 * `resume`. The history, tools, state and context in the request are ignored.
 *
 * @example
 * const { threadId, runId, prompt } = readAgUiRequest({
 *   threadId: "u-1", runId: "run-7", messages: [{ id: "1", role: "user", content: "Hi" }], tools: [], context: [],
 * });
 */
export function readAgUiRequest(body: unknown): AgUiRequest {
  if (!isFields(body)) throw notARequest("readAgUiRequest", body);
  const threadId = threadIdOf(body.threadId, "threadId");
  const runId = threadIdOf(body.runId, "runId");
  if (Array.isArray(body.resume) && body.resume.length > 0) {
    return { threadId, runId, answers: answersById(body.resume.map(answerOf)) };
  }
  const last: unknown = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  if (!isFields(last) || last.role !== "user") {
    throw invalidRequest("The last message of the request must be from the user, or resume must have answers.");
  }
  return { threadId, runId, prompt: promptOf(last) };
}

function answerOf(entry: unknown): [string, unknown] {
  const { interruptId, status, payload }: Fields = isFields(entry) ? entry : {};
  if (typeof interruptId !== "string" || (status !== "resolved" && status !== "cancelled")) {
    throw invalidRequest('Each entry of resume must have an interruptId, and the status "resolved" or "cancelled".');
  }
  return [interruptId, status === "resolved" ? payload : { approved: false, reason: "cancelled" }];
}

function promptOf({ id, content }: Fields): AgenticMessage {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const blocks = Array.isArray(parts) ? parts.filter(isFields).flatMap(blockOf) : [];
  if (blocks.length === 0) throw invalidRequest("The last user message is empty.");
  return userMessage(blocks, { id: messageIdOf(id) });
}

function blockOf(part: Fields): ContentBlock[] {
  if (part.type === "text" && typeof part.text === "string") return part.text === "" ? [] : [textBlock(part.text)];
  if (typeof part.type !== "string" || !isFields(part.source)) return [];
  const { type, value, mimeType } = part.source;
  const known = typeof mimeType === "string" ? mimeType : mediaTypes[part.type];
  return [mediaBlock(type === "data" ? { base64Data: value, mimeType: known } : { address: value, mimeType: known })];
}

/** The default media types of parts without a `mimeType`. */
const mediaTypes: Readonly<Record<string, string>> = { image: "image/png", audio: "audio/mpeg", video: "video/mp4" };
