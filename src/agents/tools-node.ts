import type { NodeContext } from "../components/context.js";
import type { ToolContext } from "../components/tool.js";
import type { Runnable } from "../compose/runnable.js";
import { bareRunnable } from "../run/bare-runnable.js";
import { Context } from "../run/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { mcpToolApprovalResponse } from "../schema/message/construct-block.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { ContentBlock, McpToolApprovalRequest } from "../schema/message/content-block.js";
import { hasToolCalls, toolCallsOf, toolResultsOf } from "../schema/message/read-message.js";
import { CallBatch, toolsNodeOptionsOf } from "../tools/node/call-batch.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import { resultsOf } from "../tools/node/results-of.js";
import type { AgentParts } from "./agent-parts.js";
import { type AgentState, enterNode, leaveNode } from "./agent-state.js";
import { toolGone } from "./errors.js";
import { transferred } from "./handoff-tools.js";
import { asksApproval, endStep } from "./model-node.js";
import { notExecuted, ownResult, wrongResult } from "./own-results.js";
import { readyAgent } from "./ready-agent.js";
import { ToldCalls } from "./told-calls.js";
import type { Toolbox } from "./toolbox.js";
import { isSavedRun, type Turn, turnOf } from "./turn.js";

/** The node `tools`: runs the calls of an answer, with the tools of the agent that gave it. */
export function toolsNode(root: AgentParts): Runnable<AgenticMessage, AgenticMessage[]> {
  return bareRunnable<AgenticMessage, AgenticMessage[]>({
    component: "tools_node",
    type: "",
    body: { kind: "modes", invoke: (message: AgenticMessage, ctx: NodeContext) => runRound(root, message, ctx) },
  });
}

async function runRound(root: AgentParts, given: AgenticMessage, ctx: NodeContext): Promise<AgenticMessage[]> {
  const turn = turnOf(root, ctx as NodeContext<AgentState>);
  const { state } = turn;
  enterNode(state);
  const toolbox = turn.toolbox ?? (await readyAgent(turn, ctx)).toolbox;
  // the answer in the log is the one that is sent again, so its calls are the ones that count
  const message = state.steps.at(-1)?.message ?? given;
  const running = runCalls(turn, message, toolbox, ctx);
  const results = running instanceof Promise ? await running : running;
  turn.round = undefined;
  const approvals = asksApproval(message) ? await answerApprovals(message, ctx) : [];
  const step = state.steps.at(-1);
  if (step !== undefined) step.results = results;
  state.log.push(...results, ...approvals);
  state.phase = "round";
  const ending = endStep(turn, ctx);
  if (ending !== undefined) await ending;
  // only now: a hook may ask, and then all of this begins again
  state.complaints = {};
  state.openTools = [];
  handOver(turn, results, toolbox);
  leaveNode(state, isSavedRun(ctx));
  return results;
}

function runCalls(
  turn: Turn,
  message: AgenticMessage,
  toolbox: Toolbox,
  ctx: NodeContext,
): AgenticMessage[] | Promise<AgenticMessage[]> {
  const own = ownResults(turn, message, toolbox);
  const rest = own.size === 0 ? message : without(message, own);
  const merge = (results: AgenticMessage[]): AgenticMessage[] =>
    own.size === 0 ? results : merged(message, own, results);
  turn.round = { message, results: (error) => merge([...resultsOf(error, rest)]) };
  checkToolsAreThere(turn, rest, toolbox, ctx);
  if (turn.streams) tellOwn(turn, own);
  if (!hasToolCalls(rest)) return merge([]);
  turn.watch?.tools.set(ctx.address, turn);
  const batch = new CallBatch(toolbox.kit, rest, ctx as Context, toolOptions(turn, ctx), callingAgent(turn));
  const results = (turn.streams ? batch.follow(new ToldCalls(turn)) : batch).run();
  if (own.size === 0) return results;
  return results instanceof Promise ? results.then(merge) : merge(results);
}

/** A message without some of its calls. */
function without(message: AgenticMessage, own: ReadonlyMap<string, AgenticMessage>): AgenticMessage {
  const isLeft = (block: ContentBlock): boolean => block.type !== "function_tool_call" || !own.has(block.callId);
  return { ...message, contentBlocks: message.contentBlocks.filter(isLeft) };
}

