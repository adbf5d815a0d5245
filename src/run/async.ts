import { isPromiseLike } from "../is.js";

/** Calls `next` with a value: synchronously, unless the value is a promise. */
export function whenReady<R>(value: unknown, next: (ready: unknown) => R): R | PromiseLike<R> {
  return isPromiseLike(value) ? value.then(next as (ready: unknown) => R) : next(value);
}
