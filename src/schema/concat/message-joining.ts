import type { AgenticMessage } from "../message/agentic-message.js";

/** Functions that join chunks of messages, and of lists of messages. */
export interface MessageJoining {
  readonly message: (chunks: readonly AgenticMessage[]) => AgenticMessage;
  readonly list: (chunks: readonly (readonly (AgenticMessage | null | undefined)[])[]) => AgenticMessage[];
}

const registered: { joining?: MessageJoining } = {};

/**
 * Called by the module that joins messages. Concatenation does not import that module, so that programs without messages do not
 * include it.
 */
export function registerMessageJoining(joining: MessageJoining): void {
  registered.joining = joining;
}

/** `undefined` until the module that joins messages is loaded. */
export function messageJoining(): MessageJoining | undefined {
  return registered.joining;
}
