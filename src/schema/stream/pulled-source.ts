import { SerialSource } from "./serial-source.js";

/** Base of sources of objects that implement only `nextValue`, which is not called again after the end or an error. */
export abstract class PulledSource<out T extends object> extends SerialSource<T> {
  /** The next chunk; `undefined` at the end, or after this source was cancelled. */
  protected abstract nextValue(): Promise<T | undefined>;

  /** Called once at the end, also after an error, but not after a cancellation. */
  protected ended(): void {}

  protected override async pull(): Promise<IteratorResult<T, undefined>> {
    try {
      const value = await this.nextValue();
      this.checkOpen();
      if (value !== undefined) {
        this.settle();
        return { done: false, value };
      }
    } catch (error) {
      this.finish();
      this.ended();
      throw error;
    }
    this.finish();
    this.ended();
    return { done: true, value: undefined };
  }
}
