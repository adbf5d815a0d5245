import type { AgentResult } from "../../agents/agent-result.js";
import type { TraceNode } from "../../callbacks/trace.js";
import { isFields } from "../../is.js";
import { type AgenticMessage, areMessages } from "../../schema/message/agentic-message.js";
import { noCalls } from "../errors.js";
import type { Call } from "./call.js";
import { callsInMessages } from "./message-calls.js";
import { callsInTrace } from "./trace-calls.js";

/**
 * The calls of tools in the result of an agent, in messages, or in a trace: in call order, with input and output. Only a trace knows
 * the calls of agents behind a tool.
 *
 * @example
 * const result = await agent.generate("Weather in Kyoto?");
 * console.log(calls(result)); // [{ tool: "get_weather", input: { city: "Kyoto" }, output: … }]
 */
export function calls(
  source:
    | AgentResult<unknown>
    | readonly AgenticMessage[]
    | { readonly runs: readonly TraceNode[] }
    | readonly TraceNode[],
): Call[] {
  const given: unknown = source;
  if (isList(given)) {
    if (areMessages(given)) return callsInMessages(given).map(({ call }) => call);
    if (given.every(isTraceNode)) return callsInTrace(given);
    throw noCalls(source);
  }
  if (!isFields(given)) throw noCalls(source);
  const { steps, messages, runs } = given;
  if (Array.isArray(steps) && steps.every(isStep)) {
    return callsInMessages(steps.flatMap(({ message, results }) => [message, ...results])).map(({ call }) => call);
  }
  if (areMessages(messages)) return callsInMessages(messages).map(({ call }) => call);
  if (Array.isArray(runs) && runs.every(isTraceNode)) return callsInTrace(runs);
  throw noCalls(source);
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function isTraceNode(value: unknown): value is TraceNode {
  return isFields(value) && typeof value.component === "string" && Array.isArray(value.children);
}

function isStep(value: unknown): value is { readonly message: AgenticMessage; readonly results: AgenticMessage[] } {
  return isFields(value) && areMessages([value.message]) && areMessages(value.results);
}
