import type { AgenticMessage } from "../message/agentic-message.js";

/** How chunks of messages join. */
export interface MessageJoining {
  readonly message: (chunks: readonly AgenticMessage[]) => AgenticMessage;
  readonly list: (chunks: readonly (readonly (AgenticMessage | null | undefined)[])[]) => AgenticMessage[];
}

const brought: { joining?: MessageJoining } = {};

/**
 * Called by the module that joins messages. Concatenation does not import it, so that programs without messages do not
 * carry it.
 */
export function bringMessageJoining(joining: MessageJoining): void {
  brought.joining = joining;
}

/** `undefined` as long as nobody has brought it. */
export function messageJoining(): MessageJoining | undefined {
  return brought.joining;
}
