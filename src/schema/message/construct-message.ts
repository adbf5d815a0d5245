import { withoutUndefined } from "../without-undefined.js";
import type { AgenticMessage, AgenticRole, ResponseMeta } from "./agentic-message.js";
import { assistantGenText, userInputText } from "./construct-block.js";
import type { ContentBlock } from "./content-block.js";

/** The content of a message: a string, one block or several. */
export type MessageContent = string | ContentBlock | readonly ContentBlock[];

/** Options of `userMessage` and `systemMessage`. */
export interface MessageOptions {
  /** Which message it is, for programs and user interfaces. */
  readonly id?: string | undefined;
  /** Data of your own or of a provider; models do not see it. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of `assistantMessage`. */
export interface AssistantMessageOptions extends MessageOptions {
  /** The provider's data about the response: tokens, model, why it ended. */
  readonly responseMeta?: ResponseMeta | undefined;
}

/**
 * Makes a user message. A string becomes one text block.
 *
 * @example
 * const question = userMessage([userInputText("What is this?"), userInputImage({ url: "https://example.com/cat.png" })]);
 */
export function userMessage(...contents: SeveralContents): AgenticMessage;
export function userMessage(content: MessageContent, options?: MessageOptions): AgenticMessage;
export function userMessage(...given: Given): AgenticMessage {
  return message("user", userInputText, given);
}

/**
 * Makes a system message. A string becomes one text block.
 *
 * @example
 * const messages = [systemMessage("Answer in one sentence."), userMessage("Why is the sky blue?")];
 */
export function systemMessage(...contents: SeveralContents): AgenticMessage;
export function systemMessage(content: MessageContent, options?: MessageOptions): AgenticMessage;
export function systemMessage(...given: Given): AgenticMessage {
  return message("system", userInputText, given);
}

/**
 * Makes an assistant message. A string becomes one text block; several blocks may be given as an array or as arguments.
 *
 * @example
 * const answer = assistantMessage("Because of Rayleigh scattering.", { responseMeta: { finishReason: "stop" } });
 * const asking = assistantMessage(
 *   functionToolCall({ callId: "1", name: "get_weather", arguments: '{"city":"深圳"}' }),
 *   functionToolCall({ callId: "2", name: "get_time", arguments: "{}" }),
 * );
 */
export function assistantMessage(...contents: SeveralContents): AgenticMessage;
export function assistantMessage(content: MessageContent, options?: AssistantMessageOptions): AgenticMessage;
export function assistantMessage(...given: Given): AgenticMessage {
  return message("assistant", assistantGenText, given);
}

/** Two or more strings and blocks as arguments. @internal */
type SeveralContents = readonly [string | ContentBlock, string | ContentBlock, ...(string | ContentBlock)[]];
type Given = readonly (MessageContent | AssistantMessageOptions | undefined)[];

function message(role: AgenticRole, textBlock: (text: string) => ContentBlock, given: Given): AgenticMessage {
  const last = given.at(-1);
  const options = (given.length > 1 && isOptions(last) ? last : undefined) ?? {};
  const contents = given
    .filter((content) => !isOptions(content))
    .flatMap((content) => content as ContentBlock | string);
  const contentBlocks = contents.map((content) => (typeof content === "string" ? textBlock(content) : content));
  const { id, responseMeta, extra } = options;
  return withoutUndefined<AgenticMessage>({ id, role, contentBlocks, responseMeta, extra });
}

function isOptions(given: Given[number]): given is AssistantMessageOptions | undefined {
  return given === undefined || (typeof given === "object" && !Array.isArray(given) && !("type" in given));
}
