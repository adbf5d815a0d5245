import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { AgentEvent } from "./agent-event.js";
import type { AgentResult } from "./agent-result.js";
import type { DeepPartial } from "./deep-partial.js";
import { errorEvent } from "./error-event.js";
import { Channel, EventFeed } from "./event-feed.js";

/** What a stream of an agent runs. */
export interface StreamedRun {
  readonly name: string;
  start(feed: EventFeed, signal: AbortSignal): Promise<AgentResult<unknown>>;
  messages(): AgenticMessage[];
  /** The growing output, out of the events of the run. */
  partialOutput(
    events: AsyncIterable<AgentEvent>,
    result: () => Promise<AgentResult<unknown>>,
  ): AsyncGenerator<unknown, void>;
}

/**
 * A run of an agent as events. The first read, of events or `text`, or the first use of `result` starts it; leaving the loop
 * early aborts it.
 *
 * @example
 * const stream = agent.stream("Weather in Kyoto?");
 * for await (const text of stream.text) console.log(text);
 * const { usage } = await stream.result;
 */
export class AgentStream<Output = string> extends StreamReader<AgentEvent> {
  readonly #call: StreamCall;

  constructor(run: StreamedRun) {
    const call = new StreamCall(run);
    super(call.feed.events);
    this.#call = call;
  }

  /** What the run comes to. From its first use on, the run no longer waits for readers; unread events are kept. */
  get result(): Promise<AgentResult<Output>> {
    return this.#call.freeResult() as Promise<AgentResult<Output>>;
  }

  /** The text of the called agent, as it is written. Steps are separated by a blank line. */
  get text(): StreamReader<string> {
    return this.#call.text;
  }

  /** The growing value of the output, the last one validated; without a schema the growing text. */
  get partialOutput(): StreamReader<DeepPartial<Output>> {
    return this.#call.partialOutput as StreamReader<DeepPartial<Output>>;
  }

  /** What was logged so far; after an abort, also the text that had been delivered. */
  messages(): AgenticMessage[] {
    return this.#call.run.messages();
  }
}

class StreamCall {
  readonly run: StreamedRun;
  readonly feed: EventFeed;
  readonly #controller = new AbortController();
  #result: Promise<AgentResult<unknown>> | undefined;
  #text: StreamReader<string> | undefined;
  #partial: StreamReader<unknown> | undefined;

  constructor(run: StreamedRun) {
    this.run = run;
    this.feed = new EventFeed(
      run.name,
      () => void this.#start(),
      (reason) => this.#controller.abort(reason ?? new DOMException("The stream of the agent was left.", "AbortError")),
    );
  }

  freeResult(): Promise<AgentResult<unknown>> {
    this.feed.free();
    return this.#start();
  }

  get text(): StreamReader<string> {
    this.#text ??= new StreamReader(this.feed.text);
    return this.#text;
  }

  get partialOutput(): StreamReader<unknown> {
    this.#partial ??= this.#openPartial();
    return this.#partial;
  }

  #start(): Promise<AgentResult<unknown>> {
    if (this.#result === undefined) {
      this.#result = this.#run();
      this.#result.catch(() => undefined);
    }
    return this.#result;
  }

  async #run(): Promise<AgentResult<unknown>> {
    await undefined; // what starts it goes first
    try {
      const result = await this.run.start(this.feed, this.#controller.signal);
      this.feed.close();
      return result;
    } catch (error) {
      this.feed.emit({ type: "error", error: errorEvent(error) });
      this.feed.close({ error });
      throw error;
    }
  }

  #openPartial(): StreamReader<unknown> {
    const events = new Channel<AgentEvent>({ read: ignore, taken: ignore, left: ignore });
    this.feed.onEvent = (event) => events.write(event);
    const { run } = this;
    const result = (): Promise<AgentResult<unknown>> => this.freeResult();
    async function* partial(): AsyncGenerator<unknown, void> {
      const close = (): void => events.close();
      result().then(close, close);
      yield* run.partialOutput(new StreamReader(events), result);
    }
    return StreamReader.from(partial());
  }
}

function ignore(): void {}
