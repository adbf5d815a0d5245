import { streamCancelled } from "../schema/errors.js";
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
  /** The first read that waits, and those that came while it did: a `for await` loop has no others. */
  #reader: Reader<T> | undefined;
  #others: Reader<T>[] = [];
  #end: { readonly error?: unknown } | undefined;

  constructor(feed: ChannelOwner) {
    this.#feed = feed;
  }

  get length(): number {
    return this.#waiting.length;
  }

  write(chunk: T): void {
    if (this.#end !== undefined) return;
    const reader = this.#reader;
    if (reader === undefined) {
      this.#waiting.push(chunk);
      return;
    }
    this.#reader = this.#others.length === 0 ? undefined : this.#others.shift();
    reader.resolve({ done: false, value: chunk });
  }

  /** Forgets the last chunks, which were not read. */
  dropLast(count: number): void {
    this.#waiting.splice(this.#waiting.length - count, count);
  }

  close(end: { readonly error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) this.#finish(reader);
    for (const other of this.#others.splice(0)) this.#finish(other);
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
    return new Promise(this.#wait);
  }

  readonly #wait = (resolve: Reader<T>["resolve"], reject: Reader<T>["reject"]): void => {
    const reader = { resolve, reject };
    if (this.#end !== undefined) {
      this.#finish(reader);
      return;
    }
    if (this.#reader === undefined) this.#reader = reader;
    else this.#others.push(reader);
    this.#feed.taken();
  };

  cancel(reason?: unknown): void {
    if (this.#end !== undefined && this.#waiting.length === 0) return;
    this.#waiting = [];
    this.#end = {};
    this.isRead = false;
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.reject(streamCancelled(reason));
    for (const other of this.#others.splice(0)) other.reject(streamCancelled(reason));
    this.#feed.left(reason);
  }

  /** Whether its reader, if there is one, is so far behind that the run should wait for it. */
  get lags(): boolean {
    return !this.isRead || (this.#waiting.length >= capacity && this.#reader === undefined);
  }

  #finish({ resolve, reject }: Reader<T>): void {
    const end = this.#end;
    if (end !== undefined && "error" in end) {
      this.#end = {};
      reject(end.error);
    } else resolve({ done: true, value: undefined });
  }
}

/** A read that waits for a chunk. */
interface Reader<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
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
    return this.#write({ seq: this.#seq++, ...place, ...body });
  }

  emitText(delta: string, index: number, place: Omit<EventPlace, "seq">): Promise<void> | undefined {
    const { runId, agentPath, step, parentCallId } = place;
    if (parentCallId !== undefined) return this.emit({ type: "text_delta", delta, index }, place);
    if (agentPath.length === 1) {
      this.#place = place;
      this.#writeText(delta, step);
    }
    return this.#write({ seq: this.#seq++, runId, agentPath, step, type: "text_delta", delta, index });
  }

  #write(event: AgentEvent): Promise<void> | undefined {
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
