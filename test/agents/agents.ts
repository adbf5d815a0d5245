import {
  type AgenticMessage,
  createTool,
  type FunctionToolCall,
  functionToolCall,
  toolCallsOf,
  toolResultsOf,
} from "kumiko";
import type { AgentEvent, AgentStream } from "kumiko/agents";
import { z } from "zod";

/** A tool that says a city back, and counts its runs. */
export function weatherTool(options: { requireApproval?: boolean } = {}) {
  const ran: string[] = [];
  const tool = createTool({
    id: "get_weather",
    description: "Weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    ...options,
    execute: ({ city }) => {
      ran.push(city);
      return `${city}: 21 °C`;
    },
  });
  return { tool, ran };
}

export function call(callId: string, name: string, args: object = {}): FunctionToolCall {
  return functionToolCall({ callId, name, arguments: JSON.stringify(args) });
}

export const weatherCall = (callId: string, city: string): FunctionToolCall => call(callId, "get_weather", { city });

export async function failureOf(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  try {
    await promise;
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error("It should have failed.");
}

export async function eventsOf(stream: AgentStream<unknown>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Whether a provider would take it: every call has its result right behind it, and every result a call. */
export function canBeSent(messages: readonly AgenticMessage[]): boolean {
  let open: string[] = [];
  for (const message of messages) {
    const answered = toolResultsOf(message).map(({ callId }) => callId);
    if (answered.some((id) => !open.includes(id))) return false;
    open = open.filter((id) => !answered.includes(id));
    if (answered.length === 0 && open.length > 0) return false;
    if (message.role === "assistant") open = toolCallsOf(message).map(({ callId }) => callId);
  }
  return open.length === 0;
}

export const resultTexts = (messages: readonly AgenticMessage[]): string[] =>
  messages.flatMap(toolResultsOf).map(({ result }) => result);
