import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { assistantMessage, systemMessage, userMessage } from "../schema/message/construct-message.js";
import type { Prompt, PromptMessage } from "./call-options.js";
import { notAPrompt } from "./errors.js";

const roles = { system: systemMessage, user: userMessage, assistant: assistantMessage };

/** The messages of a prompt. */
export function promptMessages(prompt: Prompt): AgenticMessage[] {
  if (typeof prompt === "string") return [userMessage(prompt)];
  if (typeof prompt !== "object" || prompt === null) throw notAPrompt(prompt);
  const list: readonly PromptMessage[] = "role" in prompt ? [prompt] : prompt;
  if (!Array.isArray(list)) throw notAPrompt(prompt);
  return list.map(messageOf);
}

function messageOf(given: PromptMessage): AgenticMessage {
  if (isAgenticMessage(given)) return given;
  const { role, content } = (given ?? {}) as { role?: unknown; content?: unknown };
  if (typeof content !== "string" || (role !== "system" && role !== "user" && role !== "assistant")) {
    throw notAPrompt(given);
  }
  return roles[role](content);
}
