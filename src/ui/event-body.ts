import { type AgentEvent, type EventError, errorEvent } from "../agents/agent-event.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { ErrorMask } from "./error-mask.js";

/** Converts events to the text of a response. */
export interface EventEncoder {
  /** Returns the text of an event; empty if the format has no such event. */
  encode(event: AgentEvent): string;
  /** Returns the text for a stream that fails without an event that says so; the text of the error is one for clients. */
  fail(error: EventError): string;
  /** Returns the text after the last event. */
  end(): string;
}

/** The source of a body. */
export interface BodyParts {
  readonly events: StreamReader<AgentEvent>;
  readonly iterator: AsyncIterator<AgentEvent, undefined>;
  /** The first read, which has begun already. */
  readonly first: Promise<IteratorResult<AgentEvent, undefined>>;
  readonly encoder: EventEncoder;
  readonly mask: ErrorMask;
  readonly heartbeatMs: number | false;
}

/** A line that clients ignore. */
const comment = ":\n\n";

/** How many characters a chunk of the body collects before no more events are read for it. */
const chunkLength = 16_384;

/**
 * The body of a response. Each chunk has all events that arrive in the same turn of the event loop, so a burst of events is one
 * chunk, and no event waits for a later one. Without a pending read, at most one event is read ahead.
 */
export class EventBody implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #events: StreamReader<AgentEvent>;
  readonly #iterator: AsyncIterator<AgentEvent, undefined>;
  readonly #encoder: EventEncoder;
  readonly #mask: ErrorMask;
  readonly #heartbeatMs: number | false;
  #first: BodyParts["first"] | undefined;
  #sentAt = Date.now();
  #heartbeat: ReturnType<typeof setTimeout> | undefined;
  readonly #bytes = new TextEncoder();
  #text = "";
  #isReading = false;
  #isScheduled = false;
  #isAtEnd = false;
  #hasToldError = false;
  #pending: PendingPull | undefined;

  constructor({ events, iterator, first, encoder, mask, heartbeatMs }: BodyParts) {
    this.#events = events;
    this.#iterator = iterator;
    this.#first = first;
    this.#encoder = encoder;
    this.#mask = mask;
    this.#heartbeatMs = heartbeatMs;
    if (heartbeatMs !== false) this.#beatIn(heartbeatMs);
  }

  pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    return new Promise((resolve) => {
      this.#pending = { controller, resolve };
      if (this.#text !== "" || this.#isAtEnd) this.#schedule();
      this.#read();
    });
  }

  async cancel(reason: unknown): Promise<void> {
    this.#isAtEnd = true; // a read that is under way, and may fail now, is nobody's
    this.#pending = undefined;
    clearTimeout(this.#heartbeat);
    await this.#events.cancel(reason ?? new DOMException("The client disconnected.", "AbortError"));
  }

  #read(): void {
    if (this.#isReading || this.#isAtEnd) return;
    this.#isReading = true;
    const read = this.#first ?? this.#iterator.next();
    this.#first = undefined;
    read.then(this.#onEvent, this.#onError);
  }

  /** The timer is set once per silence rather than per chunk, and keeps no process alive. */
  #beatIn(ms: number): void {
    this.#heartbeat = setTimeout(this.#beat, ms);
    (this.#heartbeat as { unref?(): void }).unref?.();
  }

  readonly #beat = (): void => {
    if (this.#isAtEnd || this.#heartbeatMs === false) return;
    const left = this.#sentAt + this.#heartbeatMs - Date.now();
    if (left <= 0 && this.#pending !== undefined && this.#text === "") {
      this.#text = comment;
      this.#schedule();
    }
    this.#beatIn(left > 0 ? left : this.#heartbeatMs);
  };

  readonly #onEvent = ({ done, value }: IteratorResult<AgentEvent, undefined>): void => {
    this.#isReading = false;
    if (this.#isAtEnd) return;
    if (done === true) {
      this.#end(this.#encoder.end());
      return;
    }
    try {
      if (value.type === "error" && value.agentPath.length < 2) this.#hasToldError = true;
      this.#text += this.#encoder.encode(this.#mask.event(value));
    } catch (error) {
      this.#onError(error);
      return;
    }
    if (this.#pending === undefined) return;
    if (this.#text !== "") this.#schedule();
    if (this.#text.length < chunkLength) this.#read();
  };

  readonly #onError = (error: unknown): void => {
    if (this.#isAtEnd) return;
    const told = this.#hasToldError ? "" : this.#encoder.fail(this.#mask.error(errorEvent(error)));
    this.#end(told + this.#encoder.end());
  };

  #end(text: string): void {
    this.#isAtEnd = true;
    clearTimeout(this.#heartbeat);
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
    if (this.#pending === undefined) return;
    const { controller, resolve } = this.#pending;
    this.#pending = undefined;
    if (this.#text !== "") {
      controller.enqueue(this.#bytes.encode(this.#text));
      this.#sentAt = Date.now();
    }
    this.#text = "";
    if (this.#isAtEnd) controller.close();
    resolve();
  };
}

interface PendingPull {
  readonly controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  resolve(): void;
}

/** Calls `send` after everything that is already scheduled. Uses a timer on platforms without `setImmediate`. */
function atEndOfTurn(send: () => void): void {
  if (typeof setImmediate === "function") setImmediate(send);
  else setTimeout(send, 0);
}
