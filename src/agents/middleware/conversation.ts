import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { toolResultsOf } from "../../schema/message/read-message.js";

/** How many tokens a text has, about. */
const charactersPerToken = 4;

/** An assistant message with the results of its calls, or a message that stands alone. */
export type Round = readonly AgenticMessage[];

/** The messages from one of the user up to the next one. */
export interface TalkTurn {
  readonly prompt: readonly AgenticMessage[];
  readonly rounds: readonly Round[];
}

/** A conversation in pieces between which it may be cut. */
export function turnsIn(messages: readonly AgenticMessage[]): TalkTurn[] {
  const turns: { prompt: AgenticMessage[]; rounds: AgenticMessage[][] }[] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (message.role === "assistant") {
      if (turn === undefined) turns.push({ prompt: [], rounds: [[message]] });
      else turn.rounds.push([message]);
    } else if (isAnswer(message) && turn?.rounds.at(-1) !== undefined) turn.rounds.at(-1)?.push(message);
    else if (turn === undefined || turn.rounds.length > 0) turns.push({ prompt: [message], rounds: [] });
    else turn.prompt.push(message);
  }
  return turns;
}

/** Results, and answers to what a provider asked: they belong to the message before them. */
function isAnswer(message: AgenticMessage): boolean {
  if (toolResultsOf(message).length > 0) return true;
  return message.contentBlocks.some(
    ({ type }) => type === "mcp_tool_approval_response" || type === "tool_search_result",
  );
}

export function messagesIn(turns: readonly TalkTurn[]): AgenticMessage[] {
  return turns.flatMap(({ prompt, rounds }) => [...prompt, ...rounds.flat()]);
}

/** About how many tokens the next request has: what the model reported last, and the characters since. */
export function tokensIn(view: readonly AgenticMessage[]): number {
  const last = view.findLastIndex(({ responseMeta }) => responseMeta?.tokenUsage !== undefined);
  const reported = view[last]?.responseMeta?.tokenUsage?.promptTokens ?? 0;
  return reported + tokensOf(view.slice(Math.max(0, last)));
}

export function tokensOf(messages: readonly AgenticMessage[]): number {
  let characters = 0;
  for (const { contentBlocks } of messages) for (const block of contentBlocks) characters += textIn(block);
  return Math.ceil(characters / charactersPerToken);
}

function textIn(block: object): number {
  let length = 0;
  for (const value of Object.values(block)) if (typeof value === "string") length += value.length;
  return length;
}
