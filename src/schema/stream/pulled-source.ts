import { SerialSource } from "./serial-source.js";

/** A source of objects that only says which comes next. It is not asked again after the end or an error. */
export abstract class PulledSource<out T extends object> extends SerialSource<T> {
  /** `undefined` at the end, or when this source was left. */
  protected abstract nextValue(): Promise<T | undefined>;

  /** Called once when nothing more comes, also after an error; not when this source was left. */
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
