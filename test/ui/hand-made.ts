import { assistantMessage, functionToolResult, userMessage } from "kumiko";
import type { AgentEvent, AgentEventBody, EventPlace } from "kumiko/agents";

export const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };

type Told = AgentEventBody & Partial<Omit<EventPlace, "seq">>;

/** Events as an agent numbers them. */
export function numbered(told: readonly Told[], runId = "run-1"): AgentEvent[] {
  let step = 0;
  return told.map((body, seq) => {
    if (body.type === "step_start" && body.agentPath === undefined) step += 1;
    return { seq, runId, agentPath: ["agent"], step, ...body };
  });
}

export const result = (callId: string, name: string, text: string, fields: object = {}) =>
  userMessage(functionToolResult({ callId, name, result: text, ...fields }));

/** A run with one tool call and a streamed answer. */
export const weatherRun: readonly Told[] = [
  { type: "start", threadId: "u-1" },
  { type: "step_start" },
  { type: "reasoning_delta", delta: "Hm.", index: 0 },
  { type: "tool_call_start", callId: "c1", name: "get_weather" },
  { type: "tool_call_delta", callId: "c1", delta: '{"city":' },
  { type: "tool_call_delta", callId: "c1", delta: '"Kyoto"}' },
  { type: "tool_call", callId: "c1", name: "get_weather", arguments: '{"city":"Kyoto"}' },
  { type: "message", message: assistantMessage("") },
  { type: "tool_progress", callId: "c1", value: { percent: 50 } },
  {
    type: "tool_result",
    callId: "c1",
    name: "get_weather",
    message: result("c1", "get_weather", '{"celsius":21}', { resultType: "json" }),
  },
  { type: "step_finish", usage, finishReason: "tool_calls", model: "openai/gpt-5" },
  { type: "step_start" },
  { type: "text_delta", delta: "It is ", index: 0 },
  { type: "text_delta", delta: "21 degrees.", index: 0 },
  { type: "message", message: assistantMessage("It is 21 degrees.") },
  { type: "step_finish", usage, finishReason: "stop", model: "openai/gpt-5" },
  { type: "finish", finishReason: "stop", usage },
];

/** What a client gets, as objects, without the end mark of the AI SDK. */
export async function dataOf(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)]
    .map(([, data = ""]) => data)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data));
}

export async function* streamOf(events: Iterable<AgentEvent>, failure?: Error): AsyncGenerator<AgentEvent, void> {
  yield* events;
  if (failure !== undefined) throw failure;
}
