import { ended, type ReadySource } from "./source.js";

/** The chunks of an array, from a position on. */
export class ArraySource<out T> implements ReadySource<T> {
  private array: readonly T[];
  private index: number;

  constructor(array: readonly T[], index = 0) {
    this.array = array;
    this.index = index;
  }

  read(): IteratorResult<T, undefined> {
    if (this.index >= this.array.length) return { done: true, value: undefined };
    return { done: false, value: this.array[this.index++] as T };
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return this.index >= this.array.length ? ended() : Promise.resolve(this.read());
  }

  cancel(): void {
    this.array = [];
  }

  /** A second source over the remaining chunks. */
  fork(): ArraySource<T> {
    return new ArraySource(this.array, this.index);
  }

  rest(): readonly T[] {
    return this.array.slice(this.index);
  }
}
