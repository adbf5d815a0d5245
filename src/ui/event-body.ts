import type { AgentEvent } from "../agents/agent-event.js";
import type { StreamReader } from "../schema/stream/reader.js";

/** How events become the text of a response. */
export interface EventEncoder {
  /** May be empty: an event that the format has no word for. */
  encode(event: AgentEvent): string;
  /** What is said when the events break off without a last one. */
  fail(error: unknown): string;
  /** What is said after the last event. */
  end(): string;
}

/** How much text one chunk of the body gathers, in characters. */
const fullChunk = 16_384;

/**
 * The body of a response: what a reader asks for is answered with all events that come in the same turn of the event loop. So
 * a burst is one chunk, and no event waits for a later one. While nobody asks, at most one event is read ahead.
 */
export class EventBody implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #events: StreamReader<AgentEvent>;
  readonly #iterator: AsyncIterator<AgentEvent, undefined>;
  readonly #encoder: EventEncoder;
  readonly #bytes = new TextEncoder();
  #text = "";
  #isReading = false;
  #isScheduled = false;
  #isAtEnd = false;
  #asked: Asked | undefined;

  constructor(events: StreamReader<AgentEvent>, encoder: EventEncoder) {
    this.#events = events;
    this.#iterator = events[Symbol.asyncIterator]();
    this.#encoder = encoder;
  }

  pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    return new Promise((answer) => {
      this.#asked = { controller, answer };
      if (this.#text !== "" || this.#isAtEnd) this.#schedule();
      this.#read();
    });
  }

  async cancel(reason: unknown): Promise<void> {
    this.#asked = undefined;
    await this.#events.cancel(reason ?? new DOMException("The client has left.", "AbortError"));
  }

  #read(): void {
    if (this.#isReading || this.#isAtEnd) return;
    this.#isReading = true;
    this.#iterator.next().then(this.#onEvent, this.#onError);
  }

  readonly #onEvent = ({ done, value }: IteratorResult<AgentEvent, undefined>): void => {
    this.#isReading = false;
    if (done === true) {
      this.#end(this.#encoder.end());
      return;
    }
    try {
      this.#text += this.#encoder.encode(value);
    } catch (error) {
      this.#onError(error);
      return;
    }
    if (this.#asked === undefined) return;
    if (this.#text !== "") this.#schedule();
    if (this.#text.length < fullChunk) this.#read();
  };

  readonly #onError = (error: unknown): void => {
    this.#end(this.#encoder.fail(error) + this.#encoder.end());
  };

  #end(text: string): void {
    this.#isAtEnd = true;
    this.#text += text;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    atEndOfTurn(this.#send);
  }

  readonly #send = (): void => {
    this.#isScheduled = false;
    if (this.#asked === undefined) return;
    const { controller, answer } = this.#asked;
    this.#asked = undefined;
    if (this.#text !== "") controller.enqueue(this.#bytes.encode(this.#text));
    this.#text = "";
    if (this.#isAtEnd) controller.close();
    answer();
  };
}

interface Asked {
  readonly controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  answer(): void;
}

/** After everything that is already on its way. Platforms without `setImmediate` have timers only. */
function atEndOfTurn(send: () => void): void {
  if (typeof setImmediate === "function") setImmediate(send);
  else setTimeout(send, 0);
}
