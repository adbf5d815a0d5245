import { isFields } from "../../is.js";
import { list } from "../../wording.js";
import { shorten } from "../shorten.js";

/** Where other libraries have what is in `contentBlocks`. */
const foreignFields = ["content", "parts", "text", "tool_calls", "toolCalls", "toolInvocations", "lc_kwargs"];

/** Why a value without `contentBlocks` is not a message, as the rest of a sentence about it, and what to do. */
export function messageProblem(given: unknown): string {
  if (Array.isArray(given)) return `is a list (got ${shorten(given, { length: 200 })}). Pass one message of it.`;
  if (!isFields(given)) return `is ${shorten(given, { length: 200 })}. Make one: userMessage("Hello").`;
  const foreign = foreignFields.filter((field) => field in given);
  const found = foreign.length > 0 ? `in the format of another library, with ${list(foreign)} and ` : "an object ";
  return (
    `is ${found}without a list of contentBlocks (got ${shorten(given, { length: 200 })}). ` +
    "Make one with userMessage, assistantMessage or systemMessage; calls are blocks made with functionToolCall."
  );
}
