import type { NodeContext } from "../components/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock, McpToolResult, ServerToolResult } from "../schema/message/content-block.js";
import type { ToolTable } from "../tools/node/tool-table.js";
import type { AgentState, KeptAnswers } from "./agent-state.js";
import type { AnswerJudge } from "./guards/judge-answer.js";
import type { ModelChain } from "./model-chain.js";
import type { ModelRequest } from "./model-request.js";
import type { OngoingTurn } from "./turn.js";

/** Where a model is called: in which node, and with which tools. */
export interface Called {
  readonly ctx: NodeContext;
  readonly table: ToolTable;
  /** Judges what is answered, where guards do. */
  readonly judge?: AnswerJudge | undefined;
}

/** Asks a model for a whole answer, and keeps it where the node may be entered again. */
export function answerOf(
  turn: OngoingTurn,
  chain: ModelChain,
  request: ModelRequest,
  ctx: NodeContext,
): Promise<AgenticMessage> {
  const call = beginCall(turn);
  if (call.known !== undefined) return Promise.resolve(call.known);
  return chain.generate(request, ctx, call.name).then((message) => {
    endCall(turn, chain, call, message);
    return message;
  });
}

/** One call of a model in the node. */
export interface BegunCall {
  readonly index: number;
  /** Its answer, where an earlier execution of the node has made it. */
  readonly known: AgenticMessage | undefined;
  /** Names its attempts: those of no two calls are the same. */
  readonly name: string | undefined;
}

/** A call that was cut off has the same name when the node is entered again, so that an answer which was saved is not paid twice. */
export function beginCall({ answers, state, isKept }: OngoingTurn): BegunCall {
  const index = answers.asked++;
  answers.count += 1;
  if (!isKept) return { index, known: undefined, name: nameOf(answers.count) };
  const kept = keptOf(state);
  return { index, known: kept.asked[index], name: nameOf(kept.count + index + 1) };
}

function nameOf(count: number): string | undefined {
  return count > 1 ? `answer ${count}` : undefined;
}

export function endCall(turn: OngoingTurn, chain: ModelChain, { index }: BegunCall, message: AgenticMessage): void {
  if (turn.isKept) {
    const kept = keptOf(turn.state);
    const asked = [...kept.asked];
    asked[index] = message;
    kept.asked = asked;
  }
  turn.count(modelNameOf(message, chain), message.responseMeta?.tokenUsage);
}

/** `provider/model`, as far as it is known. */
export function modelNameOf({ responseMeta }: AgenticMessage, { model }: ModelChain): string {
  return responseMeta?.model ?? model.type ?? "unknown";
}

/** The answers of the node, for when it is entered again. */
export function keptOf(state: AgentState): KeptAnswers {
  state.kept ??= { asked: [], wrapped: [], count: 0 };
  return state.kept;
}

export function asksApproval({ contentBlocks }: AgenticMessage): boolean {
  return contentBlocks.some(({ type }) => type === "mcp_tool_approval_request");
}

/** Whether the provider stopped in the middle of its own work, and wants to be asked again. */
export function isPaused({ responseMeta, contentBlocks }: AgenticMessage): boolean {
  if (responseMeta?.rawFinishReason === "pause_turn") return true;
  if (responseMeta?.finishReason !== "tool_calls") return false;
  const done = new Set(contentBlocks.flatMap((block) => (isServerResult(block) ? [block.callId] : [])));
  return contentBlocks.some(
    (block) => (block.type === "server_tool_call" || block.type === "mcp_tool_call") && !done.has(block.callId),
  );
}

function isServerResult(block: ContentBlock): block is ServerToolResult | McpToolResult {
  return block.type === "server_tool_result" || block.type === "mcp_tool_result";
}
