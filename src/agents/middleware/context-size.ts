import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ContentBlock, ToolResultContent } from "../../schema/message/content-block.js";
import type { AgentRun } from "../agent-context.js";
import type { StepChanges } from "../create-middleware.js";
import { invalidAgentOption } from "../errors.js";
import { keptView, type OngoingTurn, turnAround } from "../turn.js";

/** How messages of a run are counted: by `countTokens` of the agent, or by their characters and what the model has reported. */
export function sizeIn({ ctx }: AgentRun): (messages: readonly AgenticMessage[]) => Promise<number> {
  const turn = turnAround(ctx);
  const own = turn?.parts.options.countTokens;
  if (own === undefined) return async (messages) => Math.ceil(tokensOf(messages) * (turn?.state.tokenRatio ?? 1));
  return async (messages) => {
    const tokens = await own(messages);
    if (typeof tokens === "number" && tokens >= 0 && tokens < Number.POSITIVE_INFINITY) return tokens;
    throw invalidAgentOption(`countTokens must return a number of at least 0 (got ${String(tokens)}).`);
  };
}

/** The same for a request with these messages: the instructions of the step count, with those that middlewares before have added. */
export function requestSizeIn(run: AgentRun): (messages: readonly AgenticMessage[]) => Promise<number> {
  const size = sizeIn(run);
  const instructions = instructionsIn(turnAround(run.ctx));
  return (messages) => size([...instructions, ...messages]);
}

function instructionsIn(turn: OngoingTurn | undefined): readonly AgenticMessage[] {
  const step = turn?.changing;
  return step === undefined ? [] : [...step.instructions, ...step.added];
}

/** Compares what a request was counted as with what the model reports. To be called before the answer is in the log. */
export function noteReported(answer: AgenticMessage, { ctx, view }: Pick<AgentRun, "ctx" | "view">): undefined {
  const reported = answer.responseMeta?.tokenUsage?.promptTokens ?? 0;
  const turn = turnAround(ctx);
  if (turn === undefined || reported <= 0) return;
  const counted = tokensOf([...instructionsIn(turn), ...view]);
  if (counted === 0) return;
  turn.state.tokenRatio = Math.min(4, Math.max(0.5, reported / counted));
}

/** What the model sees from now on, also in later turns of the thread. */
export function viewKept(messages: readonly AgenticMessage[]): StepChanges {
  return { messages, [keptView]: true } as StepChanges;
}

/** How far below the limit a cut goes, so that the next one is not needed soon: what stays the same is cached by providers. */
export const cutTo = 0.75;

/** About how many tokens messages have, without a model that has counted any. */
export function tokensOf(messages: readonly AgenticMessage[]): number {
  let tokens = 0;
  for (const { contentBlocks } of messages) for (const block of contentBlocks) tokens += tokensIn(block);
  return tokens;
}

function tokensIn(block: ContentBlock): number {
  switch (block.type) {
    case "user_input_text":
    case "assistant_gen_text":
    case "reasoning":
      return textTokens(block.text);
    case "function_tool_call":
    case "mcp_tool_call":
    case "mcp_tool_approval_request":
      return textTokens(block.arguments);
    case "function_tool_result":
      return block.content === undefined ? textTokens(block.result) : contentTokens(block.content);
    case "mcp_tool_result":
      return textTokens(block.content);
    case "user_input_image":
    case "assistant_gen_image":
      return perMedium;
    case "user_input_audio":
    case "user_input_video":
    case "user_input_file":
    case "assistant_gen_audio":
    case "assistant_gen_video":
      return mediaTokens(block.base64Data);
    default:
      return 0;
  }
}

function contentTokens(content: readonly ToolResultContent[]): number {
  let tokens = 0;
  for (const part of content) {
    if (part.type === "text") tokens += textTokens(part.text);
    else tokens += part.type === "image" ? perMedium : mediaTokens(part.base64Data);
  }
  return tokens;
}

const perMedium = 1_500;
const charactersPerMedium = 200_000;

function mediaTokens(base64Data = ""): number {
  return perMedium * Math.max(1, Math.ceil(base64Data.length / charactersPerMedium));
}

/** Four letters of English are a token; a character of any other script is about one. */
function textTokens(text: unknown): number {
  if (typeof text !== "string") return 0;
  let ascii = 0;
  let others = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) ascii += 1;
    // the second half of a surrogate pair is not a character of its own
    else if (code < 0xdc00 || code > 0xdfff) others += 1;
  }
  return ascii / 4 + others;
}
