import type { AgentEvent } from "../agents/agent-event.js";
import { PulledSource } from "../schema/stream/pulled-source.js";
import type { LogHead, LogRows } from "./log-rows.js";
import type { Recording } from "./recording.js";

/** The events of a recording that goes on in this process. Leaving it stops nothing but the reading. */
export class LiveEvents extends PulledSource<AgentEvent> {
  readonly #recording: Recording;
  readonly #skips: (event: AgentEvent) => boolean;
  readonly #tellsFailures: boolean;
  #position = 0;
  #left: (() => void) | undefined;

  constructor(
    recording: Recording,
    {
      skips = () => false,
      tellsFailures,
    }: { readonly skips?: (event: AgentEvent) => boolean; readonly tellsFailures: boolean },
  ) {
    super();
    this.#recording = recording;
    this.#skips = skips;
    this.#tellsFailures = tellsFailures;
  }

  protected override async nextValue(): Promise<AgentEvent | undefined> {
    const { events } = this.#recording;
    for (;;) {
      while (this.#position < events.length) {
        const event = events[this.#position++];
        if (event !== undefined && !this.#skips(event)) return event;
      }
      if (this.#recording.end !== undefined) return this.#atEnd();
      await Promise.race([
        this.#recording.moreThan(this.#position),
        new Promise<void>((resolve) => {
          this.#left = resolve;
        }),
      ]);
      if (!this.isOpen) return undefined;
    }
  }

  protected override stop(): void {
    this.#left?.();
  }

  /** The caller of the agent gets its failure, and also the failure to save its events. */
  async #atEnd(): Promise<undefined> {
    const { end, written } = this.#recording;
    if (!this.#tellsFailures) return;
    if (end !== undefined && "failure" in end) throw end.failure;
    await written;
  }
}

/** How often a recording of another process is looked at. */
const pollMs = 100;

/** The events of a recording in the store, and while another process writes it, those that come. */
export class StoredEvents extends PulledSource<AgentEvent> {
  readonly #id: string;
  readonly #rows: LogRows;
  readonly #skips: (event: AgentEvent) => boolean;
  #head: LogHead | undefined;
  #group = 0;
  #events: AgentEvent[] = [];
  #left: (() => void) | undefined;

  constructor(id: string, rows: LogRows, skips: (event: AgentEvent) => boolean) {
    super();
    this.#id = id;
    this.#rows = rows;
    this.#skips = skips;
  }

  protected override async nextValue(): Promise<AgentEvent | undefined> {
    this.#head ??= await this.#rows.head(this.#id);
    const head = this.#head;
    if (head === undefined) return undefined;
    while (this.isOpen) {
      const event = this.#events.shift();
      if (event !== undefined && !this.#skips(event)) return event;
      if (event === undefined && !(await this.#read(head))) return undefined;
    }
    return undefined;
  }

  /** False when nothing more comes. */
  async #read({ recording }: LogHead): Promise<boolean> {
    const events = await this.#rows.read(this.#id, recording, this.#group);
    if (events !== undefined) {
      this.#events = [...events];
      this.#group += 1;
      return true;
    }
    const now = await this.#rows.head(this.#id);
    if (now?.recording !== recording || (now.groups !== undefined && this.#group >= now.groups)) return false;
    await this.#wait();
    return this.isOpen;
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      this.#left = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  protected override stop(): void {
    this.#left?.();
  }
}
