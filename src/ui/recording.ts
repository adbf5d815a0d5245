import type { AgentEvent } from "../agents/agent-event.js";
import { logFailed } from "./errors.js";
import type { LogHead, LogRows } from "./log-rows.js";

/** How long an event waits for others to be written with. */
const groupMs = 50;

interface RecordingOptions {
  readonly id: string;
  readonly rows: LogRows;
  /** The run has begun: from now on it is what the id stands for. */
  readonly onStart: (recording: Recording) => void;
  /** Everything is written. */
  readonly onEnd: (recording: Recording) => void;
}

/** A run whose events are kept: in memory while it goes on, and in the store. It goes on whether anybody reads it or not. */
export class Recording {
  readonly events: AgentEvent[] = [];
  /** What the run failed with, once it is over. */
  end: { readonly failure?: unknown } | undefined;
  /** Settles when everything is written; rejects when that failed. */
  readonly written: Promise<void>;
  readonly #options: RecordingOptions;
  readonly #name = crypto.randomUUID();
  #wake: (() => void)[] = [];
  #head: LogHead | undefined;
  #groups = 0;
  /** How many events are written, or on their way. */
  #taken = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(stream: AsyncIterable<AgentEvent>, options: RecordingOptions) {
    this.#options = options;
    this.written = this.#record(stream);
    this.written.catch(() => undefined); // the reader of the recorded stream gets the error
  }

  /** Resolves when there are more events than so many, or no more will come. */
  moreThan(count: number): Promise<void> {
    if (this.events.length > count || this.end !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  async #record(stream: AsyncIterable<AgentEvent>): Promise<void> {
    try {
      for await (const event of stream) this.#add(event);
      this.#finish({});
    } catch (failure) {
      this.#finish({ failure });
    }
    this.#flush();
    try {
      await this.#writing;
      if (this.#head !== undefined) {
        await this.#options.rows.end(this.#options.id, { ...this.#head, groups: this.#groups });
      }
    } catch (error) {
      throw logFailed(this.#options.id, error);
    } finally {
      this.#options.onEnd(this);
    }
  }

  #add(event: AgentEvent): void {
    if (this.#head === undefined && event.type === "start") this.#begin(event);
    this.events.push(event);
    this.#wakeAll();
    if (this.#head !== undefined) this.#timer ??= setTimeout(() => this.#flush(), groupMs);
  }

  /** A run that does not begin, since its thread is busy for instance, replaces no recording. */
  #begin({ checkpointId }: Extract<AgentEvent, { type: "start" }>): void {
    const [, turn] = /^(~thread\/[^/]+\/\d{8})\/run$/.exec(checkpointId ?? "") ?? [];
    const head: LogHead =
      turn === undefined ? { version: 1, recording: this.#name } : { version: 1, recording: this.#name, turn };
    this.#head = head;
    this.#options.onStart(this);
    this.#write(() => this.#options.rows.begin(this.#options.id, head));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#head === undefined || this.#taken === this.events.length) return;
    const group = this.events.slice(this.#taken);
    const number = this.#groups;
    this.#taken = this.events.length;
    this.#groups += 1;
    this.#write(() => this.#options.rows.write(this.#options.id, this.#name, number, group));
  }

  /** One after another; after a failure nothing more is written. */
  #write(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(work);
    this.#writing.catch(() => undefined);
  }

  #finish(end: { readonly failure?: unknown }): void {
    this.end = end;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
