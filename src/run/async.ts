import { isPromiseLike } from "../is.js";

/** Goes on with a value, at once when it is there already. */
export function whenReady<R>(value: unknown, next: (ready: unknown) => R): R | PromiseLike<R> {
  return isPromiseLike(value) ? value.then(next as (ready: unknown) => R) : next(value);
}
