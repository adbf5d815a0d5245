import { KumikoError } from "../../errors.js";
import { cannotConcatMessages } from "../errors.js";
import type { AgenticMessage } from "./agentic-message.js";
import { concatMessages } from "./concat.js";

/** A chunk of a list of messages. A slot without a piece is a hole, undefined or null. */
export type MessageListChunk = readonly (AgenticMessage | null | undefined)[];

/**
 * Joins chunks of a list of messages slot by slot, as a tools node streams them. All must have the same length. A slot
 * that no chunk fills stays a hole.
 *
 * @example
 * const results = concatMessageLists([
 *   [userMessage(functionToolResult({ callId: "1", name: "now", result: "12:00", streamingMeta: { index: 0 } })), undefined],
 *   [undefined, userMessage(functionToolResult({ callId: "2", name: "now", result: "13:00", streamingMeta: { index: 0 } }))],
 * ]);
 */
export function concatMessageLists(lists: readonly MessageListChunk[]): AgenticMessage[] {
  const length = lists[0]?.length;
  if (length === undefined)
    throw cannotConcatMessages("there is no list. A list of messages needs at least one chunk.");
  const slots = new Map<number, AgenticMessage[]>();
  for (const [position, list] of lists.entries()) {
    if (list.length !== length) throw differentLengths(length, list.length, position);
    list.forEach((message, slot) => {
      if (message === undefined || message === null) return;
      const chunks = slots.get(slot);
      if (chunks === undefined) slots.set(slot, [message]);
      else chunks.push(message);
    });
  }
  const messages = new Array<AgenticMessage>(length);
  for (const [slot, chunks] of slots) messages[slot] = concatSlot(chunks, slot);
  return messages;
}

function concatSlot(chunks: readonly AgenticMessage[], slot: number): AgenticMessage {
  try {
    return concatMessages(chunks);
  } catch (cause) {
    if (!KumikoError.is(cause)) throw cause;
    throw new KumikoError(cause.code, `At slot ${slot} of a list of messages: ${cause.message}`, { cause });
  }
}

function differentLengths(length: number, other: number, position: number): Error {
  return cannotConcatMessages(
    `lists of different lengths: ${length} messages, and ${other} in chunk ${position}. Send every slot in every chunk, empty ones as holes.`,
  );
}

export { concatMessages };
