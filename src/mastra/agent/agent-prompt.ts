import type { Prompt } from "../../agents/call-options.js";
import { isFields } from "../../is.js";
import type { MastraPrompt } from "./call-options.js";

/** Converts a prompt: strings in arrays become user messages, and text parts become one string. */
export function agentPromptOf(prompt: MastraPrompt): Prompt {
  if (Array.isArray(prompt)) return prompt.map(messageOf) as Prompt;
  return messageOf(prompt, true) as Prompt;
}

function messageOf(given: unknown, isWhole: unknown = false): unknown {
  if (typeof given === "string") return isWhole === true ? given : { role: "user", content: given };
  if (!isFields(given) || !Array.isArray(given.content)) return given;
  const texts = given.content.map((part: unknown) => (isFields(part) && part.type === "text" ? part.text : undefined));
  return texts.every((text) => typeof text === "string") ? { ...given, content: texts.join("") } : given;
}
