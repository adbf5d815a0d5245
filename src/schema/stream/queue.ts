/** First in, first out, in constant time. */
export class Queue<T> {
  private items: (T | undefined)[] = [];
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  /** The oldest item; `undefined` when there is none (ask `size` if items may be undefined). */
  shift(): T | undefined {
    const { items, head } = this;
    if (head === items.length) return undefined;
    const item = items[head];
    items[head] = undefined;
    this.head = head + 1;
    if (this.head === items.length) this.clear();
    else if (this.head >= 64 && this.head * 2 >= items.length) this.compact();
    return item;
  }

  clear(): void {
    this.items.length = 0;
    this.head = 0;
  }

  private compact(): void {
    this.items = this.items.slice(this.head);
    this.head = 0;
  }
}
