import type { NodeContext } from "../components/context.js";
import { restartReasonOf } from "../models/attempts-stream.js";
import { emptyAnswer } from "../models/errors.js";
import { type Passed, PassingSource, readAll } from "../models/passing-source.js";
import { Context } from "../run/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { toolCallsOf } from "../schema/message/read-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { ChunkSource } from "../schema/stream/source.js";
import { StreamedCalls } from "../tools/node/streamed-calls.js";
import { ChunkEvents } from "./chunk-events.js";
import { type BegunCall, beginCall, type Called, endCall } from "./model-answer.js";
import type { ModelChain } from "./model-chain.js";
import { GatheredAnswer, type ModelRequest } from "./model-request.js";
import type { OngoingTurn } from "./turn.js";

/** Reads an answer, emits an event for each chunk, and waits for readers. */
export async function tellAnswer(
  turn: OngoingTurn,
  given: ChunkSource<AgenticMessage>,
  called: Called,
): Promise<AgenticMessage> {
  const events = new ChunkEvents(turn);
  const seen = new GatheredAnswer();
  // the model has gathered its answer itself, and no middleware has changed it
  const gathered = given instanceof AskedModel ? given : undefined;
  const asked = called.judge === undefined ? gathered : undefined;
  let calls = streamedCalls(turn, called);
  turn.delivered = events.texts;
  const { live } = turn.asked;
  live?.begin();
  const take = (chunk: AgenticMessage): Promise<void> | undefined => {
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
    return live?.take(chunk) ?? events.add(chunk);
  };
  await (called.judge === undefined ? readAll(given, take) : called.judge.read(given, gathered, take));
  const message = asked?.message ?? (await seen.message());
  live?.told(message);
  if (toolCallsOf(message).length > 0) calls?.finish(message);
  return message;
}

function streamedCalls(turn: OngoingTurn, { table, ctx }: Called): StreamedCalls | undefined {
  return ctx instanceof Context ? new StreamedCalls(table, turn.messages, ctx) : undefined;
}

/** The chunks of an answer, which is kept when it is whole. The model is asked at the first read. */
export class AskedModel extends PassingSource<AgenticMessage> {
  readonly #turn: OngoingTurn;
  readonly #chain: ModelChain;
  readonly #request: ModelRequest;
  readonly #ctx: NodeContext;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #seen = new GatheredAnswer();
  #call: BegunCall | undefined;
  /** The answer, once it is whole. */
  message: AgenticMessage | undefined;

  constructor(
    turn: OngoingTurn,
    chain: ModelChain,
    request: ModelRequest,
    ctx: NodeContext,
    onError?: (error: unknown) => void,
  ) {
    super();
    this.#onError = onError;
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
    this.#onError?.(error);
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
