import type { EventPlace } from "../agents/agent-event.js";
import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import { isFields } from "../is.js";
import type { FunctionToolResult } from "../schema/message/content-block.js";

/** The id of a call for a client. Calls of inner agents are prefixed with the outer call, because their ids may repeat. */
export function callIdOf({ parentCallId }: Pick<EventPlace, "parentCallId">, callId: string): string {
  return parentCallId === undefined ? callId : `${parentCallId}/${callId}`;
}

/** Whether an event comes from an inner agent. */
export function isInner({ agentPath }: EventPlace): boolean {
  return agentPath.length > 1;
}

/** The tool call that an interrupt asks about. */
export interface AskedCall {
  readonly kind: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/**
 * Returns the id for a client of the call that an interrupt asks about. A question of an inner agent is an event of the outer
 * one: its address tells which call it is inside of.
 */
export function askedCallIdOf(
  place: Pick<EventPlace, "parentCallId">,
  interrupt: Interrupt,
  { toolCallId }: AskedCall,
  isSent: (id: string) => boolean,
): string {
  const parentCallId = place.parentCallId ?? outerCallOf(interrupt);
  const id = callIdOf({ parentCallId }, toolCallId);
  return !isSent(id) && isSent(toolCallId) ? toolCallId : id;
}

/** The innermost call that a question is inside of, other than the call that asks. */
export function outerCallOf({ address, info }: Interrupt): string | undefined {
  const calls = address.split(";").flatMap((part) => /^tool:[^:]*:(.*)$/s.exec(part)?.[1] ?? []);
  const ids = calls.map(decoded);
  return ids.at(isFields(info) && info.toolCallId === ids.at(-1) ? -2 : -1);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the tool call that an interrupt asks about, if any. */
export function askedCallOf({ info }: Interrupt): AskedCall | undefined {
  if (!isFields(info)) return undefined;
  const { kind, toolCallId, toolName, input } = info;
  if (typeof kind !== "string" || typeof toolCallId !== "string" || typeof toolName !== "string") return undefined;
  return { kind, toolCallId, toolName, input };
}

/** The value of a result: its content parts if it has any, otherwise its parsed JSON or its text. */
export function resultValue({ result, resultType, content }: FunctionToolResult): unknown {
  if (content !== undefined) return content;
  return resultType === "json" ? (parseJson(result)?.value ?? result) : result;
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
