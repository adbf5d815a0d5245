import { streamCancelled } from "../errors.js";
import { type ChunkSource, ended } from "./source.js";

/**
 * Base of sources that process each chunk. Overlapping reads are answered one after another, nothing is read after the end, and a
 * read that is pending at a cancellation rejects, so that it does not look like the end of the stream.
 */
export abstract class SerialSource<out T> implements ChunkSource<T> {
  private state: "idle" | "busy" | "ended" | "cancelled" = "idle";
  private cancelReason: unknown = undefined;
  /** The last read, and how many reads wait. */
  private last: Promise<IteratorResult<T, undefined>> | undefined = undefined;
  private waiting = 0;

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.state !== "idle") return this.nextInTurn();
    this.state = "busy";
    return this.track(this.pull());
  }

  cancel(reason?: unknown): void {
    if (!this.isOpen) return;
    this.cancelReason = reason;
    this.state = "cancelled";
    this.stop(reason);
  }

  /** Reads one chunk. Must call `settle()` before the promise resolves to a chunk, and `finish()` before the end or an error. */
  protected abstract pull(): Promise<IteratorResult<T, undefined>>;
  /** Stops the producer. */
  protected abstract stop(reason: unknown): void;

  protected get isOpen(): boolean {
    return this.state === "idle" || this.state === "busy";
  }

  /** Begins a read without a promise, which `settle` or `finish` ends. Returns false if it must wait for its turn. */
  protected begin(): boolean {
    if (this.state !== "idle") return false;
    this.state = "busy";
    return true;
  }

  /** Makes later reads wait for this one. */
  protected track(read: Promise<IteratorResult<T, undefined>>): Promise<IteratorResult<T, undefined>> {
    this.last = read;
    return read;
  }

  /** To be called when the pending read has its chunk. */
  protected settle(): void {
    if (this.state === "busy" && this.waiting === 0) this.state = "idle";
  }

  /** To be called when there is nothing more to read. */
  protected finish(): void {
    if (this.isOpen) this.state = "ended";
  }

  /** Throws if the source was cancelled while a read was pending. */
  protected checkOpen(): void {
    if (this.state === "cancelled") throw streamCancelled(this.cancelReason);
  }

  private nextInTurn(): Promise<IteratorResult<T, undefined>> {
    if (this.waiting === 0 && !this.isOpen) return ended();
    const turn = (): Promise<IteratorResult<T, undefined>> => {
      this.waiting--;
      this.checkOpen();
      return this.isOpen ? this.pull() : ended();
    };
    this.waiting++;
    return this.track((this.last ?? ended()).then(turn, turn));
  }
}
