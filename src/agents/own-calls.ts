import type { NodeContext } from "../components/context.js";
import { isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { functionToolResult, mcpToolApprovalResponse } from "../schema/message/construct-block.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { FunctionToolCall, McpToolApprovalRequest } from "../schema/message/content-block.js";
import { toolCallsOf, toolResultsOf } from "../schema/message/read-message.js";
import { callDenied } from "../tools/define/errors.js";
import { callNotExecuted } from "../tools/node/errors.js";
import { errorBlock, resultMessage } from "../tools/node/result-block.js";
import { type McpApprovalInfo, toolInputOf } from "./interrupt-kinds.js";
import { type Toolbox, transferred } from "./toolbox.js";
import type { OngoingTurn } from "./turn.js";

/** The calls of a message that no tool runs for. */
export interface OwnCalls {
  /** The message without them. */
  readonly rest: AgenticMessage;
  /** All results of the message, in the order of its calls. */
  merge(results: readonly AgenticMessage[]): AgenticMessage[];
  /** Emits their results; before each, tells of its call where that is needed. */
  tell(introduce: (callId: string) => void): void;
  /** Lets another agent answer from now on, where the round has handed over. */
  handOver(results: readonly AgenticMessage[]): void;
}

export function ownCallsOf(turn: OngoingTurn, message: AgenticMessage, { transfers }: Toolbox): OwnCalls {
  const own = ownResults(turn, message, transfers);
  return {
    rest: own.size === 0 ? message : without(message, own),
    merge: (results) => merged(message, own, results),
    tell: (introduce) => {
      for (const [callId, result] of own) {
        introduce(callId);
        tellResults(turn, [result]);
      }
    },
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
    if (state.denied !== undefined && Object.hasOwn(state.denied, call.callId)) own.set(call.callId, denied(call));
    else if (complaint !== undefined) own.set(call.callId, wrongResult(call, complaint));
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

const approvalSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" }, always: { type: "boolean" } },
  required: ["approved"],
  additionalProperties: false,
} as const;

/** The question of a provider before it runs a tool of an MCP server itself. */
export async function answerApprovals(
  turn: OngoingTurn,
  message: AgenticMessage,
  ctx: NodeContext,
): Promise<AgenticMessage[]> {
  const requests = message.contentBlocks.filter((block) => block.type === "mcp_tool_approval_request");
  const answers = await Promise.allSettled(requests.map((request) => settleApproval(turn, request, ctx)));
  const blocks = answers.map((answer, index) => {
    if (answer.status === "rejected") throw answer.reason;
    const { approved, reason } = answer.value;
    const approvalRequestId = requests[index]?.id ?? "";
    return mcpToolApprovalResponse({ approvalRequestId, approve: approved, ...(reason !== undefined && { reason }) });
  });
  return [userMessage(blocks)];
}

interface ApprovalAnswer {
  readonly approved: boolean;
  readonly reason?: string;
  readonly always?: boolean;
}

async function settleApproval(
  turn: OngoingTurn,
  request: McpToolApprovalRequest,
  ctx: NodeContext,
): Promise<ApprovalAnswer> {
  if (turn.rules === undefined) return askApproval(request, ctx);
  const { allowAlways, decide } = await import("./approvals/decide.js");
  const input = toolInputOf(request.arguments);
  const decision = await ctx.once(`mcp_approval_rule:${request.id}`, async () =>
    decide(turn, request.name, isFields(input) ? input : {}, ctx),
  );
  if (decision.action === "allow") return { approved: true };
  if (decision.action === "deny") {
    return { approved: false, ...(decision.reason !== undefined && { reason: decision.reason }) };
  }
  const answer = await askApproval(request, ctx);
  if (answer.approved && answer.always === true) allowAlways(turn, decision);
  return answer;
}

function askApproval({ id, name, arguments: text, serverLabel, extra }: McpToolApprovalRequest, ctx: NodeContext) {
  const toolCallId = typeof extra?.callId === "string" ? extra.callId : id;
  const info = {
    kind: "mcp_approval",
    id,
    toolName: name,
    toolCallId,
    serverLabel,
    arguments: text,
    input: toolInputOf(text),
  } satisfies McpApprovalInfo;
  return ctx.ask<ApprovalAnswer>(`mcp_approval:${id}`, info, approvalSchema);
}

/** The results of calls that no tool runs for. */
export function notExecuted(calls: readonly FunctionToolCall[], why: string): AgenticMessage[] {
  return calls.map(({ callId, name }, index) => {
    const call = { callId, name, toolName: name, index };
    const error = callNotExecuted(call, why);
    return resultMessage(call, [errorBlock(call, error, error.message, [])]);
  });
}

/** The result of a call that a guard has blocked. */
function denied({ callId, name }: FunctionToolCall): AgenticMessage {
  const call = { callId, name, toolName: name, index: 0 };
  const error = callDenied(call, undefined);
  return resultMessage(call, [errorBlock(call, error, error.message, [])]);
}

/** The result with which the agent itself answers a call. */
export function ownResult({ callId, name }: FunctionToolCall, result: string): AgenticMessage {
  return userMessage([functionToolResult({ callId, name, result })]);
}

/** The text for the model about an output that does not match. */
export function wrongResult({ callId, name }: FunctionToolCall, text: string): AgenticMessage {
  return userMessage([functionToolResult({ callId, name, result: text, isError: true, errorKind: "validation" })]);
}

/** Emits results that no tool gave. */
export function tellResults(turn: OngoingTurn, results: Iterable<AgenticMessage>): void {
  for (const message of results) {
    for (const { callId, name } of toolResultsOf(message)) turn.emit({ type: "tool_result", callId, name, message });
  }
}
