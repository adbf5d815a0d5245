import type { NodeContext } from "../components/context.js";
import { restartReasonOf } from "../models/attempts.js";
import { emptyAnswer } from "../models/errors.js";
import { PassingSource, readAll } from "../models/passing-source.js";
import { Context } from "../run/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { toolCallsOf } from "../schema/message/read-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { ChunkSource } from "../schema/stream/source.js";
import type { Passed } from "../schema/stream/split-source.js";
import { StreamedCalls } from "../tools/node/streamed-calls.js";
import type { ToolKit } from "../tools/node/tool-table.js";
import type { AgentState, KeptAnswers } from "./agent-state.js";
import { ChunkEvents } from "./chunk-events.js";
import { GatheredAnswer } from "./gathered-answer.js";
import { turnHooks } from "./hooks.js";
import { type ModelChain, modelChain } from "./model-chain.js";
import type { ModelRequest } from "./model-request.js";
import type { InnerCall } from "./run-hooks.js";
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
  const message =
    turnHooks(turn)?.wrapModelCall(turn, request, called.ctx, () => innerCall(turn, chain, called)) ??
    askedOf(turn, chain, request, called);
  return turn.isKept ? keptWhole(turn, index, message) : message;
}

/** Where a model is called: in which node, and with which tools. */
interface Called {
  readonly ctx: NodeContext;
  readonly kit: ToolKit;
}

function askedOf(turn: OngoingTurn, chain: ModelChain, request: ModelRequest, called: Called): Promise<AgenticMessage> {
  const { ctx } = called;
  if (!turn.streams) return answerOf(turn, chain, request, ctx);
  return toldOf(turn, new AskedModel(turn, chain, request, ctx), called);
}

/** When an answer is there, a node that is entered again does not ask for it again, nor for what it was made of. */
async function keptWhole(
  { state, answers }: OngoingTurn,
  index: number,
  asked: Promise<AgenticMessage>,
): Promise<AgenticMessage> {
  const message = await asked;
  answers.asked = 0;
  const kept = keptOf(state);
  kept.wrapped = kept.wrapped.toSpliced(index, 1, message);
  kept.asked = [];
  return message;
}

function keptOf(state: AgentState): KeptAnswers {
  state.kept ??= { asked: [], wrapped: [], count: 0 };
  return state.kept;
}

/** What middlewares stand around. The model is asked when the answer is read. */
function innerCall(turn: OngoingTurn, chain: ModelChain, called: Called): InnerCall {
  const { ctx } = called;
  return {
    chunks: (request) => new AskedModel(turn, chainOf(turn, chain, request), request, ctx),
    whole: (request) => answerOf(turn, chainOf(turn, chain, request), request, ctx),
    tell: (answer) => toldOf(turn, answer, called),
  };
}

/** A middleware may have chosen another model. */
function chainOf(turn: OngoingTurn, chain: ModelChain, { model }: ModelRequest): ModelChain {
  return model === chain.model ? chain : modelChain(model, turn.parts, "wrapModelCall");
}

function answerOf(
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

/** The chunks of an answer, which is kept when it is whole. The model is asked at the first read. */
class AskedModel extends PassingSource<AgenticMessage> {
  readonly #turn: OngoingTurn;
  readonly #chain: ModelChain;
  readonly #request: ModelRequest;
  readonly #ctx: NodeContext;
  readonly #seen = new GatheredAnswer();
  #call: BegunCall | undefined;
  /** The answer, once it is whole. */
  message: AgenticMessage | undefined;

  constructor(turn: OngoingTurn, chain: ModelChain, request: ModelRequest, ctx: NodeContext) {
    super();
    this.#turn = turn;
    this.#chain = chain;
    this.#request = request;
    this.#ctx = ctx;
  }

  protected override open(): ChunkSource<AgenticMessage> {
    this.#call = beginCall(this.#turn);
    const { known, name } = this.#call;
    if (known === undefined) return StreamReader.from(this.#chain.stream(this.#request, this.#ctx, name)).takeSource();
    replayed.add(known);
    return StreamReader.from([known]).takeSource();
  }

  protected override passed(result: IteratorResult<AgenticMessage, undefined>): Passed<AgenticMessage> {
    if (!this.isOpen) return this.closed();
    if (result.done === true) return this.#ended(result);
    this.#seen.add(result.value);
    if (result.value.restart === true) this.#turn.restartReason = restartReasonOf(result.value);
    return result;
  }

  protected override async failed(error: unknown): Promise<never> {
    this.checkOpen();
    this.finish();
    throw error;
  }

  async #ended(result: IteratorResult<AgenticMessage, undefined>): Promise<IteratorResult<AgenticMessage, undefined>> {
    this.finish();
    if (this.#seen.isEmpty) throw emptyAnswer(this.#chain.model.type ?? "the model");
    this.message = this.#call?.known ?? (await this.#seen.message());
    if (this.#call !== undefined && this.#call.known === undefined) {
      endCall(this.#turn, this.#chain, this.#call, this.message);
    }
    return result;
  }
}

/** Answers from an earlier execution of the node, whose events have already been read. */
const replayed = new WeakSet<AgenticMessage>();

/** One call of a model in the node. */
interface BegunCall {
  readonly index: number;
  /** Its answer, where an earlier execution of the node has made it. */
  readonly known: AgenticMessage | undefined;
  /** Names its attempts: those of no two calls are the same. */
  readonly name: string | undefined;
}

function beginCall({ answers, state, isKept }: OngoingTurn): BegunCall {
  const index = answers.asked++;
  answers.count += 1;
  if (!isKept) return { index, known: undefined, name: nameOf(answers.count) };
  const kept = keptOf(state);
  const known = kept.asked[index];
  if (known === undefined) kept.count += 1;
  return { index, known, name: nameOf(kept.count) };
}

function nameOf(count: number): string | undefined {
  return count > 1 ? `answer ${count}` : undefined;
}

function endCall(turn: OngoingTurn, chain: ModelChain, { index }: BegunCall, message: AgenticMessage): void {
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

/** Reads an answer, emits an event for each chunk, and waits for readers. */
async function toldOf(turn: OngoingTurn, given: ChunkSource<AgenticMessage>, called: Called): Promise<AgenticMessage> {
  const events = new ChunkEvents(turn);
  const seen = new GatheredAnswer();
  // the model has gathered its answer itself, and no middleware has changed it
  const asked = given instanceof AskedModel ? given : undefined;
  let calls = streamedCalls(turn, called);
  turn.delivered = events.texts;
  await readAll(given, (chunk) => {
    if (chunk.restart === true) {
      events.restart();
      calls = streamedCalls(turn, called);
      turn.emit({ type: "restart", reason: turn.restartReason });
    }
    if (asked === undefined) seen.add(chunk);
    if (turn.isKept && replayed.has(chunk)) {
      calls = undefined;
      return undefined;
    }
    calls?.take(chunk);
    return events.add(chunk);
  });
  const message = asked?.message ?? (await seen.message());
  if (toolCallsOf(message).length > 0) calls?.finish(message);
  return message;
}

function streamedCalls(turn: OngoingTurn, { kit, ctx }: Called): StreamedCalls | undefined {
  return ctx instanceof Context ? new StreamedCalls(kit.tableFor({}), turn.messages, ctx) : undefined;
}
