import { isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";

/** A message that was logged before may be said again, as a part of a prompt: how it came into that log does not hold here. */
export function asPrompt(message: AgenticMessage): AgenticMessage {
  if (message.extra?.pushed === undefined && message.extra?.unjudged === undefined) return message;
  const { pushed, unjudged, ...extra } = message.extra;
  const { extra: _, ...others } = message;
  return Object.keys(extra).length === 0 ? others : { ...others, extra };
}

/** Says of a message that the guards of its turn have not judged it: no model sees it. */
export function asUnjudged(message: AgenticMessage): AgenticMessage {
  return { ...message, extra: { ...message.extra, unjudged: true } };
}

/** Whether no model is shown a message: its turn was blocked on its input, or broke off before guards had judged it. */
export function isHidden({ extra }: AgenticMessage): boolean {
  const { blocked, unjudged } = extra ?? {};
  return unjudged === true || (isFields(blocked) && blocked.on === "input");
}
