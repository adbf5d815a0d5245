import type { AgenticModel, ModelContext, ModelOptions } from "../components/model.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { assistantMessage } from "../schema/message/construct-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { StreamReader } from "../schema/stream/reader.js";
import { invalidScriptAnswer, scriptExhausted } from "./errors.js";

/**
 * An answer of a scripted model: a text, a list of blocks, a message, its chunks (a list or an async iterable), or an error to
 * throw.
 */
export type ScriptedAnswer =
  | string
  | readonly ContentBlock[]
  | AgenticMessage
  | readonly AgenticMessage[]
  | AsyncIterable<AgenticMessage>
  | Error;

/** An answer of a scripted model, or a function that returns one for a call. */
export type ScriptEntry =
  | ScriptedAnswer
  | ((messages: readonly AgenticMessage[], ctx: ModelContext) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** One call of a scripted model. */
export interface ModelCall {
  /** How the model was called. */
  readonly method: "generate" | "stream";
  /** The messages at the time of the call. */
  readonly messages: readonly AgenticMessage[];
  /** The call options. */
  readonly options: ModelOptions;
}

/** A model for tests that records its calls. */
export interface ScriptedModel extends AgenticModel {
  /** The calls so far. */
  readonly calls: readonly ModelCall[];
}

/**
 * Creates a model that answers from a script, one answer per call, and records its calls. A list of messages is one answer in
 * chunks: `stream` returns them one by one, `generate` concatenated.
 *
 * @example
 * const model = scriptedModel(
 *   assistantMessage(functionToolCall({ callId: "1", name: "get_weather", arguments: "{}" })),
 *   (messages) => assistantMessage(`You have sent ${messages.length} messages.`),
 * );
 * const app = new Chain<AgenticMessage[]>().appendModel(model).compile();
 * await app.invoke([userMessage("How is the weather?")]);
 * console.log(model.calls[0]?.messages);
 */
export function scriptedModel(...script: readonly ScriptEntry[]): ScriptedModel {
  return new Script(script);
}

class Script implements ScriptedModel {
  readonly component = "model" as const;
  readonly type = "ScriptedModel";
  readonly calls: ModelCall[] = [];
  readonly #script: readonly ScriptEntry[];

  constructor(script: readonly ScriptEntry[]) {
    this.#script = script;
  }

  async generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    return StreamReader.from(await this.#answer("generate", messages, ctx)).concat();
  }

  /** Takes the answer from the script immediately, not on the first read. */
  stream(messages: readonly AgenticMessage[], ctx: ModelContext): AsyncIterable<AgenticMessage> {
    const answer = this.#answer("stream", messages, ctx);
    answer.catch(() => undefined);
    return chunksOf(answer);
  }

  async #answer(method: ModelCall["method"], messages: readonly AgenticMessage[], ctx: ModelContext): Promise<Chunks> {
    ctx.signal.throwIfAborted();
    const { calls } = this;
    calls.push({ method, messages: [...messages], options: ctx.options });
    const number = calls.length;
    const entry = this.#script[number - 1];
    if (entry === undefined) throw scriptExhausted(this.type, number, this.#script.length);
    const answer: unknown = typeof entry === "function" ? await entry(messages, ctx) : entry;
    if (answer instanceof Error) throw answer;
    if (typeof answer === "string" || areBlocks(answer)) return [assistantMessage(answer)];
    if (isAgenticMessage(answer)) return [answer];
    if (areChunks(answer)) return answer;
    throw invalidScriptAnswer(this.type, number);
  }
}

type Chunks = readonly AgenticMessage[] | AsyncIterable<AgenticMessage>;

function areChunks(answer: unknown): answer is Chunks {
  if (typeof answer !== "object" || answer === null) return false;
  return Array.isArray(answer) ? answer.every(isAgenticMessage) : Symbol.asyncIterator in answer;
}

function areBlocks(answer: unknown): answer is readonly ContentBlock[] {
  return Array.isArray(answer) && answer.length > 0 && answer.every(isBlock);
}

function isBlock(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && !("role" in value);
}

async function* chunksOf(answer: Promise<Chunks>): AsyncGenerator<AgenticMessage, void> {
  yield* await answer;
}
