import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  concatMessages,
  functionToolCall,
  type ModelContext,
  textOf,
} from "kumiko";
import { assistantGenText } from "kumiko/schema";

/** One call of a {@link DrivenModel}, which a test answers. */
export class DrivenCall implements AsyncIterable<AgenticMessage> {
  /** What the model was asked: who says what. */
  readonly asked: readonly string[];
  readonly signal: AbortSignal;
  #pieces: (AgenticMessage | Error | undefined)[] = [];
  #wake = (): void => undefined;

  constructor(messages: readonly AgenticMessage[], signal: AbortSignal) {
    this.asked = messages
      .filter((message) => message.role !== "system" && textOf(message) !== "")
      .map((message) => `${message.role}: ${textOf(message)}`);
    this.signal = signal;
    signal.addEventListener("abort", () => this.#wake());
  }

  /** Writes a piece of the answer. */
  write(text: string): void {
    this.#add(assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } })));
  }

  /** Ends the answer, after a last piece. */
  end(text = ""): void {
    if (text !== "") this.write(text);
    this.#add(undefined);
  }

  /** Ends the answer with the call of a tool. */
  call(name: string, input: object): void {
    const fields = { callId: crypto.randomUUID(), name, arguments: JSON.stringify(input) };
    this.#add(assistantMessage([functionToolCall({ ...fields, streamingMeta: { index: 1 } })]));
    this.end();
  }

  fail(message: string): void {
    this.#add(new Error(message));
  }

  /** Settles when the run has stopped the model. */
  async stopped(): Promise<void> {
    if (!this.signal.aborted) await new Promise((resolve) => this.signal.addEventListener("abort", resolve));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgenticMessage, void> {
    for (;;) {
      this.signal.throwIfAborted();
      if (this.#pieces.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const piece = this.#pieces.shift();
      if (piece === undefined) return;
      if (piece instanceof Error) throw piece;
      yield piece;
    }
  }

  #add(piece: AgenticMessage | Error | undefined): void {
    this.#pieces.push(piece);
    this.#wake();
  }
}

/** A model whose answers a test writes, piece by piece. */
export class DrivenModel implements AgenticModel {
  readonly component = "model" as const;
  readonly type = "DrivenModel";
  #calls: DrivenCall[] = [];
  #waiting: ((call: DrivenCall) => void)[] = [];

  async generate(messages: readonly AgenticMessage[], { signal }: ModelContext): Promise<AgenticMessage> {
    const chunks: AgenticMessage[] = [];
    for await (const chunk of this.#open(messages, signal)) chunks.push(chunk);
    return concatMessages(chunks);
  }

  stream(messages: readonly AgenticMessage[], { signal }: ModelContext): AsyncIterable<AgenticMessage> {
    return this.#open(messages, signal);
  }

  /** The next call, once it is there. */
  called(): Promise<DrivenCall> {
    const call = this.#calls.shift();
    return call === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(call);
  }

  #open(messages: readonly AgenticMessage[], signal: AbortSignal): DrivenCall {
    const call = new DrivenCall(messages, signal);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#calls.push(call);
    else waiting(call);
    return call;
  }
}
