import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { toolCallsOf, toolResultsOf } from "../schema/message/read-message.js";
import { transferred } from "./handoff-tools.js";
import { notExecuted, ownResult, tellResults, wrongResult } from "./own-results.js";
import type { Toolbox } from "./toolbox.js";
import type { OngoingTurn } from "./turn.js";

/** The calls of a message that no tool runs for. */
export interface OwnCalls {
  /** The message without them. */
  readonly rest: AgenticMessage;
  /** All results of the message, in the order of its calls. */
  merge(results: readonly AgenticMessage[]): AgenticMessage[];
  /** Emits their results. */
  tell(): void;
  /** Lets another agent answer from now on, where the round has handed over. */
  handOver(results: readonly AgenticMessage[]): void;
}

export function ownCallsOf(turn: OngoingTurn, message: AgenticMessage, { transfers }: Toolbox): OwnCalls {
  const own = ownResults(turn, message, transfers);
  return {
    rest: own.size === 0 ? message : without(message, own),
    merge: (results) => merged(message, own, results),
    tell: () => tellResults(turn, own.values()),
    handOver: (results) => handOver(turn, results, transfers),
  };
}

type Results = ReadonlyMap<string, AgenticMessage>;

/** By the ids of their calls: of outputs that do not fit, and of transfers, of which the first counts. */
function ownResults({ state }: OngoingTurn, message: AgenticMessage, transfers: Toolbox["transfers"]): Results {
  const own = new Map<string, AgenticMessage>();
  let target: string | undefined;
  for (const call of toolCallsOf(message)) {
    const complaint = Object.hasOwn(state.complaints, call.callId) ? state.complaints[call.callId] : undefined;
    const to = transfers.get(call.name);
    if (complaint !== undefined) own.set(call.callId, wrongResult(call, complaint));
    else if (to !== undefined && target !== undefined) {
      const [result] = notExecuted([call], `the conversation was handed over to ${target}`);
      if (result !== undefined) own.set(call.callId, result);
    } else if (to !== undefined) {
      target = to;
      own.set(call.callId, ownResult(call, transferred(to)));
    }
  }
  return own;
}

function without(message: AgenticMessage, own: Results): AgenticMessage {
  const contentBlocks = message.contentBlocks.filter(
    (block) => block.type !== "function_tool_call" || !own.has(block.callId),
  );
  return { ...message, contentBlocks };
}

function merged(message: AgenticMessage, own: Results, results: readonly AgenticMessage[]): AgenticMessage[] {
  const byId = new Map(own);
  for (const result of results) byId.set(toolResultsOf(result)[0]?.callId ?? "", result);
  return toolCallsOf(message).flatMap(({ callId }) => byId.get(callId) ?? []);
}

function handOver(turn: OngoingTurn, results: readonly AgenticMessage[], transfers: Toolbox["transfers"]): void {
  const call = results.flatMap(toolResultsOf).find(({ name, isError }) => isError !== true && transfers.has(name));
  const to = call === undefined ? undefined : transfers.get(call.name);
  if (to === undefined) return;
  const from = turn.state.active;
  turn.emit({ type: "handoff", from, to });
  turn.state.active = to;
  turn.state.begun = turn.state.steps.some(({ agent }) => agent === to);
  turn.toolbox = undefined;
}
