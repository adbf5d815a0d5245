const SMALLEST = 8;
const LARGEST_KEPT = 1024;

/** A FIFO queue with constant-time operations: a ring buffer that doubles when it is full. */
export class Queue<T> {
  private ring: (T | undefined)[] = [];
  private head = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  push(item: T): void {
    if (this.count === this.ring.length) this.grow();
    this.ring[(this.head + this.count) & (this.ring.length - 1)] = item;
    this.count++;
  }

  /** Removes the oldest item; `undefined` if there is none (check `size` if items may be undefined). */
  shift(): T | undefined {
    if (this.count === 0) return undefined;
    const { ring, head } = this;
    const item = ring[head];
    ring[head] = undefined;
    this.head = (head + 1) & (ring.length - 1);
    this.count--;
    if (this.count === 0 && ring.length > LARGEST_KEPT) this.clear();
    return item;
  }

  clear(): void {
    this.ring = [];
    this.head = 0;
    this.count = 0;
  }

  private grow(): void {
    const { ring, head, count } = this;
    this.ring = new Array<T | undefined>(Math.max(SMALLEST, count * 2)).fill(undefined);
    for (let i = 0; i < count; i++) this.ring[i] = ring[(head + i) & (count - 1)];
    this.head = 0;
  }
}
