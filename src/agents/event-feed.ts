import type { ChunkSource } from "../schema/stream/source.js";
import type { AgentEvent, AgentEventBody, EventPlace } from "./agent-event.js";
import { streamRestarted } from "./errors.js";

/** How many chunks may wait for a reader before the run waits for it. */
const capacity = 16;

/** A stream with a memory: what is written waits until it is read. */
export class Channel<T> implements ChunkSource<T> {
  /** Whether it is being read. */
  isRead = false;
  readonly #feed: ChannelOwner;
  #waiting: T[] = [];
  #readers: { resolve(result: IteratorResult<T, undefined>): void; reject(error: unknown): void }[] = [];
  #end: { readonly error?: unknown } | undefined;

  constructor(feed: ChannelOwner) {
    this.#feed = feed;
  }

  get length(): number {
    return this.#waiting.length;
  }

  write(chunk: T): void {
    if (this.#end !== undefined) return;
    if (this.#readers.length === 0) this.#waiting.push(chunk);
    else this.#readers.shift()?.resolve({ done: false, value: chunk });
  }

  /** Forgets the last chunks, which were not read. */
  dropLast(count: number): void {
    this.#waiting.splice(this.#waiting.length - count, count);
  }

  close(end: { readonly error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const reader of this.#readers.splice(0)) this.#finish(reader);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (!this.isRead) {
      this.isRead = true;
      this.#feed.read();
    }
    if (this.#waiting.length > 0) {
      const value = this.#waiting.shift() as T;
      this.#feed.taken();
      return Promise.resolve({ done: false, value });
    }
    return new Promise((resolve, reject) => {
      const reader = { resolve, reject };
      if (this.#end === undefined) {
        this.#readers.push(reader);
        this.#feed.taken();
      } else this.#finish(reader);
    });
  }

  cancel(reason?: unknown): void {
    if (this.#end !== undefined && this.#waiting.length === 0) return;
    this.#waiting = [];
    this.#end = {};
    this.isRead = false;
    this.#feed.left(reason);
  }

  /** Whether its reader, if there is one, is so far behind that the run should wait for it. */
  get lags(): boolean {
    return !this.isRead || (this.#waiting.length >= capacity && this.#readers.length === 0);
  }

  #finish({
    resolve,
    reject,
  }: {
    resolve(end: { done: true; value: undefined }): void;
    reject(error: unknown): void;
  }): void {
    const end = this.#end;
    if (end !== undefined && "error" in end) {
      this.#end = {};
      reject(end.error);
    } else resolve({ done: true, value: undefined });
  }
}

interface ChannelOwner {
  /** Reading has begun. */
  read(): void;
  /** A chunk was taken, or is waited for. */
  taken(): void;
  left(reason: unknown): void;
}

/** The events of one call of an agent, and its text, between the run and those who read. */
export class EventFeed implements ChannelOwner {
  readonly events = new Channel<AgentEvent>(this);
  readonly text = new Channel<string>(this);
  /** Gets each event, in addition to the readers. */
  onEvent: ((event: AgentEvent) => void) | undefined;
  readonly #onRead: () => void;
  readonly #onLeft: (reason: unknown) => void;
  #seq = 0;
  #isFree = false;
  #blocked: (() => void)[] = [];
  #place: Omit<EventPlace, "seq">;
  /** The step whose text was written last, and whether some of it was read. */
  #textStep = 0;
  #written = 0;

  constructor(name: string, onRead: () => void, onLeft: (reason: unknown) => void) {
    this.#place = { runId: "", agentPath: [name], step: 0 };
    this.#onRead = onRead;
    this.#onLeft = onLeft;
  }

  /** Where the last event of the called agent was. */
  get place(): Omit<EventPlace, "seq"> {
    return this.#place;
  }

  /** The run no longer waits for readers. */
  free(): void {
    this.#isFree = true;
    this.taken();
  }

  /** Writes an event; a promise when the run should wait for its readers. */
  emit(body: AgentEventBody, place: Omit<EventPlace, "seq"> = this.#place): Promise<void> | undefined {
    if (place.agentPath.length === 1) {
      this.#place = place;
      if (body.type === "text_delta") this.#writeText(body.delta, place.step);
      if (body.type === "restart") this.#restartText(place.step);
    }
    const event = eventAt(place, this.#seq++, body);
    this.onEvent?.(event);
    this.events.write(event);
    return this.#mustWait ? new Promise((resolve) => this.#blocked.push(resolve)) : undefined;
  }

  close(end?: { readonly error: unknown }): void {
    this.events.close(end);
    this.text.close(end);
    this.taken();
  }

  read(): void {
    this.#onRead();
  }

  taken(): void {
    if (this.#blocked.length === 0 || this.#mustWait) return;
    for (const go of this.#blocked.splice(0)) go();
  }

  left(reason: unknown): void {
    this.taken();
    if (!this.events.isRead && !this.text.isRead) this.#onLeft(reason);
  }

  /** The run is as fast as the fastest of its readers. */
  get #mustWait(): boolean {
    const { events, text } = this;
    if (this.#isFree || !(events.isRead || text.isRead)) return false;
    return events.lags && text.lags;
  }

  #writeText(delta: string, step: number): void {
    if (delta === "") return;
    if (this.#textStep !== step) {
      if (this.#textStep !== 0) this.text.write("\n\n");
      this.#textStep = step;
      this.#written = 0;
    }
    this.#written += 1;
    this.text.write(delta);
  }

  #restartText(step: number): void {
    if (this.#textStep !== step || this.#written === 0) return;
    if (this.text.length < this.#written) this.text.close({ error: streamRestarted() });
    else this.text.dropLast(this.#written);
    this.#written = 0;
  }
}

/** Most events are pieces of texts: they are written out, which is much cheaper than copying fields. */
function eventAt(place: Omit<EventPlace, "seq">, seq: number, body: AgentEventBody): AgentEvent {
  if (body.type !== "text_delta" || place.parentCallId !== undefined) return { seq, ...place, ...body };
  const { runId, agentPath, step } = place;
  const { type, delta, index } = body;
  return { seq, runId, agentPath, step, type, delta, index };
}
