import type { AgenticModel, ModelContext } from "../../components/model.js";
import { type AgenticMessage, areMessages, isAgenticMessage } from "../../schema/message/agentic-message.js";
import { concatMessages } from "../../schema/message/concat.js";
import { shortenText } from "../../schema/shorten.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { invalidTape } from "./errors.js";
import { keptError, replayedError } from "./kept-error.js";
import { ModelRequests } from "./model-request.js";
import { type Json, toJson } from "./plain-json.js";
import { lastTextOf, type Taken, type TapeDeck, type TapedRequest } from "./tape-deck.js";

type Messages = readonly AgenticMessage[];

/** Asks models, with a tape in between. */
export class TapedModels {
  readonly #deck: TapeDeck;
  readonly #requests: ModelRequests;

  constructor(deck: TapeDeck) {
    this.#deck = deck;
    this.#requests = new ModelRequests(deck.text);
  }

  async generate(model: AgenticModel, messages: Messages, ctx: ModelContext): Promise<AgenticMessage> {
    const taken = this.#deck.take(this.#requestOf(model, messages, ctx), ctx);
    if (taken.answer !== undefined) {
      const chunks: AgenticMessage[] = [];
      for (const chunk of replayed(taken, ctx)) chunks.push(chunk);
      return concatMessages(chunks);
    }
    try {
      const message = await model.generate(messages, ctx);
      this.#keepWhole(taken, message);
      return message;
    } catch (error) {
      this.#keepError(taken, error, [], ctx);
      throw error;
    }
  }

  async *stream(model: AgenticModel, messages: Messages, ctx: ModelContext): AsyncGenerator<AgenticMessage, void> {
    const taken = this.#deck.take(this.#requestOf(model, messages, ctx), ctx);
    if (taken.answer !== undefined) {
      yield* replayed(taken, ctx);
      return;
    }
    const chunks: AgenticMessage[] = [];
    let isSettled = false;
    try {
      for await (const chunk of StreamReader.from(model.stream(messages, ctx))) {
        chunks.push(chunk);
        yield chunk;
      }
      isSettled = true;
      this.#keepChunks(taken, chunks);
    } catch (error) {
      if (!isSettled) this.#keepError(taken, error, chunks, ctx);
      isSettled = true;
      throw error;
    } finally {
      // a stream that was left early is no answer
      if (!isSettled) taken.drop();
    }
  }

  #requestOf(model: AgenticModel, messages: Messages, ctx: ModelContext): TapedRequest {
    const name = model.type ?? "";
    const { request, tools } = this.#requests.read(name, messages, ctx.options ?? {});
    const last = lastTextOf(request.messages);
    const said = JSON.stringify(shortenText(typeof last === "string" ? last : JSON.stringify(last), { length: 100 }));
    return { kind: "model", request, tools, what: `this request to the model "${name}": ${said}` };
  }

  #keepWhole(taken: Taken, message: AgenticMessage): void {
    if (isAgenticMessage(message)) taken.keep({ message: jsonOf(message) });
    else taken.drop();
  }

  #keepChunks(taken: Taken, chunks: Messages): void {
    if (chunks.length === 0 || !areMessages(chunks)) taken.drop();
    else taken.keep({ chunks: this.#maskedChunks(chunks) });
  }

  #keepError(taken: Taken, error: unknown, chunks: Messages, ctx: ModelContext): void {
    const kept = keptError(error, ctx.signal);
    if (kept === undefined) taken.drop();
    else taken.keep({ error: kept, ...(chunks.length > 0 && { chunks: this.#maskedChunks(chunks) }) });
  }

  /** Chunks as they came, unless a secret is spread over several of them: then they are kept in one. */
  #maskedChunks(chunks: Messages): readonly Json[] {
    const { text } = this.#deck;
    const plain = chunks.map(jsonOf);
    try {
      const whole = text.masked(jsonOf(concatMessages(chunks)));
      const joined = jsonOf(concatMessages(plain.map((chunk) => text.masked(chunk) as object as AgenticMessage)));
      if (JSON.stringify(whole) !== JSON.stringify(joined)) return [whole];
    } catch {
      // chunks that cannot be joined are kept as they are: who reads them will see the same error
    }
    return plain;
  }
}

function jsonOf(message: AgenticMessage): Json {
  return toJson(message) ?? {};
}

function* replayed({ answer = {}, path }: Taken, ctx: ModelContext): Generator<AgenticMessage, void> {
  const { message, chunks, error } = answer;
  const given: unknown = chunks ?? (message === undefined ? [] : [message]);
  if (!areMessages(given) || (given.length === 0 && error === undefined)) {
    throw invalidTape(path, "has an answer without a valid message");
  }
  for (const chunk of given) {
    ctx.signal.throwIfAborted();
    yield chunk;
  }
  ctx.signal.throwIfAborted();
  if (error !== undefined) throw replayedError(error, path);
}
