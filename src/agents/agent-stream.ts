import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { AgentEvent } from "./agent-event.js";
import type { AgentResult } from "./agent-result.js";
import type { StreamCall } from "./stream-call.js";

/**
 * A run of an agent as events. The first read, of events or `textStream`, or the first use of `result` or `text` starts it;
 * leaving the loop early aborts it.
 *
 * @example
 * const stream = agent.stream("Weather in Kyoto?");
 * for await (const text of stream.textStream) console.log(text);
 * const { usage } = await stream.result;
 */
export class AgentStream<Output = string> extends StreamReader<AgentEvent> {
  readonly #messages: () => AgenticMessage[];
  readonly #call: StreamCall;
  #result: Promise<AgentResult<unknown>> | undefined;
  #text: Promise<string> | undefined;
  #textStream: StreamReader<string> | undefined;
  #partialOutput: StreamReader<unknown> | undefined;

  constructor(call: StreamCall, messages: () => AgenticMessage[]) {
    super(call.feed.events);
    this.#call = call;
    this.#messages = messages;
  }

  /** The result of the run. From its first use on, the run no longer waits for readers; unread events are kept. */
  get result(): Promise<AgentResult<Output>> {
    this.#result ??= this.#call.freeResult();
    return this.#result as Promise<AgentResult<Output>>;
  }

  /** The `text` of the result. Its first use starts the run, as that of `result` does. */
  get text(): Promise<string> {
    if (this.#text === undefined) {
      this.#text = this.result.then(({ text }) => text);
      this.#text.catch(() => undefined); // readers of the events also receive the error
    }
    return this.#text;
  }

  /** The text of the called agent, as it is written. Steps are separated by a blank line. */
  get textStream(): StreamReader<string> {
    this.#textStream ??= new StreamReader(this.#call.feed.text);
    return this.#textStream;
  }

  /** The growing value of the output, the last one validated; without a schema the growing text. */
  get partialOutputStream(): StreamReader<DeepPartial<Output>> {
    this.#partialOutput ??= this.#call.openPartialOutput();
    return this.#partialOutput as StreamReader<DeepPartial<Output>>;
  }

  /** The messages logged so far; after an abort, also the text that had been delivered. */
  messages(): AgenticMessage[] {
    return this.#messages();
  }
}

/** A value that is still being written: of objects, the fields so far. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;
