import { KumikoError } from "../../errors.js";
import { isObject } from "../../is.js";
import { causesOf } from "../../run/policies/causes-of.js";
import { type AgenticMessage, areMessages } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { hasToolCalls, toolCallsOf, toolResultsOf } from "../../schema/message/read-message.js";
import type { ToolCallName, ToolError } from "../define/errors.js";
import { withCallIds } from "./call-ids.js";
import { callAborted, callNotExecuted } from "./errors.js";
import { errorBlock, resultMessage } from "./result-block.js";

/**
 * The results of calls whose run was aborted or paused, by message. The error cannot carry them: the reason of an abort belongs
 * to the caller, and a graph rejects with an interrupt of its own.
 */
const stopped = new WeakMap<AgenticMessage, StoppedRuns>();

type Results = () => readonly AgenticMessage[];

/** The runs of one message. Each is kept as long as the error that it ended with; the latest, as long as the message. */
interface StoppedRuns {
  latest: Results;
  readonly byReason: WeakMap<object, Results>;
}

export function rememberResults(message: AgenticMessage, reason: unknown, results: Results): void {
  const runs = stopped.get(message) ?? { latest: results, byReason: new WeakMap<object, Results>() };
  stopped.set(message, runs);
  runs.latest = results;
  if (isObject(reason)) runs.byReason.set(reason, results);
}

/** The results of the run that ended with this error, or else of the latest run. */
function rememberedResults(error: unknown, message: AgenticMessage): readonly AgenticMessage[] | undefined {
  const runs = stopped.get(message);
  if (runs === undefined) return undefined;
  const ended = causesOf(error).find((cause) => isObject(cause) && runs.byReason.has(cause));
  const results = isObject(ended) ? runs.byReason.get(ended) : undefined;
  return (results ?? runs.latest)();
}

/** Adds results to an error that came before any call could start: all are marked as not executed. */
export function withoutExecution(error: unknown, message: AgenticMessage): unknown {
  if (!KumikoError.is(error) || "results" in error) return error;
  const results = answerAll(message, (call) => callNotExecuted(call, "the tools node could not start"));
  return Object.assign(error, { results });
}

/**
 * The results of a message's calls after a run that failed, was aborted or paused: one message per call, in call order, so that
 * the history stays complete. Calls without a result of their own are marked `isError`. Never throws; a message without calls
 * has no results.
 *
 * @example
 * try {
 *   return await tools.invoke(message, { signal });
 * } catch (error) {
 *   history.push(tools.normalize(message), ...resultsOf(error, message));
 * }
 */
export function resultsOf(error: unknown, message: AgenticMessage): readonly AgenticMessage[] {
  if (!hasToolCalls(message)) return [];
  return (
    resultsIn(error, toolCallsOf(withCallIds(message))) ??
    rememberedResults(error, message) ??
    answerAll(message, (call) => callAborted(call, error))
  );
}

/** The results that an error carries, if they belong to these calls. */
function resultsIn(error: unknown, calls: readonly FunctionToolCall[]): readonly AgenticMessage[] | undefined {
  for (const cause of causesOf(error)) {
    if (!(cause instanceof Error) || !("results" in cause) || !areMessages(cause.results)) continue;
    const { results } = cause;
    const answered = results.flatMap(toolResultsOf).map(({ callId }) => callId);
    if (answered.length === calls.length && answered.every((id, index) => id === calls[index]?.callId)) return results;
  }
  return undefined;
}

/** One error result per call. */
function answerAll(message: AgenticMessage, errorOf: (call: ToolCallName) => ToolError): AgenticMessage[] {
  return toolCallsOf(withCallIds(message)).map(({ name, callId }, index) => {
    const call = { toolName: name, name, index, callId };
    const error = errorOf(call);
    return resultMessage(call, [errorBlock(call, error, error.message, [])]);
  });
}
