import { streamCancelled } from "../errors.js";
import { Queue } from "./queue.js";
import { type ChunkSource, ended } from "./source.js";

/**
 * The base of sources that do something with each chunk: reads that overlap are answered one after another, nothing is
 * read after the end, and a read that was pending at a cancellation never looks like the end of the stream.
 */
export abstract class SerialSource<out T> implements ChunkSource<T> {
  private state: "idle" | "busy" | "ended" | "cancelled" = "idle";
  private waiting: Queue<() => void> | undefined;
  private cancelReason: unknown;

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.state !== "idle") return this.nextInTurn();
    this.state = "busy";
    return this.pull();
  }

  cancel(reason?: unknown): void {
    if (!this.isOpen) return;
    this.cancelReason = reason;
    this.finish("cancelled");
    this.stop(reason);
  }

  /** Reads one chunk. Calls `settle()` before the promise resolves to a chunk, `finish()` before anything else. */
  protected abstract pull(): Promise<IteratorResult<T, undefined>>;
  /** Stops the producer. */
  protected abstract stop(reason: unknown): void;

  protected get isOpen(): boolean {
    return this.state === "idle" || this.state === "busy";
  }

  /** For synchronous reads: false when the read must wait for its turn. */
  protected begin(): boolean {
    if (this.state !== "idle") return false;
    this.state = "busy";
    return true;
  }

  /** The pending read has its chunk. */
  protected settle(): void {
    if (this.state !== "busy") return;
    if (this.waiting === undefined) this.state = "idle";
    else this.startNext(this.waiting);
  }

  /** There is nothing more to read; reads that wait for their turn are done. */
  protected finish(state: "ended" | "cancelled" = "ended"): void {
    if (!this.isOpen) return;
    this.state = state;
    const { waiting } = this;
    this.waiting = undefined;
    for (let start = waiting?.shift(); start !== undefined; start = waiting?.shift()) start();
  }

  /** Rejects a read that was pending when the source was cancelled. */
  protected checkOpen(): void {
    if (this.state === "cancelled") throw streamCancelled(this.cancelReason);
  }

  private nextInTurn(): Promise<IteratorResult<T, undefined>> {
    if (this.state !== "busy") return ended();
    return new Promise((resolve) => {
      this.waiting ??= new Queue();
      this.waiting.push(() => resolve(this.state === "busy" ? this.pull() : ended()));
    });
  }

  private startNext(waiting: Queue<() => void>): void {
    const start = waiting.shift();
    if (waiting.size === 0) this.waiting = undefined;
    start?.();
  }
}
