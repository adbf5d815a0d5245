import type { LiveEvent } from "../api.js";

/** An event without its number. */
export type NewEvent = LiveEvent extends infer Event ? (Event extends LiveEvent ? Omit<Event, "id"> : never) : never;

/** An event that is made when it is sent, so that nothing is made where nobody looks. */
export type LazyEvent = NewEvent | (() => NewEvent);

const size = 10_000;
const beatMs = 15_000;
const sessionMs = 300_000;
/** How long after the end of a stream events are kept for a page that comes again. */
const returnMs = 60_000;
/** A page that is so far behind gets no chunks of text. */
const tooFar = 1_000;

/** The last events, for pages that are open and for those that come again. Where no page is open, nothing is kept. */
export class EventRing {
  readonly #entries: (LazyEvent | undefined)[] = new Array(size).fill(undefined);
  readonly #waiting = new Set<() => void>();
  #next = 1;
  /** The oldest event that is kept. */
  #first = 1;
  #keptUntil = 0;
  #isClosed = false;

  /** Whether nobody looks, so that an event need not be made. It counts as one that nobody was told. */
  isIdle(): boolean {
    if (this.#keptUntil > 0 && Date.now() <= this.#keptUntil) return false;
    this.#keptUntil = 0;
    this.#skip();
    return true;
  }

  push(entry: LazyEvent): void {
    if (this.isIdle()) return;
    this.#entries[this.#next % size] = entry;
    this.#next += 1;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** An event that nobody is told. A page that comes later loads everything. */
  #skip(): void {
    if (this.#first < this.#next) this.#entries.fill(undefined);
    this.#next += 1;
    this.#first = this.#next;
  }

  close(): void {
    this.#isClosed = true;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** JSON lines of what happens from now on, or after the event of this number. Nothing is made before it is read. */
  stream(after: number | undefined): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    const line = (event: object): Uint8Array => encoder.encode(`${JSON.stringify(event)}\n`);
    const endsAt = Date.now() + sessionMs;
    this.#keptUntil = endsAt + returnMs;
    const first = Math.max(this.#first, this.#next - size);
    const isComplete = after !== undefined && after >= first - 1 && after < this.#next;
    let at = isComplete ? after + 1 : this.#next;
    let isOpen = false;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (!isOpen) {
            isOpen = true;
            controller.enqueue(line({ type: "open", id: at - 1, isComplete }));
            return;
          }
          if (at === this.#next && !this.#isClosed) await this.#wait(Math.min(beatMs, endsAt - Date.now()));
          if (this.#isClosed || Date.now() >= endsAt) {
            controller.enqueue(line({ type: "end", id: at - 1 }));
            controller.close();
            return;
          }
          if (at === this.#next) {
            controller.enqueue(encoder.encode("\n"));
            return;
          }
          // it was so slow that events are gone: the page loads everything again
          if (at <= this.#next - size) {
            at = this.#next;
            controller.enqueue(line({ type: "open", id: at - 1, isComplete: false }));
            return;
          }
          at = this.#send(at, (event) => controller.enqueue(line(event)));
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Sends up to 100 events, and returns the number of the next one. */
  #send(from: number, send: (event: object) => void): number {
    let lost = 0;
    let at = from;
    const isBehind = this.#next - from > tooFar;
    for (const end = Math.min(this.#next, from + 100); at < end; at++) {
      const entry = this.#entries[at % size];
      const event = typeof entry === "function" ? entry() : entry;
      if (event === undefined) continue;
      if (isBehind && event.type === "chunk") lost += 1;
      else send({ ...event, id: at });
    }
    if (lost > 0) send({ type: "lost", id: at - 1, chunks: lost });
    return at;
  }

  async #wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, ms));
      this.#waiting.add(wake);
    });
  }
}
