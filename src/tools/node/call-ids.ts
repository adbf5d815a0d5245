import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { toolCallsOf } from "../../schema/message/read-message.js";
import { hash } from "./model-name.js";

/**
 * Returns the message with the call ids that its results use; the same message if it has them already. Also works for calls that
 * a tools node would reject.
 */
export function withCallIds(message: AgenticMessage): AgenticMessage {
  const calls = toolCallsOf(message);
  if (calls.length < 2 && calls.every(({ callId }) => typeof callId === "string" && callId !== "")) return message;
  const ids = callIdsOf(calls);
  if (calls.every(({ callId }, index) => callId === ids[index])) return message;
  let next = 0;
  const contentBlocks = message.contentBlocks.map((block) =>
    block.type === "function_tool_call" ? { ...block, callId: ids[next++] ?? block.callId } : block,
  );
  return { ...message, contentBlocks };
}

/**
 * The call ids that results use: a call's own id, generated if it is missing, with a suffix if it is repeated. The same calls
 * always get the same ids.
 */
export function callIdsOf(calls: readonly FunctionToolCall[]): readonly string[] {
  const given = new Set<unknown>(calls.map(({ callId }) => callId));
  const used = new Set<string>();
  return calls.map(({ callId, name, arguments: text }, index) => {
    const hasId = typeof callId === "string" && callId !== "";
    const wanted = hasId ? callId : `call_${index}_${hash(`${name}\n${text ?? ""}`)}`;
    let id = wanted;
    for (let count = 2; used.has(id) || (id !== callId && given.has(id)); count++) id = `${wanted}_${count}`;
    used.add(id);
    return id;
  });
}
