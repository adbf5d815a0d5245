import type { AgentEvent } from "../../agents/agent-event.js";
import type { AgentStream } from "../../agents/agent-stream.js";

/** The events of a run for several readers, each from the beginning. The run waits for the one that is furthest. */
export class EventTape {
  readonly #stream: AgentStream<unknown>;
  readonly #events: AgentEvent[] = [];
  #end: { readonly error?: unknown } | undefined;
  #pulling: Promise<void> | undefined;
  #readers = 0;
  #isKept = false;

  constructor(stream: AgentStream<unknown>) {
    this.#stream = stream;
  }

  /** The events that have been read so far. */
  get events(): readonly AgentEvent[] {
    return this.#events;
  }

  /** The failure of the run, once its events have been read to the end. */
  get failure(): { readonly error?: unknown } | undefined {
    return this.#end !== undefined && "error" in this.#end ? this.#end : undefined;
  }

  /** The event with this number; `undefined` after the last one. */
  async at(index: number): Promise<AgentEvent | undefined> {
    while (index >= this.#events.length && this.#end === undefined) {
      this.#pulling ??= this.#pull();
      await this.#pulling;
    }
    return this.#events[index];
  }

  /** Reads all events from the first one on. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void> {
    for (let index = 0; ; index++) {
      const event = await this.at(index);
      if (event === undefined) return;
      yield event;
    }
  }

  /** The run goes on although its readers leave. */
  keep(): void {
    this.#isKept = true;
  }

  /**
   * A web stream of what a function makes of the events. When all such streams have been cancelled, and nothing else is waiting for
   * the run, the run is aborted.
   */
  open<T>(read: (events: AsyncIterable<AgentEvent>) => AsyncIterable<T>): ReadableStream<T> {
    this.#readers += 1;
    let chunks: AsyncIterator<T> | undefined;
    return new ReadableStream<T>(
      {
        pull: async (controller) => {
          chunks ??= read(this)[Symbol.asyncIterator]();
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: async (reason) => {
          this.#readers -= 1;
          if (this.#readers > 0 || this.#isKept || this.#end !== undefined) return;
          await this.#stream.cancel(reason ?? new DOMException("The stream of the agent was left.", "AbortError"));
        },
      },
      { highWaterMark: 0 },
    );
  }

  async #pull(): Promise<void> {
    try {
      const { done, value } = await this.#stream.next();
      if (done === true) this.#end = {};
      else this.#events.push(value);
    } catch (error) {
      this.#end = { error };
    } finally {
      this.#pulling = undefined;
    }
  }
}
