import { isFields } from "../../is.js";

/** Where other libraries have what is in `contentBlocks`. */
const foreignFields = ["content", "parts", "text", "tool_calls", "toolCalls", "toolInvocations", "lc_kwargs"];

/** Why a value without `contentBlocks` is not a message, as the rest of a sentence about it, and what to do. */
export function messageProblem(given: unknown): string {
  if (Array.isArray(given)) return "is a list. Pass one message of it.";
  if (!isFields(given))
    return `is ${given === null || given === undefined ? given : `a ${typeof given}`}. Make one: userMessage("Hello").`;
  const foreign = foreignFields.filter((field) => field in given);
  const found = foreign.length > 0 ? `in the format of another library, with ${named(foreign)} and ` : "an object ";
  return (
    `is ${found}without a list of contentBlocks (its fields: ${named(Object.keys(given))}). ` +
    "Make one with userMessage, assistantMessage or systemMessage; calls are blocks made with functionToolCall."
  );
}

function named(fields: readonly string[]): string {
  return fields.length === 0 ? "none" : fields.map((field) => `"${field}"`).join(", ");
}
