import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { toolCallsOf } from "../../schema/message/read-message.js";
import { hash } from "./model-name.js";

/**
 * The message with the ids under which its calls are answered: itself when it has them. Also for calls that a tools node
 * would refuse: what is wrong with them is told elsewhere.
 */
export function withCallIds(message: AgenticMessage): AgenticMessage {
  const calls = toolCallsOf(message);
  const ids = callIdsOf(calls);
  if (calls.every(({ callId }, index) => callId === ids[index])) return message;
  let next = 0;
  const contentBlocks = message.contentBlocks.map((block) =>
    block.type === "function_tool_call" ? { ...block, callId: ids[next++] ?? block.callId } : block,
  );
  return { ...message, contentBlocks };
}

/**
 * The ids under which calls are answered: their own, made where one is missing, and with a suffix where one was there
 * before. The same calls always get the same ids.
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
