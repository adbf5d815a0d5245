import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { turnHooks } from "./hooks.js";
import { answerOf, type Called, keptOf } from "./model-answer.js";
import type { ModelChain } from "./model-chain.js";
import type { ModelRequest } from "./model-request.js";
import { AskedModel, tellAnswer } from "./streamed-answer.js";
import type { OngoingTurn } from "./turn.js";

/** Asks the model for one answer, through the middlewares, and emits events as it arrives. */
export function callModel(
  turn: OngoingTurn,
  chain: ModelChain,
  request: ModelRequest,
  called: Called,
): Promise<AgenticMessage> {
  const index = turn.answers.wrapped++;
  const known = turn.state.kept?.wrapped[index];
  if (known !== undefined) return Promise.resolve(known);
  const message = turnHooks(turn)?.wrapModelCall(turn, chain, request, called) ?? askedOf(turn, chain, request, called);
  return turn.isKept ? keptWhole(turn, index, message) : message;
}

function askedOf(turn: OngoingTurn, chain: ModelChain, request: ModelRequest, called: Called): Promise<AgenticMessage> {
  return turn.streams
    ? tellAnswer(turn, new AskedModel(turn, chain, request, called.ctx), called)
    : answerOf(turn, chain, request, called.ctx);
}

/** When an answer is there, a node that is entered again does not ask for it again, nor for what it was made of. */
async function keptWhole(
  { state, answers }: OngoingTurn,
  index: number,
  asked: Promise<AgenticMessage>,
): Promise<AgenticMessage> {
  const message = await asked;
  const kept = keptOf(state);
  kept.count += answers.asked;
  answers.asked = 0;
  kept.wrapped = kept.wrapped.toSpliced(index, 1, message);
  kept.asked = [];
  return message;
}