/** All results of a message, in the order of its calls. */
function merged(
  message: AgenticMessage,
  own: ReadonlyMap<string, AgenticMessage>,
  results: readonly AgenticMessage[],
): AgenticMessage[] {
  const byId = new Map(own);
  for (const result of results) byId.set(toolResultsOf(result)[0]?.callId ?? "", result);
  return toolCallsOf(message).flatMap(({ callId }) => byId.get(callId) ?? []);
}

/** Tools get the conversation. */
function toolOptions(turn: Turn, ctx: NodeContext): ToolsNodeOptions {
  if (turn.toolsOptions === undefined) {
    const { call, ...given } = (ctx.options ?? {}) as ToolsNodeOptions & { readonly call?: unknown };
    turn.toolsOptions = toolsNodeOptionsOf(given);
  }
  return { messages: turn.messages, ...turn.toolsOptions };
}

/** Tools are told which agent calls. */
function callingAgent({ call: { threadId }, state }: Turn): NonNullable<ToolContext["agent"]> {
  return threadId === undefined ? { name: state.active } : { name: state.active, threadId };
}

/** Calls that no tool runs for: an output that does not fit, and all transfers but the first. */
function ownResults(
  { state }: Turn,
  message: AgenticMessage,
  { transfers }: Toolbox,
): ReadonlyMap<string, AgenticMessage> {
  if (transfers.size === 0 && Object.keys(state.complaints).length === 0) return none;
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

const none: ReadonlyMap<string, AgenticMessage> = new Map();

function tellOwn(turn: Turn, own: ReadonlyMap<string, AgenticMessage>): void {
  for (const [callId, message] of own) {
    const [result] = toolResultsOf(message);
    turn.emit({ type: "tool_result", callId, name: result?.name ?? "", message });
  }
}

/** The first transfer of a round counts. */
function handOver(turn: Turn, results: readonly AgenticMessage[], { transfers }: Toolbox): void {
  if (transfers.size === 0) return;
  const call = results.flatMap(toolResultsOf).find(({ name, isError }) => isError !== true && transfers.has(name));
  const to = call === undefined ? undefined : transfers.get(call.name);
  if (to === undefined) return;
  const from = turn.state.active;
  turn.emit({ type: "handoff", from, to });
  turn.state.active = to;
  turn.toolbox = undefined;
}

/** A tool that waits for an answer may be gone when that comes. */
function checkToolsAreThere(turn: Turn, message: AgenticMessage, { kit }: Toolbox, ctx: NodeContext): void {
  if (!(ctx instanceof Context) || ctx.openedInvocation?.isRestored !== true) return;
  const table = kit.table;
  for (const [index, { name }] of toolCallsOf(message).entries()) {
    if (!turn.state.openTools.includes(name) || table.entries.get(name) !== undefined) continue;
    if (ctx.openedInvocation.findCall(index)?.invocation === undefined) continue;
    reopenCalls(ctx, message);
    throw toolGone(name, table.names);
  }
}

/** What was answered to the calls of a round that does not run stays a question. */
function reopenCalls({ openedInvocation }: Context, message: AgenticMessage): void {
  for (const index of toolCallsOf(message).keys()) openedInvocation?.findCall(index)?.invocation?.reopenFresh();
}

const approvalSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
  additionalProperties: false,
} as const;

/** What a provider asks before it runs a tool of an MCP server itself. */
async function answerApprovals(message: AgenticMessage, ctx: NodeContext): Promise<AgenticMessage[]> {
  const requests = message.contentBlocks.filter((block) => block.type === "mcp_tool_approval_request");
  const answers = await Promise.allSettled(requests.map((request) => askApproval(request, ctx)));
  const blocks = answers.map((answer, index) => {
    if (answer.status === "rejected") throw answer.reason;
    const { approved, reason } = answer.value;
    const approvalRequestId = requests[index]?.id ?? "";
    return mcpToolApprovalResponse({ approvalRequestId, approve: approved, ...(reason !== undefined && { reason }) });
  });
  return [userMessage(blocks)];
}

function askApproval({ id, name, arguments: text, serverLabel }: McpToolApprovalRequest, ctx: NodeContext) {
  const info = { kind: "mcp_approval", id, toolName: name, serverLabel, arguments: text };
  return ctx.ask<{ readonly approved: boolean; readonly reason?: string }>(`mcp_approval:${id}`, info, approvalSchema);
}
