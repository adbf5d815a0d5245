import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { toolCallsOf } from "../../schema/message/read-message.js";
import { invalidCall, noToolCall, notAssistant } from "./errors.js";
import { hash } from "./model-name.js";

/** The calls of an assistant message, in order. Refuses messages of another role, and messages without a call. */
export function callsIn(message: AgenticMessage): readonly FunctionToolCall[] {
  if (message?.role !== "assistant" || !Array.isArray(message.contentBlocks)) throw notAssistant(message);
  const blocks = message.contentBlocks;
  let calls: FunctionToolCall[] | undefined;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    if (block?.type !== "function_tool_call") continue;
    if (typeof block.name !== "string") throw invalidCall(index, "name", block.name);
    if (typeof block.arguments !== "string" && block.arguments !== undefined) {
      throw invalidCall(index, "arguments", block.arguments);
    }
    if (calls === undefined) calls = [block];
    else calls.push(block);
  }
  if (calls === undefined) throw noToolCall();
  return calls;
}

/**
 * The ids under which calls are answered: their own, made where one is missing, and with a suffix where one was there
 * before. The same calls always get the same ids. `undefined` when all keep their own.
 */
export function newCallIds(calls: readonly FunctionToolCall[]): readonly string[] | undefined {
  return areUnique(calls) ? undefined : uniqueIds(calls);
}

/**
 * The message with the ids under which its calls are answered: itself when it has them. Also for calls that a tools node
 * would refuse: what is wrong with them is told elsewhere.
 */
export function withCallIds(message: AgenticMessage): AgenticMessage {
  const ids = newCallIds(toolCallsOf(message));
  if (ids === undefined) return message;
  let next = 0;
  const contentBlocks = message.contentBlocks.map((block) =>
    block.type === "function_tool_call" ? { ...block, callId: ids[next++] ?? block.callId } : block,
  );
  return { ...message, contentBlocks };
}

function areUnique(calls: readonly FunctionToolCall[]): boolean {
  if (calls.length === 1) return isId(calls[0]?.callId);
  const seen = new Set<string>();
  for (const { callId } of calls) {
    if (!isId(callId)) return false;
    seen.add(callId);
  }
  return seen.size === calls.length;
}

function uniqueIds(calls: readonly FunctionToolCall[]): string[] {
  const given = new Set<unknown>(calls.map(({ callId }) => callId));
  const used = new Set<string>();
  return calls.map(({ callId, name, arguments: text }, index) => {
    const wanted = isId(callId) ? callId : `call_${index}_${hash(`${name}\n${text ?? ""}`)}`;
    let id = wanted;
    for (let count = 2; used.has(id) || (id !== callId && given.has(id)); count++) id = `${wanted}_${count}`;
    used.add(id);
    return id;
  });
}

function isId(callId: unknown): callId is string {
  return typeof callId === "string" && callId !== "";
}
