import { withoutUndefined } from "../without-undefined.js";
import type { AgenticMessage, AgenticRole, ResponseMeta } from "./agentic-message.js";
import { assistantGenText, userInputText } from "./construct-block.js";
import type { ContentBlock } from "./content-block.js";

/** What a message may be made of: a text, one block or several. */
export type MessageContent = string | ContentBlock | readonly ContentBlock[];

export interface MessageOptions {
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

export interface AssistantMessageOptions extends MessageOptions {
  readonly responseMeta?: ResponseMeta | undefined;
}

/**
 * A message of the user. A string becomes one text block.
 *
 * @example
 * const question = userMessage([userInputText("What is this?"), userInputImage({ url: "https://example.com/cat.png" })]);
 */
export function userMessage(content: MessageContent, options: MessageOptions = {}): AgenticMessage {
  return message("user", typeof content === "string" ? userInputText(content) : content, options);
}

/**
 * A message of the system. A string becomes one text block.
 *
 * @example
 * const messages = [systemMessage("Answer in one sentence."), userMessage("Why is the sky blue?")];
 */
export function systemMessage(content: MessageContent, options: MessageOptions = {}): AgenticMessage {
  return message("system", typeof content === "string" ? userInputText(content) : content, options);
}

/**
 * A message of the model. A string becomes one text block.
 *
 * @example
 * const answer = assistantMessage("Because of Rayleigh scattering.", { responseMeta: { finishReason: "stop" } });
 */
export function assistantMessage(content: MessageContent, options: AssistantMessageOptions = {}): AgenticMessage {
  return message("assistant", typeof content === "string" ? assistantGenText(content) : content, options);
}

function message(
  role: AgenticRole,
  content: ContentBlock | readonly ContentBlock[],
  { responseMeta, extra }: AssistantMessageOptions,
): AgenticMessage {
  const contentBlocks = "type" in content ? [content] : [...content];
  return withoutUndefined<AgenticMessage>({ role, contentBlocks, responseMeta, extra });
}
