import { LatePart } from "../late-part.js";
import type { AgenticMessage } from "../message/agentic-message.js";

/** Functions that join chunks of messages, and of lists of messages. */
export interface MessageJoining {
  readonly message: (chunks: readonly AgenticMessage[]) => AgenticMessage;
  readonly list: (chunks: readonly (readonly (AgenticMessage | null | undefined)[])[]) => AgenticMessage[];
}

/** What joins messages. Concatenation does not import it, so that programs without messages do not include it. */
export const messageJoining = new LatePart<MessageJoining>();
