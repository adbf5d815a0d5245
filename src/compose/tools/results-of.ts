import { ToolError } from "../../components/errors.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { toolResultsOf } from "../../schema/message/read-message.js";
import { callsIn, newCallIds } from "./call-ids.js";
import { callAborted } from "./errors.js";
import { errorBlock, resultMessage } from "./result-block.js";

/** What calls had come to when their run was stopped, by their message: the error of a stopped run belongs to the caller. */
const stopped = new WeakMap<AgenticMessage, readonly AgenticMessage[]>();

export function rememberResults(message: AgenticMessage, results: readonly AgenticMessage[]): void {
  stopped.set(message, results);
}

/**
 * What the calls of a message have come to, after a run that failed or was stopped: one message per call, in call order,
 * so that the history stays complete. Calls without a result of their own are marked `isError`.
 *
 * @example
 * try {
 *   return await tools.invoke(message, { signal });
 * } catch (error) {
 *   history.push(tools.normalize(message), ...resultsOf(error, message));
 * }
 */
export function resultsOf(error: unknown, message: AgenticMessage): readonly AgenticMessage[] {
  const calls = callsIn(message);
  const ids = newCallIds(calls) ?? calls.map(({ callId }) => callId);
  return (
    resultsIn(error, ids) ??
    stopped.get(message) ??
    calls.map(({ name }, index) => {
      const call = { toolName: name, name, index, callId: ids[index] ?? "" };
      const aborted = callAborted(call, error);
      return resultMessage(call, [errorBlock(call, aborted, aborted.message, [])]);
    })
  );
}

/** The results that an error carries, if they are those of these calls. */
function resultsIn(error: unknown, ids: readonly string[]): readonly AgenticMessage[] | undefined {
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current);
    if (!ToolError.is(current)) continue;
    const answered = current.results.flatMap(toolResultsOf).map(({ callId }) => callId);
    if (answered.length === ids.length && answered.every((callId, index) => callId === ids[index]))
      return current.results;
  }
  return undefined;
}
