import { KumikoError } from "../errors.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";

const logs = new WeakMap<object, readonly AgenticMessage[]>();

/** Remembers the messages logged before a turn failed. An abort's reason is its caller's, and carries nothing. */
export function rememberMessages(error: unknown, messages: readonly AgenticMessage[]): void {
  if (KumikoError.is(error)) logs.set(error, messages);
}

/**
 * The log of a turn that failed: the prompt, the rounds that were done, and of a round that failed a result per
 * call. It can be sent again. Empty for errors that an agent did not fail with.
 *
 * @example
 * try {
 *   await agent.generate("Book it");
 * } catch (error) {
 *   await agent.generate([...messagesOf(error), userMessage("Try again")]);
 * }
 */
export function messagesOf(error: unknown): AgenticMessage[] {
  return [...((typeof error === "object" && error !== null ? logs.get(error) : undefined) ?? [])];
}
