import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { assistantMessage, systemMessage, userMessage } from "../schema/message/construct-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import type { Prompt, PromptMessage } from "./call-options.js";
import { notAPrompt, saysNothing } from "./errors.js";
import { asPrompt } from "./said-before.js";

const roles = { system: systemMessage, user: userMessage, assistant: assistantMessage };

/**
 * The messages of a prompt. Throws if one of the user has no content, or if none has: providers refuse that, or leave it out.
 * `name` is what the caller calls it.
 */
export function promptMessages(prompt: Prompt, name = "prompt"): AgenticMessage[] {
  const isList = Array.isArray(prompt);
  const list: readonly unknown[] = isList ? prompt : [typeof prompt === "string" ? userMessage(prompt) : prompt];
  const messages = list.map((given, index) => {
    const place = isList ? `${name}[${index}]` : name;
    const message = messageOf(given as PromptMessage, place);
    if (message.role === "user" && !hasContent(message)) throw saysNothing(place);
    return message;
  });
  if (messages.length > 0 && !messages.some(hasContent)) throw saysNothing(name);
  return messages;
}

function messageOf(given: PromptMessage, place: string): AgenticMessage {
  if (isAgenticMessage(given)) return asPrompt(given);
  const { role, content } = (given ?? {}) as { role?: unknown; content?: unknown };
  if (typeof content !== "string" || (role !== "system" && role !== "user" && role !== "assistant")) {
    throw notAPrompt(given, place);
  }
  return roles[role](content);
}

function hasContent({ contentBlocks }: AgenticMessage): boolean {
  return contentBlocks.some((block) => !isEmptyText(block));
}

function isEmptyText(block: ContentBlock): boolean {
  return (block.type === "user_input_text" || block.type === "assistant_gen_text") && block.text === "";
}
