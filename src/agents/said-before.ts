import type { AgenticMessage } from "../schema/message/agentic-message.js";

/** A message that was logged before may be said again, as a part of a prompt: how it came into that log does not hold here. */
export function asPrompt(message: AgenticMessage): AgenticMessage {
  if (message.extra?.pushed === undefined && message.extra?.unjudged === undefined) return message;
  const { pushed, unjudged, ...extra } = message.extra;
  const { extra: _, ...others } = message;
  return Object.keys(extra).length === 0 ? others : { ...others, extra };
}

/** Says of a message that no guard has judged it: models behind guards do not see it. */
export function asUnjudged(message: AgenticMessage): AgenticMessage {
  return { ...message, extra: { ...message.extra, unjudged: true } };
}
