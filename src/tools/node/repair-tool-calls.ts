import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { hasToolCalls, toolCallsOf } from "../../schema/message/read-message.js";
import { withCallIds } from "./call-ids.js";
import { callNotExecuted } from "./errors.js";
import { isInOrder, isResult, type ResultBlock } from "./is-in-order.js";
import { errorBlock, resultMessage } from "./result-block.js";

/**
 * Repairs a history in which calls and results do not match, which providers reject. A stopped run or a shortened history may
 * leave one. A call without a result gets one that says so, after the other results of its message; a result without a call is
 * dropped; missing and repeated call ids are made unique. Messages that need no change are returned as they are.
 *
 * @example
 * const history = repairToolCalls([
 *   userMessage("Weather in 深圳?"),
 *   assistantMessage([functionToolCall({ callId: "1", name: "get_weather", arguments: "{}" })]),
 * ]);
 */
export function repairToolCalls(messages: readonly AgenticMessage[]): AgenticMessage[] {
  return isInOrder(messages) ? [...messages] : repaired(messages);
}

function repaired(messages: readonly AgenticMessage[]): AgenticMessage[] {
  const kept: AgenticMessage[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    const changed =
      message.role === "assistant" ? withCalls(message) : withoutStrayResults(message, turns, kept.length);
    if (changed === undefined) continue;
    kept.push(changed);
    if (hasToolCalls(changed)) turns.push(turnOf(changed, kept.length));
  }
  const missing = new Map<number, AgenticMessage[]>();
  for (const { end, open } of turns) {
    if (open.size > 0) missing.set(end, [...(missing.get(end) ?? []), ...[...open.values()].map(missingResult)]);
  }
  return kept.flatMap((message, index) => [message, ...(missing.get(index + 1) ?? [])]);
}

/** An assistant message with calls. */
interface Turn {
  /** The position after its last result, or after the message itself. */
  end: number;
  /** Calls that have no result yet, by call id. */
  readonly open: Map<string, NamedCall>;
}

interface NamedCall {
  readonly callId: string;
  readonly name: string;
  readonly toolName: string;
  readonly index: number;
}

function withCalls(message: AgenticMessage): AgenticMessage {
  return hasToolCalls(message) ? withCallIds(message) : message;
}

function turnOf(message: AgenticMessage, end: number): Turn {
  const open = toolCallsOf(message).map(({ callId, name }, index): [string, NamedCall] => {
    return [callId, { callId, name, toolName: name, index }];
  });
  return { end, open: new Map(open) };
}

function missingResult(call: NamedCall): AgenticMessage {
  const error = callNotExecuted(call, "the conversation went on without its result");
  return resultMessage(call, [errorBlock(call, error, error.message, [])]);
}

/** Removes results without a call; `undefined` when nothing is left of the message. */
function withoutStrayResults(
  message: AgenticMessage,
  turns: readonly Turn[],
  position: number,
): AgenticMessage | undefined {
  const contentBlocks = message.contentBlocks.filter((block) => !isResult(block) || answers(block, turns, position));
  if (contentBlocks.length === message.contentBlocks.length) return message;
  return contentBlocks.length === 0 ? undefined : { ...message, contentBlocks };
}

/** Whether there is a call for a result: the nearest one before it with this id and without a result. */
function answers({ callId }: ResultBlock, turns: readonly Turn[], position: number): boolean {
  const turn = turns.findLast(({ open }) => open.has(callId));
  if (turn === undefined) return false;
  turn.open.delete(callId);
  turn.end = Math.max(turn.end, position + 1);
  return true;
}
